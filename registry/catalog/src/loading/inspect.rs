//! A look at a file without loading it: what each gate says.

use std::path::{Path, PathBuf};

use gannet_abi::manifest::Manifest;
use serde::Serialize;

use super::image::{self, Image, MAX_BYTES};
use super::{LoadError, manifests, object_file, permissions, place};

/// What a file is, and what the gates say about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// Where it lies, without links.
    pub path: PathBuf,
    /// Its length in bytes.
    pub size: u64,
    /// Its SHA-256 in lower-case hex digits, as `sha256` wants it.
    pub sha256: String,
    /// `elf`, `mach-o` or `pe`, where it is one of them.
    pub format: Option<String>,
    /// The machine that it is made for, as Rust names it: `x86_64`.
    pub architecture: Option<String>,
    /// What it says of itself, one for each plugin crate in it.
    pub manifests: Vec<Manifest>,
    /// The gates in their order, up to the first that cannot be judged
    /// because another one is shut.
    pub gates: Vec<Gate>,
}

/// What one gate says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// Its name, as in [`LoadError::gate`].
    pub gate: &'static str,
    /// Whether it is open.
    pub passed: bool,
    /// What was found, or what to do.
    pub text: String,
}

/// Looks at a file wherever it lies, running nothing of it.
///
/// The gates `place` and `pin` depend on the configuration; they say what
/// would have to stand there.
///
/// # Errors
/// Only when there is no such file, or it cannot be read.
pub fn inspect(path: &Path) -> Result<Inspection, LoadError> {
    let path = place::without_links(path).map_err(|error| place::unreadable(path, &error))?;
    if !path.is_file() {
        return Err(LoadError::NotAFile { path });
    }
    let (file, metadata) = image::open(&path)?;
    let image = image::read(file, &path, metadata.len(), MAX_BYTES)?;
    let folder = path.parent().unwrap_or(&path);
    let permissions = permissions::check_folders(&path, folder)
        .and_then(|()| permissions::check(&path, &metadata));

    let mut gates = Gates::default();
    gates.open("place", of_place(folder));
    gates.judge(
        "permissions",
        permissions,
        "only root and the user that runs this can change the file and its folder",
    );
    gates.open("read", format!("{} bytes", image.bytes.len()));
    gates.open("pin", format!("`sha256: {}` pins it", image.sha256));
    let manifests = content(&path, &image, &mut gates);
    let target = object_file::target(&image.bytes);
    Ok(Inspection {
        size: image.bytes.len() as u64,
        format: target.as_ref().map(|target| target.format.to_owned()),
        architecture: target.map(|target| target.architecture),
        manifests,
        gates: gates.0,
        sha256: image.sha256,
        path,
    })
}

impl Inspection {
    /// Whether every gate is open.
    pub fn passed(&self) -> bool {
        self.gates.iter().all(|gate| gate.passed)
    }
}

/// The gates that depend on the bytes alone, and the manifests.
fn content(path: &Path, image: &Image, gates: &mut Gates) -> Vec<Manifest> {
    let section = object_file::manifest_section(&image.bytes);
    let Some(section) = gates.judge("object", section, "a shared library for this machine") else {
        return Vec::new();
    };
    let read = Manifest::read_section(section).map_err(LoadError::from);
    let Some(all) = gates.judge("manifest", read, "it has a manifest") else {
        return Vec::new();
    };
    if let Some(manifest) = manifests::of_file(path, &all) {
        compatibility(&manifest, gates);
    }
    all
}

fn compatibility(manifest: &Manifest, gates: &mut Gates) {
    let contract = format!("version {} of the contract", manifest.contract);
    gates.judge("contract", manifests::check_contract(manifest), &contract);
    let abi_stable = format!("abi_stable {}", manifest.abi_stable);
    gates.judge(
        "abi_stable",
        manifests::check_abi_stable(manifest),
        &abi_stable,
    );
    gates.judge(
        "panic",
        manifests::check_panic(manifest),
        "its panics can be caught",
    );
}

fn of_place(folder: &Path) -> String {
    format!(
        "`plugins.dynamic.dirs` must name {} or a folder above it",
        folder.display()
    )
}

#[derive(Default)]
struct Gates(Vec<Gate>);

impl Gates {
    fn open(&mut self, gate: &'static str, text: String) {
        self.0.push(Gate {
            gate,
            passed: true,
            text,
        });
    }

    fn judge<T>(
        &mut self,
        gate: &'static str,
        verdict: Result<T, LoadError>,
        open: &str,
    ) -> Option<T> {
        match verdict {
            Ok(value) => {
                self.open(gate, open.to_owned());
                Some(value)
            }
            Err(shut) => {
                self.0.push(Gate {
                    gate,
                    passed: false,
                    text: shut.to_string(),
                });
                None
            }
        }
    }
}
