//! The manifest: what a dylib says of itself before any of its code runs.
//!
//! `export_plugin!` puts it into a section of its own, as plain text, so that
//! a host reads it from the bytes of the file:
//!
//! ```text
//! gannet plugin manifest 1
//! name=gannet-pv-search
//! version=0.1.0
//! contract=2.1
//! abi_stable=0.11
//! panic=unwind
//! runtime=none
//! root=gannet_plugin_root_v1__gannet-pv-search
//! export=search_module pv_search
//! ```
//!
//! A NUL ends it. A dylib that bundles several plugin crates holds several.

use std::fmt;

use gannet_api::PluginKind;

/// The section that holds manifests. At most 8 characters: PE cuts the rest.
pub const SECTION: &str = ".gannet";

/// The contract that this crate speaks: its own version.
pub const CONTRACT: ContractVersion = ContractVersion { major: 2, minor: 1 };

/// The version of `abi_stable` whose layouts cross the boundary.
pub const ABI_STABLE: &str = "0.11";

/// The first line of a manifest.
const MAGIC: &str = "gannet plugin manifest 1\n";

/// What a dylib says of itself.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Manifest {
    /// The crate's name.
    pub name: String,
    /// The crate's version.
    pub version: String,
    /// The contract that it was built for.
    pub contract: ContractVersion,
    /// The version of `abi_stable` that it was built with.
    pub abi_stable: String,
    /// What a panic does in it.
    pub panic: PanicStrategy,
    /// What its calls run on.
    pub runtime: String,
    /// The symbol that a host starts from.
    pub root: String,
    /// The kind and the name of each of its plugins.
    pub exports: Vec<(PluginKind, String)>,
}

/// A version of the contract. A host loads plugins of its own major version,
/// and of any minor one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContractVersion {
    /// Moves when plugins have to be built anew.
    pub major: u32,
    /// Moves when something is added.
    pub minor: u32,
}

/// What a panic does in a dylib.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PanicStrategy {
    /// It can be caught.
    Unwind,
    /// It ends the process.
    Abort,
}

/// Why a manifest cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// There is none.
    #[error("it has no manifest; a plugin crate has one `export_plugin!` and is built as a cdylib")]
    Missing,
    /// It is of another form.
    #[error("its manifest has an unknown format")]
    UnknownForm,
    /// A line is missing or says what cannot be.
    #[error("its manifest has no usable line `{0}=…`")]
    Line(&'static str),
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl serde::Serialize for ContractVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ContractVersion {
    fn read(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self {
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
        })
    }
}

impl Manifest {
    /// Every manifest of a section, in the order in which they stand there.
    ///
    /// # Errors
    /// [`ManifestError`] when there is none, or one that cannot be read.
    pub fn read_section(section: &[u8]) -> Result<Vec<Self>, ManifestError> {
        let manifests: Vec<Self> = section
            .split(|byte| *byte == 0)
            .filter(|text| !text.is_empty())
            .map(Self::read)
            .collect::<Result<_, _>>()?;
        match manifests.is_empty() {
            true => Err(ManifestError::Missing),
            false => Ok(manifests),
        }
    }

    fn read(text: &[u8]) -> Result<Self, ManifestError> {
        let text = std::str::from_utf8(text).map_err(|_| ManifestError::UnknownForm)?;
        let lines = text.strip_prefix(MAGIC).ok_or(ManifestError::UnknownForm)?;
        let line = |key: &'static str| {
            lines
                .lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
                .filter(|value| !value.is_empty())
                .ok_or(ManifestError::Line(key))
        };
        Ok(Self {
            name: line("name")?.to_owned(),
            version: line("version")?.to_owned(),
            contract: ContractVersion::read(line("contract")?)
                .ok_or(ManifestError::Line("contract"))?,
            abi_stable: line("abi_stable")?.to_owned(),
            panic: match line("panic")? {
                "unwind" => PanicStrategy::Unwind,
                "abort" => PanicStrategy::Abort,
                _ => return Err(ManifestError::Line("panic")),
            },
            runtime: line("runtime")?.to_owned(),
            root: line("root")?.to_owned(),
            exports: lines.lines().filter_map(read_export).collect(),
        })
    }
}

