//! Why a dylib is not loaded.

use std::path::PathBuf;

use gannet_abi::manifest::{ContractVersion, ManifestError};
use gannet_api::PluginKind;

/// Why a dylib is not loaded. Where a text says "it", it means the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No folder is allowed to hold dylibs.
    #[error("no folder for plugins is configured; add one to `plugins.dynamic.dirs`")]
    NoFolders,
    /// There is no such file.
    #[error(
        "there is no `{file}` in {folders}, where a relative `file` starts; put it there, or name \
         its folder in `plugins.dynamic.dirs`"
    )]
    NotFound {
        /// As configured.
        file: String,
        /// The folders that were looked in.
        folders: String,
    },
    /// It lies elsewhere, or a link leads elsewhere.
    #[error(
        "{} is outside of {folders}; put the file itself there; symlinks that leave the folder \
         are refused",
        path.display()
    )]
    Outside {
        /// Where it lies, links followed.
        path: PathBuf,
        /// The folders that are allowed.
        folders: String,
    },
    /// A folder, a device, a pipe.
    #[error("{} is not a regular file; name the library itself", path.display())]
    NotAFile {
        /// What it is not.
        path: PathBuf,
    },
    /// Others could put other code there.
    #[error(
        "{} is writable for group or others (mode {mode:03o}); revoke that permission: `chmod go-w {}`",
        path.display(), path.display()
    )]
    WritableByOthers {
        /// The file, or a folder that it lies in.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Its owner could put other code there.
    #[error(
        "{} is owned by user {owner}; change the owner to root or to user {us}, the current user: `chown {us} {}`",
        path.display(), path.display()
    )]
    ForeignOwner {
        /// The file, or a folder that it lies in.
        path: PathBuf,
        /// The id of its owner.
        owner: u32,
        /// The id of the user that runs this.
        us: u32,
    },
    /// The file system refuses.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// What cannot be read.
        path: PathBuf,
        /// What the file system says.
        reason: String,
    },
    /// It is too large to be a plugin.
    #[error("it is larger than {limit} bytes; build it in release mode and strip it")]
    TooLarge {
        /// How large a file may be.
        limit: u64,
    },
    /// The configuration's checksum cannot be one.
    #[error(
        "its `sha256` in the configuration is not 64 hex digits: `{pin}`; \
         `gannet plugins inspect` prints the right one"
    )]
    BadPin {
        /// As configured.
        pin: String,
    },
    /// It is another file than the one that was pinned.
    #[error(
        "its SHA-256 is {found}, but the configuration has {pinned}; get the intended file, or \
         change `sha256` if this is the one"
    )]
    WrongPin {
        /// As configured, in lower case.
        pinned: String,
        /// Of the file.
        found: String,
    },
    /// Every file must be pinned.
    #[error(
        "it has no `sha256` in the configuration, and `plugins.dynamic.require_pin` is on; its SHA-256 is {found}"
    )]
    MissingPin {
        /// Of the file.
        found: String,
    },
    /// Something else than a shared library.
    #[error("it is not a shared library: {reason}; build the plugin as a `cdylib`")]
    NotALibrary {
        /// What it is.
        reason: String,
    },
    /// For another machine.
    #[error("it is built for {found}, but this host runs on {wanted}; build it for {wanted}")]
    OtherTarget {
        /// What it is made for.
        found: String,
        /// What this host runs on.
        wanted: String,
    },
    /// Cut off, or damaged in another way that can be seen.
    #[error("it is damaged: {reason}; copy the file again")]
    Damaged {
        /// What was found.
        reason: String,
    },
    /// No manifest, or one that cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Built for another major version of the contract.
    #[error(
        "it is built for version {plugin} of the contract, and this host supports {host}; build it with the \
         `gannet-plugin` of this host"
    )]
    Contract {
        /// What the dylib speaks.
        plugin: ContractVersion,
        /// What this host speaks.
        host: ContractVersion,
    },
    /// Built with another version of `abi_stable`.
    #[error(
        "it is built with abi_stable {}, and this host with {host}; build it with the \
         `gannet-plugin` of this host",
        plugin.escape_debug()
    )]
    AbiStable {
        /// The version in the dylib.
        plugin: String,
        /// The version in this host.
        host: String,
    },
    /// Its panics would end the process.
    #[error("a panic in it would end the host; build it with `panic = \"unwind\"`")]
    PanicAbort,
    /// Its bytes cannot be put where nobody changes them.
    #[error("cannot create the sealed copy: {0}")]
    Copy(String),
    /// The dynamic linker refuses, or there is no root symbol.
    #[error("it cannot be opened: {0}")]
    Open(String),
    /// Types differ on the two sides.
    #[error(
        "its types are not those of this host: {0}; build it with the `gannet-plugin` of this host"
    )]
    Layout(String),
    /// It refused to start, or panicked.
    #[error("it did not start: {0}")]
    Start(String),
    /// Its plugin's name is taken.
    #[error(
        "there is a {} `{name}` already, from {other}; remove one of them, or set \
         `replace: true` for this file",
        kind.label()
    )]
    Duplicate {
        /// Of which kind.
        kind: PluginKind,
        /// The name that both have.
        name: String,
        /// Where the other comes from.
        other: String,
    },
}

impl LoadError {
    /// The gate that is shut, for reports: `place`, `permissions`, `read`,
    /// `pin`, `object`, `manifest`, `contract`, `abi_stable`, `panic`, `open`,
    /// `layout`, `start` or `duplicate`.
    pub fn gate(&self) -> &'static str {
        match self {
            Self::NoFolders
            | Self::NotFound { .. }
            | Self::Outside { .. }
            | Self::NotAFile { .. } => "place",
            Self::WritableByOthers { .. } | Self::ForeignOwner { .. } => "permissions",
            Self::Unreadable { .. } | Self::TooLarge { .. } => "read",
            Self::BadPin { .. } | Self::WrongPin { .. } | Self::MissingPin { .. } => "pin",
            Self::NotALibrary { .. } | Self::OtherTarget { .. } | Self::Damaged { .. } => "object",
            Self::Manifest(_) => "manifest",
            Self::Contract { .. } => "contract",
            Self::AbiStable { .. } => "abi_stable",
            Self::PanicAbort => "panic",
            Self::Copy(_) | Self::Open(_) => "open",
            Self::Layout(_) => "layout",
            Self::Start(_) => "start",
            Self::Duplicate { .. } => "duplicate",
        }
    }
}
