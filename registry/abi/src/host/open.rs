//! Opens a dylib, checks its layouts and starts it.

#![allow(unsafe_code, reason = "the system's loader, and symbols of a dylib")]

use std::path::Path;

use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, LibHeader};
use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::RString;
use abi_stable::type_layout::TypeLayout;
use abi_stable::{StableAbi, std_types::RVec};
use gannet_api::Error;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::differences::differences;
use super::foreign::{FailedExport, ForeignExport, described};
use super::log::HostLog;
use super::services::EnterHost;
use crate::contain::contained;
use crate::manifest::{CONTRACT, ContractVersion, Manifest};
use crate::vtable::{AbiLog_TO, AbiStart, ExportObject, PluginRoot_Ref};

/// Keeps a library in memory whatever is closed.
#[cfg(not(target_vendor = "apple"))]
const RTLD_NODELETE: i32 = 0x1000;
#[cfg(target_vendor = "apple")]
const RTLD_NODELETE: i32 = 0x80;

/// What a host says when it opens a dylib.
pub struct Opening<'a> {
    /// The file, absolute, or where its sealed copy is.
    pub path: &'a Path,
    /// Its manifest, which was read and checked before.
    pub manifest: &'a Manifest,
    /// Threads of its own runtime, if it has one.
    pub runtime_threads: u32,
    /// How the host's runtime is reached from the plugin's threads.
    pub enter_host: EnterHost,
}

/// Why a dylib cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OpenError {
    /// The system's loader refused it.
    #[error("the system cannot load it: {0}")]
    Library(String),
    /// The symbol that the manifest names is not there.
    #[error("it has no symbol `{0}`, which its manifest names")]
    Root(String),
    /// It was made with an `abi_stable` that does not fit.
    #[error("its header does not match: {0}")]
    Header(String),
    /// Its types are laid out differently.
    #[error(
        "its types do not match those of this host: {0}; build it with the `gannet-plugin` of this host"
    )]
    Layout(String),
    /// It said or did what ends its start.
    #[error("it cannot start: {0}")]
    Start(Error),
}

/// The plugins of a dylib.
#[derive(Default)]
pub struct Opened {
    /// Those that can be used, sorted by kind and name.
    pub exports: Vec<ForeignExport>,
    /// Those that could not say what they are.
    pub failed: Vec<FailedExport>,
}

/// Opens a dylib and gives its plugins. It is never closed: code and statics
/// of a plugin may be in use until the process ends.
///
/// This runs the dylib's code. Whether that may be is for the caller to
/// decide before: by where the file lies, who can write it, what it hashes to
/// and what its manifest says.
///
/// # Errors
/// [`OpenError`]; the dylib stays in memory and is not used.
pub fn open(opening: Opening<'_>) -> Result<Opened, OpenError> {
    let header = header(opening.path, &opening.manifest.root)?;
    start(header, opening)
}

/// Checks the layouts of a library that is in memory, and starts it.
pub(crate) fn start(header: &'static LibHeader, opening: Opening<'_>) -> Result<Opened, OpenError> {
    check_layout(header, opening.manifest)?;
    // SAFETY: the layout of the root was found compatible just now.
    let root = unsafe { header.init_root_module_with_unchecked_layout::<PluginRoot_Ref>() }
        .map_err(|error| OpenError::Header(error.to_string()))?;
    let log = HostLog::of(&opening.manifest.name);
    let start = AbiStart {
        log: AbiLog_TO::from_value(log, TD_Opaque),
        runtime_threads: opening.runtime_threads,
        extra_json: RString::new(),
    };
    let exports: RVec<ExportObject> = (root.start())(start)
        .into_result()
        .map_err(|error| OpenError::Start(error.into()))?;
    Ok(described(exports, &opening.enter_host))
}

/// Loads the library and finds its header.
///
/// All symbols are resolved now: one that is missing is an error here and not
/// the end of the process at its first use. None becomes visible to others.
fn header(path: &Path, root: &str) -> Result<&'static LibHeader, OpenError> {
    // SAFETY: the initialisers of the library run; the caller decided that
    // they may.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) };
    let library = library.map_err(|error| OpenError::Library(reason(&error, path)))?;
    // SAFETY: the symbol's name carries the version of the root, under which
    // `export_plugin!` writes a `LibHeader` only. Its first field, which
    // `upgrade` checks before it looks at the rest, never changes.
    let symbol = unsafe { library.get::<AbiHeaderRef>(root.as_bytes()) }.map(|symbol| *symbol);
    std::mem::forget(library);
    symbol
        .map_err(|_| OpenError::Root(root.to_owned()))?
        .upgrade()
        .map_err(|error| OpenError::Header(error.to_string()))
}

/// The layouts are data of the dylib. In a damaged file they can be anything,
/// and the checker panics at what it does not expect.
fn check_layout(header: &LibHeader, manifest: &Manifest) -> Result<(), OpenError> {
    contained(|| compare_layouts(header, manifest)).unwrap_or_else(|panic| {
        let reason = format!("they cannot be read, the file is damaged ({panic})");
        Err(OpenError::Layout(reason))
    })
}

fn compare_layouts(header: &LibHeader, manifest: &Manifest) -> Result<(), OpenError> {
    let plugin = header
        .layout()
        .ok_or_else(|| OpenError::Layout("it does not say how they are laid out".to_owned()))?;
    let host = <PluginRoot_Ref as StableAbi>::LAYOUT;
    check_both_ways((host, CONTRACT), (plugin, manifest.contract))
}

/// Compares the layouts. The checker lets a plugin have more than the host; a
/// plugin of an older minor version has less, and is compared the other way.
pub(crate) fn check_both_ways(
    (host, host_version): (&'static TypeLayout, ContractVersion),
    (plugin, plugin_version): (&'static TypeLayout, ContractVersion),
) -> Result<(), OpenError> {
    match compare(host, plugin) {
        Err(_) if plugin_version < host_version => compare(plugin, host),
        found => found,
    }
}

fn compare(expected: &'static TypeLayout, found: &'static TypeLayout) -> Result<(), OpenError> {
    check_layout_compatibility(expected, found)
        .map_err(|errors| OpenError::Layout(differences(&errors)))
}

/// The text of `libloading` is in the source of its error. It begins with the
/// path, which is that of the sealed copy and tells nobody anything.
fn reason(error: &libloading::Error, path: &Path) -> String {
    let text = match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    };
    let copy = format!("{}: ", path.display());
    text.strip_prefix(&copy).unwrap_or(&text).to_owned()
}
