//! `gannet plugins new`: creates the crate of a plugin.

use std::path::{Path, PathBuf};

use crate::arguments::NewPluginArguments;
use crate::failure::{Exit, Failure};
use crate::render::DIM;
use crate::scaffold::{NewPlugin, PluginCrate, scaffold};

/// The crate gannet-plugin of the checkout that this was built from.
const OWN_PLUGIN_CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../registry/plugin");

/// Makes a new plugin's crate and says what to do next.
pub fn new(wanted: NewPluginArguments) -> Result<Exit, Failure> {
    let folder = wanted.folder.unwrap_or_else(|| PathBuf::from(&wanted.name));
    let wanted = NewPlugin {
        plugin_crate: plugin_crate(wanted.plugin_crate),
        name: wanted.name,
        kind: wanted.kind,
        folder,
    };
    let files = scaffold(&wanted).map_err(Failure::usage)?;
    for file in &files {
        outln!("{}", file.display());
    }
    let folder = wanted.folder.display();
    outln!("{DIM}next: cd {folder} && cargo test && cargo build --release{DIM:#}");
    outln!("{DIM}then: see README.md in it for how to enable it{DIM:#}");
    Ok(Exit::Done)
}

/// The crate that was named, or that of the checkout while it is still
/// there, or the published one.
fn plugin_crate(named: Option<PathBuf>) -> PluginCrate {
    match named {
        Some(path) => PluginCrate::Path(path),
        None if Path::new(OWN_PLUGIN_CRATE).is_dir() => PluginCrate::Path(OWN_PLUGIN_CRATE.into()),
        None => PluginCrate::Version(env!("CARGO_PKG_VERSION").to_owned()),
    }
}
