//! The gates that a dylib passes before it is opened.

use std::path::{Path, PathBuf};

use gannet_abi::manifest::Manifest;

use super::image::{self, MAX_BYTES};
use super::{DylibWish, LoadError, LoadingRules, manifests, object_file, permissions, place};

/// A dylib that may be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    /// Where it lies, without links.
    pub path: PathBuf,
    /// Its SHA-256 in lower-case hex digits.
    pub sha256: String,
    /// Its length in bytes.
    pub size: u64,
    /// What it says of itself. Of several crates in one file, the one that
    /// gave the file its name.
    pub manifest: Manifest,
    /// What was checked, and so what must be opened: the file may be another
    /// one by then.
    pub bytes: Vec<u8>,
}

/// Checks a dylib, running nothing of it.
///
/// # Errors
/// The first gate that is shut.
pub fn preflight(wish: &DylibWish, rules: &LoadingRules) -> Result<Preflight, LoadError> {
    let place = place::find(&wish.file, &rules.dirs)?;
    permissions::check_folders(&place.path, &place.dir)?;
    let (file, metadata) = image::open(&place.path)?;
    permissions::check(&place.path, &metadata)?;
    let image = image::read(file, &place.path, metadata.len(), MAX_BYTES)?;
    image.check_pin(wish.sha256.as_deref(), rules.require_pin)?;
    let manifest = manifest(&place.path, &image.bytes)?;
    manifests::check_contract(&manifest)?;
    manifests::check_abi_stable(&manifest)?;
    manifests::check_panic(&manifest)?;
    Ok(Preflight {
        path: place.path,
        sha256: image.sha256,
        size: image.bytes.len() as u64,
        manifest,
        bytes: image.bytes,
    })
}

fn manifest(path: &Path, bytes: &[u8]) -> Result<Manifest, LoadError> {
    let section = object_file::manifest_section(bytes)?;
    let all = Manifest::read_section(section)?;
    manifests::of_file(path, &all).ok_or(LoadError::Manifest(
        gannet_abi::manifest::ManifestError::Missing,
    ))
}
