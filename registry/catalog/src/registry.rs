//! Which plugins there are: linked into the program, or loaded.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use gannet_abi::contain::contained;
use gannet_abi::host::ForeignExport;
use gannet_api::{
    Descriptor, InstanceDescription, Plugin, PluginKind, Registration, Result as ApiResult, Setup,
};
use serde_json::{Map, Value};

use crate::CatalogError;
use crate::bounded::bounded_descriptor;
use crate::loading::FileReport;

/// Every plugin that there is, by kind and name. By default there is none.
#[derive(Default)]
pub struct Registry {
    pub(crate) plugins: BTreeMap<(PluginKind, String), Registered>,
    pub(crate) files: Vec<FileReport>,
}

/// One plugin.
#[derive(Clone)]
pub struct Registered {
    /// What it is.
    pub descriptor: Descriptor,
    /// Where it comes from.
    pub origin: Origin,
    /// Settings that every instance of it starts from.
    pub(crate) config: Map<String, Value>,
    pub(crate) maker: Maker,
}

/// Where a plugin comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The crate.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The dylib that holds it; `None` when it is linked in.
    pub file: Option<PathBuf>,
    /// Whether the host does without it when it cannot be made.
    pub is_optional: bool,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}", file.display()),
            None => f.write_str(&self.package),
        }
    }
}

/// What makes instances.
#[derive(Clone)]
pub(crate) enum Maker {
    Linked(Registration),
    Loaded(Arc<ForeignExport>),
}

impl Registered {
    fn linked(registration: Registration) -> Self {
        Self {
            descriptor: bounded_descriptor((registration.describe)()),
            origin: Origin {
                package: registration.package.to_owned(),
                version: registration.version.to_owned(),
                file: None,
                is_optional: false,
            },
            config: Map::new(),
            maker: Maker::Linked(registration),
        }
    }

    /// Makes an instance from settings that were checked against the
    /// descriptor's schema.
    ///
    /// # Errors
    /// What the plugin says of its settings.
    pub fn construct(&self, settings: Value, setup: &Setup) -> ApiResult<Plugin> {
        match &self.maker {
            Maker::Linked(registration) => registration.construct(settings, setup),
            Maker::Loaded(export) => export.construct(&settings, setup),
        }
    }

    /// What an instance with these settings says of itself.
    ///
    /// # Errors
    /// What the plugin says of its settings, and
    /// [`Panicked`](gannet_api::Error::Panicked) when its code panicked.
    pub(crate) fn describe(&self, settings: Value) -> ApiResult<InstanceDescription> {
        match &self.maker {
            Maker::Linked(registration) => {
                contained(|| (registration.describe_instance)(settings)).and_then(|said| said)
            }
            Maker::Loaded(export) => export.describe(&settings),
        }
    }

    /// Settings of an instance: what the dylib's `config` says, with its own on
    /// top.
    pub(crate) fn settings(&self, own: &Value) -> Value {
        match own {
            Value::Object(own) => {
                let mut settings = self.config.clone();
                settings.extend(own.clone());
                Value::Object(settings)
            }
            other => other.clone(),
        }
    }

    pub(crate) fn place(&self) -> (PluginKind, String) {
        (self.descriptor.kind, self.descriptor.name.clone())
    }
}

impl Registry {
    /// What is linked into this program.
    ///
    /// # Errors
    /// [`CatalogError::Duplicate`] when two of one kind have one name.
    pub fn linked() -> Result<Self, CatalogError> {
        Self::of(Registration::linked().copied())
    }

    /// Exactly these registrations, for tests and for embedders that choose.
    ///
    /// # Errors
    /// [`CatalogError::Duplicate`] when two of one kind have one name.
    pub fn of(registrations: impl IntoIterator<Item = Registration>) -> Result<Self, CatalogError> {
        let mut plugins: BTreeMap<(PluginKind, String), Registered> = BTreeMap::new();
        for registration in registrations {
            let plugin = Registered::linked(registration);
            if let Some(taken) = plugins.get(&plugin.place()) {
                return Err(duplicate(taken, &plugin));
            }
            plugins.insert(plugin.place(), plugin);
        }
        Ok(Self {
            plugins,
            files: Vec::new(),
        })
    }

    /// What became of each dylib that was to be loaded.
    pub fn files(&self) -> &[FileReport] {
        &self.files
    }

    /// The plugin of this kind and name.
    pub fn get(&self, kind: PluginKind, name: &str) -> Option<&Registered> {
        self.plugins.get(&(kind, name.to_owned()))
    }

    /// All of them, sorted by kind and name.
    pub fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.plugins.values()
    }

    /// The names of one kind, sorted.
    pub fn names(&self, kind: PluginKind) -> Vec<&str> {
        self.iter()
            .filter(|plugin| plugin.descriptor.kind == kind)
            .map(|plugin| plugin.descriptor.name.as_str())
            .collect()
    }
}

fn duplicate(taken: &Registered, other: &Registered) -> CatalogError {
    // The order of registrations is the linker's; sorted, the message is
    // always the same.
    let mut packages = [&taken.origin.package, &other.origin.package];
    packages.sort_unstable();
    CatalogError::Duplicate {
        kind: taken.descriptor.kind,
        name: taken.descriptor.name.clone(),
        first: packages[0].clone(),
        second: packages[1].clone(),
    }
}