/// A line that names a plugin; `None` for other lines, and for one of a kind
/// that is younger than this host.
fn read_export(line: &str) -> Option<(PluginKind, String)> {
    let (kind, name) = line.strip_prefix("export=")?.split_once(' ')?;
    let kind = serde_json::from_value(kind.into()).ok()?;
    Some((kind, name.to_owned()))
}

/// The line of one plugin, in parts.
const fn export_line<'a>((kind, name): (&'a str, &'a str)) -> [&'a str; 5] {
    ["export=", kind, " ", name, "\n"]
}

/// How long a manifest with these plugins is.
#[doc(hidden)]
pub const fn length(head: &str, exports: &[(&str, &str)]) -> usize {
    let mut length = head.len() + 1;
    let mut export = 0;
    while export < exports.len() {
        let parts = export_line(exports[export]);
        let mut part = 0;
        while part < parts.len() {
            length += parts[part].len();
            part += 1;
        }
        export += 1;
    }
    length
}

/// A manifest for a static: its first lines, its plugins, and a NUL.
#[doc(hidden)]
pub const fn bytes<const LENGTH: usize>(head: &str, exports: &[(&str, &str)]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    let mut at = write(&mut bytes, 0, head);
    let mut export = 0;
    while export < exports.len() {
        let parts = export_line(exports[export]);
        let mut part = 0;
        while part < parts.len() {
            at = write(&mut bytes, at, parts[part]);
            part += 1;
        }
        export += 1;
    }
    bytes
}

/// Writes a text and returns where the next one begins.
const fn write<const LENGTH: usize>(bytes: &mut [u8; LENGTH], at: usize, text: &str) -> usize {
    let mut offset = 0;
    while offset < text.len() {
        bytes[at + offset] = text.as_bytes()[offset];
        offset += 1;
    }
    at + text.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "gannet plugin manifest 1\nname=a\nversion=0.1.0\ncontract=1.3\n\
         abi_stable=0.11\npanic=unwind\nruntime=none\nroot=r__a\n\0";

    #[test]
    fn a_manifest_is_read_from_its_lines() {
        let read = Manifest::read_section(TEXT.as_bytes()).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].contract.to_string(), "1.3");
        assert_eq!(read[0].root, "r__a");
        assert_eq!(read[0].panic, PanicStrategy::Unwind);
    }

    #[test]
    fn the_plugins_stand_in_it_and_those_of_unknown_kinds_are_left_out() {
        const HEAD: &str = "gannet plugin manifest 1\nname=a\nversion=0.1.0\ncontract=2.0\n\
             abi_stable=0.11\npanic=unwind\nruntime=none\nroot=r__a\n";
        const EXPORTS: &[(&str, &str)] = &[
            ("search_module", "pv_search"),
            ("oracle", "delphi"),
            ("chat_model", "echo"),
        ];
        const LENGTH: usize = length(HEAD, EXPORTS);
        let written = bytes::<LENGTH>(HEAD, EXPORTS);
        assert_eq!(written.last(), Some(&0));
        let read = Manifest::read_section(&written).unwrap();
        let expected = [
            (PluginKind::SearchModule, "pv_search".to_owned()),
            (PluginKind::ChatModel, "echo".to_owned()),
        ];
        assert_eq!(read[0].exports, expected);
    }

    #[test]
    fn several_manifests_stand_in_one_section_with_padding_between() {
        let two = format!("{TEXT}\0\0\0{TEXT}");
        assert_eq!(Manifest::read_section(two.as_bytes()).unwrap().len(), 2);
    }

    #[test]
    fn what_is_missing_is_named() {
        let without = TEXT.replace("root=r__a\n", "");
        assert_eq!(
            Manifest::read_section(without.as_bytes()),
            Err(ManifestError::Line("root"))
        );
        let bad = TEXT.replace("contract=1.3", "contract=one");
        assert_eq!(
            Manifest::read_section(bad.as_bytes()),
            Err(ManifestError::Line("contract"))
        );
    }

    #[test]
    fn nothing_and_another_form_are_refused() {
        assert_eq!(Manifest::read_section(b"\0\0"), Err(ManifestError::Missing));
        assert_eq!(
            Manifest::read_section(b"something else"),
            Err(ManifestError::UnknownForm)
        );
    }

    #[test]
    fn the_contract_is_the_version_of_this_crate() {
        let own = env!("CARGO_PKG_VERSION");
        assert!(
            own.starts_with(&format!("{CONTRACT}.")),
            "{own} is not {CONTRACT}"
        );
    }
}
