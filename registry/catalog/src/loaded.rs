//! Dylibs that are loaded into the registry.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use gannet_abi::exit_guard;
use gannet_abi::host::{EnterHost, ForeignExport, OpenError, Opened, Opening, open};
use gannet_abi::manifest::Manifest;
use gannet_api::{Descriptor, PluginKind};

use crate::bounded::bounded_descriptor;
use crate::loading::{
    DylibWish, FailedPlugin, FileReport, LoadError, LoadingRules, PluginState, Preflight,
    SealedImage, preflight,
};
use crate::nearest::is_misspelling;
use crate::registry::{Maker, Origin, Registered};
use crate::settings::{known_keys, unknown};
use crate::{CatalogError, Registry};

impl Registry {
    /// Loads dylibs, in the order given. One that is refused is in
    /// [`files`](Self::files) with its reason, and the others go on.
    ///
    /// # Errors
    /// [`CatalogError::RequiredFile`] for a refused one that is required,
    /// [`CatalogError::Settings`] for a `config` with a key that no plugin of
    /// its file knows.
    pub fn load(
        &mut self,
        wishes: &[DylibWish],
        rules: &LoadingRules,
        enter_host: &EnterHost,
    ) -> Result<(), Vec<CatalogError>> {
        let mut errors = Vec::new();
        for (position, wish) in wishes.iter().enumerate() {
            let key = format!("plugins.load.{position}");
            let (report, plugins) = self.load_one(wish, rules, enter_host);
            if report.state == PluginState::Loaded {
                errors.extend(unknown_config(wish, &plugins, &key));
            } else if wish.required {
                errors.push(CatalogError::RequiredFile {
                    key,
                    file: wish.file.clone(),
                    reason: report.reason.clone().unwrap_or_default(),
                });
            }
            let places = plugins.into_iter().map(|plugin| (plugin.place(), plugin));
            self.plugins.extend(places);
            self.files.push(report);
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(errors),
        }
    }

    /// Notes dylibs that stand in the configuration while loading is off. Their
    /// manifests are read; nothing of them runs.
    pub fn declare(&mut self, wishes: &[DylibWish], rules: &LoadingRules) {
        let declared = wishes.iter().map(|wish| {
            let manifest = preflight(wish, rules).ok().map(|checked| checked.manifest);
            FileReport {
                manifest,
                ..FileReport::declared(wish)
            }
        });
        self.files.extend(declared);
    }

    /// Whether a plugin that is not there may be one of a dylib that is not
    /// there, or of which it failed. A file whose manifest could be read tells;
    /// of another one any name may be, but a misspelling of one that is there.
    pub(crate) fn may_lack(&self, kind: PluginKind, name: &str) -> bool {
        let mut is_unknown = false;
        for file in &self.files {
            match file.lacks(kind, name) {
                Some(true) => return true,
                Some(false) => {}
                None => is_unknown = true,
            }
        }
        let names = self.names(kind);
        is_unknown && !names.iter().any(|known| is_misspelling(name, known))
    }

    /// Why a plugin is not there that a dylib has, or may have: of files whose
    /// manifests cannot be read, any.
    pub(crate) fn why_missing(&self, kind: PluginKind, name: &str) -> Option<String> {
        let having = |wanted: Option<bool>| {
            let files = self.files.iter();
            files.filter(move |file| file.lacks(kind, name) == wanted)
        };
        if let Some(file) = having(Some(true)).next() {
            let failed = file.failed.iter().find(|one| one.name == name);
            return Some(match failed {
                Some(failed) => format!("it failed in `{}`: {}", file.file, failed.reason),
                None => format!("`{}` is not loaded", file.file),
            });
        }
        let unread: Vec<String> = having(None)
            .map(|file| format!("`{}`", file.file))
            .collect();
        match unread.as_slice() {
            [] => None,
            [only] => Some(format!("{only} is not loaded")),
            several => Some(format!(
                "it may be in one of {}, which are not loaded",
                several.join(", ")
            )),
        }
    }

    fn load_one(
        &self,
        wish: &DylibWish,
        rules: &LoadingRules,
        enter_host: &EnterHost,
    ) -> (FileReport, Vec<Registered>) {
        let started = Instant::now();
        let mut report = FileReport::declared(wish);
        let opened = self.open(wish, rules, enter_host, &mut report);
        report.load_ms = Some(started.elapsed().as_secs_f64() * 1000.0);
        match opened {
            Ok(plugins) => {
                report.state = PluginState::Loaded;
                report.plugins = plugins.iter().map(Registered::place).collect();
                (report, plugins)
            }
            Err(error) => (report.refused(&error), Vec::new()),
        }
    }

