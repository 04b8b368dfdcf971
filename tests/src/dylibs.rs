//! Dylibs of the test plugins, in a folder that nobody else can write to.
//!
//! ```no_run
//! use gannet_tests::dylibs::PluginFolder;
//!
//! let folder = PluginFolder::new();
//! folder.put("gannet_test_inline");
//! let registry = folder.load(&["libgannet_test_inline.so"]);
//! assert!(registry.files()[0].reason.is_none());
//! ```

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use gannet_core::enter_host;
use gannet_core::registry::Registry;
use gannet_core::registry::loading::{DylibWish, LoadingRules};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder that dylibs are loaded from; removed in the end.
pub struct PluginFolder {
    folder: TempDir,
}

impl Default for PluginFolder {
    fn default() -> Self {
        Self::new()
    }
}

impl PluginFolder {
    /// An empty one, which only this user can enter.
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Copies in what cargo built of a crate: `gannet_test_inline`.
    pub fn put(&self, library: &str) -> PathBuf {
        self.put_as(&file_name(library), &built(library))
    }

    /// Writes a file that only this user can change.
    pub fn put_as(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        set_mode(&path, 0o600);
        path
    }

    /// This folder, and no need of a `sha256`.
    pub fn rules(&self) -> LoadingRules {
        LoadingRules {
            dirs: vec![self.path().to_owned()],
            require_pin: false,
        }
    }

    /// A registry with these files and nothing linked in. What became of each
    /// is in its [`files`](Registry::files).
    pub fn load(&self, files: &[&str]) -> Registry {
        let wishes: Vec<DylibWish> = files.iter().map(|file| DylibWish::of(*file)).collect();
        let mut registry = Registry::default();
        registry
            .load(&wishes, &self.rules(), &enter_host())
            .unwrap();
        registry
    }

    /// What a configuration says to load from here, for
    /// [`Host::with`](crate::Host::with): `load` is the list `plugins.load`.
    pub fn settings(&self, load: &Value) -> Vec<(&'static str, String)> {
        vec![
            ("plugins.dynamic.enabled", "true".to_owned()),
            ("plugins.dynamic.dirs", json!([self.path()]).to_string()),
            ("plugins.load", load.to_string()),
        ]
    }
}

/// How the library of a crate is named here: `libgannet_test_inline.so`.
pub fn file_name(library: &str) -> String {
    format!("{DLL_PREFIX}{library}{DLL_SUFFIX}")
}

/// What cargo built of a crate that the tests depend on. It lies beside the
/// test program, and is as new as that.
pub fn built(library: &str) -> Vec<u8> {
    let program = std::env::current_exe().unwrap();
    let path = program.parent().unwrap().join(file_name(library));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Sets who may read and write a file.
#[cfg(unix)]
pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The bytes with a text in them replaced by another of its length, wherever
/// it stands.
pub fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "`{from}` and `{to}` differ in length");
    let places = places(bytes, from);
    assert!(!places.is_empty(), "`{from}` is not there");
    let mut replaced = bytes.to_vec();
    for at in places {
        replaced[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    replaced
}

/// Where a text stands in bytes.
pub fn places(bytes: &[u8], text: &str) -> Vec<usize> {
    let first = text.as_bytes()[0];
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == first);
    starts
        .map(|(at, _)| at)
        .filter(|at| bytes[*at..].starts_with(text.as_bytes()))
        .collect()
}
