//! The interface of the next minor version: a copy of `registry/` that is
//! changed as a minor version may be. It has a method more on both sides of the
//! boundary, a key more in descriptors, and a value more in two enumerations.

use std::path::{Path, PathBuf};
use std::process::Command;

use gannet_abi::manifest::CONTRACT;
use gannet_tests::dylibs::file_name;
use gannet_tests::root;

/// What stands where, and what is put there instead. A text that is not found
/// fails the test.
const EDITS: [(&str, &str, &str); 15] = [
    // A method of the host.
    (
        "abi/src/vtable.rs",
        "fn call(&self, call: AbiCall, service: RString, payload: RVec<u8>) -> AbiFuture<RVec<u8>>;",
        "fn call(&self, call: AbiCall, service: RString, payload: RVec<u8>) -> AbiFuture<RVec<u8>>;
    /// What is new.
    fn newest(&self) -> u32 { 7 }",
    ),
    (
        "abi/src/host/services.rs",
        "impl AbiHost for Services {",
        "impl AbiHost for Services {
    fn newest(&self) -> u32 { 42 }",
    ),
    (
        "abi/src/plugin/host.rs",
        "impl Host for ForeignHost {",
        "impl Host for ForeignHost {
    fn newest(&self) -> u32 { self.0.newest() }",
    ),
    (
        "api/src/host.rs",
        "pub trait Host: Send + Sync {",
        "pub trait Host: Send + Sync {
    /// What is new.
    fn newest(&self) -> u32 { 0 }",
    ),
    // A method of search modules.
    (
        "abi/src/vtable.rs",
        ") -> AbiOutcomeFuture<RVec<AbiHit>>;",
        ") -> AbiOutcomeFuture<RVec<AbiHit>>;
    /// What is new.
    fn warmed(&self) -> u32 { 7 }",
    ),
    (
        "abi/src/plugin/modules.rs",
        "impl AbiSearchModule for SearchModuleExport {",
        "impl AbiSearchModule for SearchModuleExport {
    fn warmed(&self) -> u32 { 42 }",
    ),
    (
        "abi/src/host/instances.rs",
        "impl DynSearchModule for Foreign<SearchModuleObject> {",
        "impl DynSearchModule for Foreign<SearchModuleObject> {
    fn warmed(&self) -> u32 { self.calls.warmed() }",
    ),
    (
        "api/src/search_module.rs",
        "pub trait DynSearchModule: Send + Sync {",
        "pub trait DynSearchModule: Send + Sync {
    /// What is new.
    fn warmed(&self) -> u32 { 0 }",
    ),
    // A key of descriptors.
    (
        "api/src/descriptor/mod.rs",
        "    /// What it needs of the host.\n",
        "    /// What is new.\n    #[serde(default)]\n    pub maturity: String,\n    /// What it needs of the host.\n",
    ),
    (
        "api/src/descriptor/mod.rs",
        "            needs: Needs::default(),\n",
        "            needs: Needs::default(),\n            maturity: String::new(),\n",
    ),
    // Values of enumerations.
    (
        "api/src/descriptor/mod.rs",
        "    /// By both.\n    Hybrid,\n",
        "    /// By both.\n    Hybrid,\n    /// What is new.\n    Sparse,\n",
    ),
    (
        "api/src/hit.rs",
        "    /// Another scale; made for the order alone.\n",
        "    /// What is new.\n    Cosmic,\n    /// Another scale; made for the order alone.\n",
    ),
    (
        "api/src/hit.rs",
        "            Self::Bm25 => \"bm25\",\n",
        "            Self::Bm25 => \"bm25\",\n            Self::Cosmic => \"cosmic\",\n",
    ),
    (
        "abi/src/layout/hit.rs",
        "const SCORE_KINDS: [ScoreKind; 10] = [",
        "const SCORE_KINDS: [ScoreKind; 11] = [",
    ),
    (
        "abi/src/layout/hit.rs",
        "    ScoreKind::Other,\n];",
        "    ScoreKind::Other,\n    ScoreKind::Cosmic,\n];",
    ),
];

/// What is built of it.
pub struct Next {
    /// A plugin file.
    pub plugin: PathBuf,
    /// The program that loads a plugin file and asks its modules.
    pub host: PathBuf,
}

/// Copies, changes and builds it. Where it is built already, cargo does
/// nothing.
pub fn build() -> Next {
    let folder = target_folder().join("contract-next");
    std::fs::create_dir_all(&folder).unwrap();
    // Several tests build it, each in a process of its own.
    let lock = std::fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    for name in ["api", "abi", "derive", "plugin"] {
        replace(
            &root().join("registry").join(name),
            &folder.join("registry").join(name),
        );
    }
    replace(&root().join("tests/plugins/next"), &folder.join("next"));
    write(&folder.join("Cargo.toml"), &workspace());
    let versions = folder.join("Cargo.lock");
    if !versions.exists() {
        std::fs::copy(root().join("Cargo.lock"), versions).unwrap();
    }
    let target = folder.join("target");
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--offline",
            "--quiet",
            "--package",
            "gannet-test-next",
        ])
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .status()
        .unwrap();
    assert!(status.success(), "the next interface cannot be built");
    Next {
        plugin: target.join("debug").join(file_name("gannet_test_next")),
        host: target.join("debug/next-host"),
    }
}

/// The manifest of the workspace, with other members.
fn workspace() -> String {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, rest) = text.split_once("[workspace.package]").unwrap();
    format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"registry/*\", \"next\"]\n\n[workspace.package]{rest}"
    )
}

/// Copies a crate with the edits of its files. What did not change is not
/// written, so that cargo does not build it again.
fn replace(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (path, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        match path.is_dir() {
            true => replace(&path, &to.join(name)),
            false => {
                let text = std::fs::read_to_string(&path).unwrap();
                write(&to.join(name), &edited(&path, text));
            }
        }
    }
}

fn write(path: &Path, text: &str) {
    if std::fs::read_to_string(path).ok().as_deref() != Some(text) {
        std::fs::write(path, text).unwrap();
    }
}

/// The text of a file of the next version.
fn edited(path: &Path, mut text: String) -> String {
    let place = path.strip_prefix(root().join("registry"));
    let place = place.unwrap_or(path).display().to_string();
    for (_, old, new) in EDITS.iter().filter(|(file, ..)| *file == place) {
        assert!(text.contains(old), "{place} has no `{old}`");
        text = text.replacen(old, new, 1);
    }
    for (file, old, new) in versions() {
        if file == place {
            assert!(text.contains(&old), "{place} has no `{old}`");
            text = text.replace(&old, &new);
        }
    }
    text
}

/// Where the version of the contract stands.
fn versions() -> [(&'static str, String, String); 3] {
    let (major, minor) = (CONTRACT.major, CONTRACT.minor);
    let next = minor + 1;
    [
        (
            "abi/Cargo.toml",
            format!("version = \"{major}.{minor}."),
            format!("version = \"{major}.{next}."),
        ),
        (
            "abi/src/manifest.rs",
            format!("major: {major}, minor: {minor} }};"),
            format!("major: {major}, minor: {next} }};"),
        ),
        (
            "abi/src/plugin/root.rs",
            format!("contract={major}.{minor}"),
            format!("contract={major}.{next}"),
        ),
    ]
}

/// The folder that cargo builds this workspace in: `deps` of a profile lies
/// in it, and there this program.
fn target_folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().to_owned()
}