    fn open(
        &self,
        wish: &DylibWish,
        rules: &LoadingRules,
        enter_host: &EnterHost,
        report: &mut FileReport,
    ) -> Result<Vec<Registered>, LoadError> {
        let checked = preflight(wish, rules)?;
        report.path = Some(checked.path.clone());
        report.sha256 = Some(checked.sha256.clone());
        report.manifest = Some(checked.manifest.clone());
        let opened = open_checked(&checked, wish, enter_host)?;
        report.failed = opened.failed.into_iter().map(FailedPlugin::from).collect();
        let plugins: Vec<Registered> = opened
            .exports
            .into_iter()
            .map(|export| registered(export, &checked, wish))
            .collect();
        check_manifest(&plugins, &report.failed, &checked.manifest)?;
        self.check_names(&plugins, wish)?;
        Ok(plugins)
    }

    /// A name that is taken, by another plugin or within the file.
    fn check_names(&self, plugins: &[Registered], wish: &DylibWish) -> Result<(), LoadError> {
        for (position, plugin) in plugins.iter().enumerate() {
            let name = &plugin.descriptor.name;
            if !Descriptor::is_name(name) {
                return Err(LoadError::Start(format!(
                    "`{}` is not a valid name of a plugin; use lower-case letters, digits and \
                     single underscores",
                    name.escape_debug()
                )));
            }
            let before = plugins[..position].iter();
            let twice = before.clone().find(|other| other.place() == plugin.place());
            let elsewhere = match wish.replace {
                true => None,
                false => self.plugins.get(&plugin.place()),
            };
            if let Some(other) = twice.or(elsewhere) {
                return Err(LoadError::Duplicate {
                    kind: plugin.descriptor.kind,
                    name: plugin.descriptor.name.clone(),
                    other: other.origin.to_string(),
                });
            }
        }
        Ok(())
    }
}

/// The plugins of a file are those that its manifest names: people and the
/// configuration rely on it where the file is not loaded.
fn check_manifest(
    plugins: &[Registered],
    failed: &[FailedPlugin],
    manifest: &Manifest,
) -> Result<(), LoadError> {
    if let ([], [first, ..]) = (plugins, failed) {
        return Err(LoadError::Start(first.reason.clone()));
    }
    let failed = failed.iter();
    let failed = failed.filter_map(|one| Some((one.kind?, one.name.clone())));
    let places: BTreeSet<_> = plugins
        .iter()
        .map(Registered::place)
        .chain(failed)
        .collect();
    let named: BTreeSet<_> = manifest.exports.iter().cloned().collect();
    match places == named {
        true => Ok(()),
        false => {
            let list = |places: &BTreeSet<(PluginKind, String)>| {
                let names: Vec<&str> = places.iter().map(|(_, name)| name.as_str()).collect();
                names.join(", ")
            };
            Err(LoadError::Start(format!(
                "its manifest names the plugins {}, and it has {}",
                list(&named),
                list(&places)
            )))
        }
    }
}

/// Opens what passed the gates: a sealed copy of the very bytes.
fn open_checked(
    checked: &Preflight,
    wish: &DylibWish,
    enter_host: &EnterHost,
) -> Result<Opened, LoadError> {
    let sealed = SealedImage::of(&checked.manifest.name, &checked.bytes)?;
    // A damaged file can end the process here. The log names it then.
    tracing::info!(
        "opening plugin file {}, sha256 {}",
        checked.path.display(),
        checked.sha256
    );
    let opening = Opening {
        path: &sealed.path(),
        manifest: &checked.manifest,
        runtime_threads: u32::try_from(wish.runtime_threads).unwrap_or(u32::MAX),
        enter_host: enter_host.clone(),
    };
    let name = format!("plugin file `{}`", wish.file);
    let opened = exit_guard::running(&name, || open(opening));
    // Kept for ever, also when it was refused half-way: see `SealedImage`.
    std::mem::forget(sealed);
    opened.map_err(|error| match error {
        OpenError::Layout(reason) => LoadError::Layout(reason),
        OpenError::Start(error) => LoadError::Start(error.to_string()),
        other => LoadError::Open(other.to_string()),
    })
}

fn registered(export: ForeignExport, checked: &Preflight, wish: &DylibWish) -> Registered {
    let known = known_keys(&export.descriptor().settings_schema);
    let config = wish.config.clone().into_iter();
    Registered {
        descriptor: bounded_descriptor(export.descriptor().clone()),
        origin: Origin {
            package: checked.manifest.name.clone(),
            version: checked.manifest.version.clone(),
            file: Some(checked.path.clone()),
            is_optional: !wish.required,
        },
        config: config.filter(|(key, _)| known.contains(key)).collect(),
        maker: Maker::Loaded(Arc::new(export)),
    }
}

/// Keys of a file's `config` that none of its plugins has as a setting.
fn unknown_config(wish: &DylibWish, plugins: &[Registered], key: &str) -> Vec<CatalogError> {
    let known: Vec<String> = plugins
        .iter()
        .flat_map(|plugin| known_keys(&plugin.descriptor.settings_schema))
        .collect();
    let whose = "no plugin of this file has a setting";
    unknown(wish.config.keys(), &known, &format!("{key}.config"), whose)
}
