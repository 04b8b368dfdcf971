//! Dylibs and folders for the tests.

#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use gannet_abi::manifest::{ABI_STABLE, CONTRACT};
use tempfile::TempDir;

use super::LoadingRules;

/// A folder of plugins, and a place beside it that is not allowed.
pub(super) struct Folders {
    root: TempDir,
}

impl Folders {
    pub(super) fn new() -> Self {
        let folders = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for folder in [folders.allowed(), folders.elsewhere()] {
            std::fs::create_dir(&folder).unwrap();
            set_mode(&folder, 0o755);
        }
        folders
    }

    pub(super) fn allowed(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("plugins")
    }

    pub(super) fn elsewhere(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("elsewhere")
    }

    pub(super) fn rules(&self) -> LoadingRules {
        LoadingRules {
            dirs: vec![self.allowed()],
            require_pin: false,
        }
    }
}

/// Writes a file that only its owner can change, whatever the umask.
pub(super) fn write(path: &Path, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
    set_mode(path, 0o644);
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

pub(super) fn good_manifest(name: &str) -> String {
    format!(
        "gannet plugin manifest 1\nname={name}\nversion=0.1.0\ncontract={CONTRACT}\n\
         abi_stable={ABI_STABLE}\npanic=unwind\nruntime=none\nroot=root__{name}\n"
    )
}

/// A dylib with the manifest of one plugin, `pv-search`.
pub(super) fn good_library() -> &'static [u8] {
    static LIBRARY: OnceLock<Vec<u8>> = OnceLock::new();
    LIBRARY.get_or_init(|| library(&[&good_manifest("pv-search")]))
}

/// A dylib with these manifests, made by the C compiler.
pub(super) fn library(manifests: &[&str]) -> Vec<u8> {
    let text: String = manifests
        .iter()
        .flat_map(|manifest| [manifest, "\0"])
        .collect();
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    let manifest = format!(
        "__attribute__((section(\".gannet\"), used)) const unsigned char manifest[] = {{{}}};\n",
        bytes.join(",")
    );
    compile(&format!("{manifest}{CODE}"), &["-shared", "-fPIC"])
}

/// What the C compiler makes of a source.
pub(super) fn compile(source: &str, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("x.c"), folder.path().join("x.so"));
    std::fs::write(&input, source).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let status = Command::new(compiler)
        .args(flags)
        .arg("-o")
        .args([&output, &input])
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(output).unwrap()
}

/// A dylib with this manifest, made by the Rust compiler.
pub(super) fn rust_library(manifest: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("x.rs"), folder.path().join("x.so"));
    let source = format!(
        "#[used]\n#[unsafe(link_section = \".gannet\")]\n#[unsafe(no_mangle)]\n\
         pub static MANIFEST: [u8; {}] = *b{:?};\n",
        manifest.len() + 1,
        format!("{manifest}\0"),
    );
    std::fs::write(&input, source).unwrap();
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let status = Command::new(compiler)
        .args(["--crate-type", "cdylib", "--edition", "2024", "-o"])
        .args([&output, &input])
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read(output).unwrap()
}

/// Something to fill the segments with.
pub(super) const CODE: &str =
    "int table[4096] = {1};\nint sum(int x) { return table[x & 4095] + x; }\n";

/// The bytes with one text in them replaced by another of its length.
pub(super) fn patched(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let at = bytes
        .windows(from.len())
        .position(|window| window == from.as_bytes())
        .unwrap();
    let mut patched = bytes.to_vec();
    patched[at..at + to.len()].copy_from_slice(to.as_bytes());
    patched
}
