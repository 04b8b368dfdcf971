//! A new plugin: a crate that builds, works and passes the conformance test
//! as it is, for its author to change.

mod name;
mod templates;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use name::Names;
use templates::files;

/// What is wanted.
#[derive(Debug, Clone)]
pub struct NewPlugin {
    /// The crate's name, in kebab or snake case.
    pub name: String,
    /// What sort of plugin.
    pub kind: Kind,
    /// The crate's folder; it must not hold anything yet.
    pub folder: PathBuf,
    /// How the crate depends on `gannet-plugin`.
    pub plugin_crate: PluginCrate,
}

/// The sorts of plugins that there are templates of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A search module: finds entries.
    Search,
    /// A pipeline: answers questions.
    Pipeline,
    /// An adapter: brings entries in.
    Adapter,
    /// An enhancer: adds to entries.
    Enhancer,
}

/// Where `gannet-plugin` comes from.
#[derive(Debug, Clone)]
pub enum PluginCrate {
    /// Its folder, `registry/plugin` of a checkout of Gannet.
    Path(PathBuf),
    /// A published version.
    Version(String),
}

/// Why no crate was made.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// The name cannot be that of a crate and a plugin.
    #[error("`{name}` is not a valid name of a plugin: {reason}{suggestion}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
        /// `; try ...`, or empty.
        suggestion: String,
    },
    /// The folder holds something.
    #[error("`{}` is not empty; name a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// There is no `gannet-plugin` where it should be.
    #[error("`{}` is not the crate gannet-plugin; name `registry/plugin` of a checkout", .0.display())]
    NoPluginCrate(PathBuf),
    /// A file or folder could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Unwritable {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Makes the crate, and tells its files in the order in which to read them.
///
/// # Errors
/// See [`ScaffoldError`]; nothing is written then but what a full disk cut
/// short.
pub fn scaffold(wanted: &NewPlugin) -> Result<Vec<PathBuf>, ScaffoldError> {
    let names = Names::of(&wanted.name)?;
    let dependency = dependency(&wanted.plugin_crate)?;
    make_folder(&wanted.folder)?;

    let files = files(wanted.kind, &names, &dependency);
    let mut written = Vec::with_capacity(files.len());
    for (place, text) in files {
        let path = wanted.folder.join(place);
        write(&path, &text).map_err(|source| ScaffoldError::Unwritable {
            path: path.clone(),
            source,
        })?;
        written.push(path);
    }
    Ok(written)
}

/// The right side of `gannet-plugin = …` in TOML.
fn dependency(plugin_crate: &PluginCrate) -> Result<String, ScaffoldError> {
    match plugin_crate {
        PluginCrate::Version(version) => Ok(quoted(version)),
        PluginCrate::Path(path) => {
            let refused = || ScaffoldError::NoPluginCrate(path.clone());
            // The new crate lies elsewhere: a relative path would not do.
            let whole = path.canonicalize().map_err(|_| refused())?;
            if !is_plugin_crate(&whole) {
                return Err(refused());
            }
            let text = whole.to_str().ok_or_else(refused)?;
            if text.contains(char::is_control) {
                return Err(refused());
            }
            Ok(format!("{{ path = {} }}", quoted(text)))
        }
    }
}

fn is_plugin_crate(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line == "name = \"gannet-plugin\""))
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn make_folder(folder: &Path) -> Result<(), ScaffoldError> {
    let unwritable = |source| ScaffoldError::Unwritable {
        path: folder.to_owned(),
        source,
    };
    fs::create_dir_all(folder).map_err(unwritable)?;
    match fs::read_dir(folder).map_err(unwritable)?.next() {
        None => Ok(()),
        Some(_) => Err(ScaffoldError::NotEmpty(folder.to_owned())),
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}
