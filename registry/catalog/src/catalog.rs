//! What is on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gannet_abi::contain::contained;
use gannet_abi::exit_guard;
use gannet_api::{
    Descriptor, DynAdapter, DynChatModel, DynEmbedder, DynEnhancer, DynPipeline, DynReader,
    DynReranker, DynSearchModule, Error, Plugin, PluginKind, Result as ApiResult,
};

use crate::settings::{addresses, check};
use crate::{CatalogError, Origin, Registered, Registry, Wanted, did_you_mean, nearest};

/// The instances that are on, by kind and name.
#[derive(Default)]
pub struct Catalog {
    instances: BTreeMap<(PluginKind, String), Instance>,
    left_out: Vec<CatalogError>,
}

/// One instance of a plugin.
#[derive(Clone)]
pub struct Instance {
    /// What it is, as [`Wanted::describe`] gives it.
    pub descriptor: Descriptor,
    /// The plugin's own name.
    pub plugin: String,
    /// Where that comes from.
    pub origin: Origin,
    /// The addresses of servers in its settings, defaults included.
    pub addresses: Vec<String>,
    /// The thing itself.
    pub object: Plugin,
}

/// Writes the accessor of each kind.
macro_rules! accessors {
    ($($name:ident: $variant:ident as $behind_pointer:ident, $doc:literal;)+) => {$(
        #[doc = $doc]
        pub fn $name(&self, name: &str) -> Option<&Arc<dyn $behind_pointer>> {
            match &self.get(PluginKind::$variant, name)?.object {
                Plugin::$variant(object) => Some(object),
                _ => None,
            }
        }
    )+};
}

impl Catalog {
    /// Makes every instance that is wanted and on. One whose dylib could not
    /// be loaded or that cannot be made is left out, unless the dylib is
    /// required; pipelines do without such a module.
    ///
    /// While a dylib is not loaded, its plugins are left out. Where its manifest
    /// cannot be read, a name that no plugin has may be one of its plugins; a
    /// misspelling of a plugin that is there is an error all the same.
    ///
    /// # Errors
    /// All that is wrong, not only the first: unknown plugins, settings that
    /// do not fit, constructors that fail or panic, pipelines whose modules
    /// are not on.
    pub fn build(registry: &Registry, wanted: Vec<Wanted>) -> Result<Self, Vec<CatalogError>> {
        let mut catalog = Self::default();
        let mut errors = Vec::new();
        for wish in wanted.iter().filter(|wish| !is_pipeline(wish)) {
            errors.extend(catalog.add(registry, wish));
        }
        for wish in wanted.iter().filter(|wish| is_pipeline(wish)) {
            let missing = missing_retrieval_modules(&wanted, wish);
            match missing.is_empty() || !wish.enabled {
                true => errors.extend(catalog.add_pipeline(registry, wish, &wanted)),
                false => errors.extend(missing),
            }
        }
        // A provider of several kinds makes the same mistake once for each.
        let mut told = BTreeSet::new();
        errors.retain(|error: &CatalogError| told.insert(error.to_string()));
        if errors.is_empty() {
            Ok(catalog)
        } else {
            Err(errors)
        }
    }

    /// What is wanted and could not be had: each with its reason.
    pub fn left_out(&self) -> &[CatalogError] {
        &self.left_out
    }

    fn add(&mut self, registry: &Registry, wish: &Wanted) -> Vec<CatalogError> {
        let registered = match find(registry, wish) {
            Ok(registered) => registered,
            Err(error) if registry.may_lack(wish.kind, &wish.plugin) => {
                if wish.enabled {
                    self.left_out.push(error);
                }
                return Vec::new();
            }
            Err(error) => return vec![error],
        };
        if !wish.enabled {
            return Vec::new();
        }
        match make(registered, wish) {
            Ok(instance) => {
                let place = (wish.kind, wish.setup.instance.clone());
                self.instances.insert(place, instance);
                Vec::new()
            }
            Err(MakeError::Constructor(error)) if registered.origin.is_optional => {
                self.left_out.push(error);
                Vec::new()
            }
            Err(MakeError::Constructor(error)) => vec![error],
            Err(MakeError::Settings(errors)) => errors,
        }
    }

    /// A pipeline is told only of modules that are there, and of the other
    /// pipelines that are wanted.
    fn add_pipeline(
        &mut self,
        registry: &Registry,
        wish: &Wanted,
        wanted: &[Wanted],
    ) -> Vec<CatalogError> {
        let mut wish = wish.clone();
        let asked = wish.setup.retrieval_modules.len();
        wish.setup.retrieval_modules.retain(|name| {
            let place = (PluginKind::SearchModule, name.clone());
            let mut pipelines = wanted.iter().filter(|other| is_pipeline(other));
            self.instances.contains_key(&place)
                || pipelines.any(|other| other.enabled && &other.setup.instance == name)
        });
        if wish.enabled && asked > 0 && wish.setup.retrieval_modules.is_empty() {
            self.left_out.push(CatalogError::Construction {
                key: wish.key.clone(),
                message: "none of its `retrieval_modules` is available".to_owned(),
            });
            return Vec::new();
        }
        self.add(registry, &wish)
    }

    /// The instance of this kind and name.
    pub fn get(&self, kind: PluginKind, name: &str) -> Option<&Instance> {
        self.instances.get(&(kind, name.to_owned()))
    }

    /// All instances, sorted by kind and name.
    pub fn iter(&self) -> impl Iterator<Item = &Instance> {
        self.instances.values()
    }

    /// The names of one kind, sorted.
    pub fn names(&self, kind: PluginKind) -> Vec<&str> {
        self.instances
            .keys()
            .filter(|(of_kind, _)| *of_kind == kind)
            .map(|(_, name)| name.as_str())
            .collect()
    }

    accessors! {
        search_module: SearchModule as DynSearchModule, "The search module of this name.";
        pipeline: Pipeline as DynPipeline, "The pipeline of this name.";
        adapter: Adapter as DynAdapter, "The adapter of this name.";
        enhancer: Enhancer as DynEnhancer, "The enhancer of this name.";
        embedder: Embedder as DynEmbedder, "The embedder of this name.";
        reranker: Reranker as DynReranker, "The reranker of this name.";
        reader: Reader as DynReader, "The reader of this name.";
        chat_model: ChatModel as DynChatModel, "The chat model of this name.";
    }
}

fn is_pipeline(wish: &Wanted) -> bool {
    wish.kind == PluginKind::Pipeline
}

fn find<'a>(registry: &'a Registry, wish: &Wanted) -> Result<&'a Registered, CatalogError> {
    registry.get(wish.kind, &wish.plugin).ok_or_else(|| {
        let names = registry.names(wish.kind);
        let mut hint = match nearest(&wish.plugin, names.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; there are: {}", names.join(", ")),
        };
        if let Some(reason) = registry.why_missing(wish.kind, &wish.plugin) {
            hint.push_str(&format!(" ({reason})"));
        }
        CatalogError::UnknownPlugin {
            key: wish.key.clone(),
            kind: wish.kind,
            name: wish.plugin.clone(),
            hint,
        }
    })
}

/// Why an instance could not be made.
enum MakeError {
    /// The configuration is wrong.
    Settings(Vec<CatalogError>),
    /// The plugin refused, or panicked.
    Constructor(CatalogError),
}

fn make(registered: &Registered, wish: &Wanted) -> Result<Instance, MakeError> {
    let settings = registered.settings(&wish.settings);
    let errors = check(&registered.descriptor, &settings, &wish.key);
    if !errors.is_empty() {
        return Err(MakeError::Settings(errors));
    }
    let addresses = addresses(&registered.descriptor.settings_schema, &settings);
    // A constructor is plugin code: its panic is an error of this plugin.
    let name = format!("{} `{}`", wish.kind.label(), wish.setup.instance);
    let make = || -> ApiResult<(Plugin, Descriptor)> {
        let object = contained(|| registered.construct(settings, &wish.setup));
        Ok((object??, wish.describe(registered)?))
    };
    match exit_guard::running(&name, make) {
        Ok((object, descriptor)) => Ok(Instance {
            descriptor,
            plugin: wish.plugin.clone(),
            addresses,
            origin: registered.origin.clone(),
            object,
        }),
        Err(Error::Setting { name, message }) => {
            Err(MakeError::Constructor(CatalogError::Settings {
                key: format!("{}.settings.{name}", wish.key),
                message,
            }))
        }
        Err(error) => Err(MakeError::Constructor(CatalogError::Construction {
            key: wish.key.clone(),
            message: error.to_string(),
        })),
    }
}

fn missing_retrieval_modules(wanted: &[Wanted], pipeline: &Wanted) -> Vec<CatalogError> {
    let is_another = |wish: &&Wanted| wish.setup.instance != pipeline.setup.instance;
    let modules: Vec<&Wanted> = wanted
        .iter()
        .filter(|wish| wish.kind == PluginKind::SearchModule || is_pipeline(wish))
        .filter(is_another)
        .collect();
    pipeline
        .setup
        .retrieval_modules
        .iter()
        .filter_map(|name| {
            let module = modules.iter().find(|wish| &wish.setup.instance == name);
            let (state, hint) = match module {
                Some(module) if module.enabled => return None,
                Some(module) => (
                    "switched off",
                    format!("; set `{}.enabled: true` or leave it out here", module.key),
                ),
                None => {
                    let names = modules.iter().map(|wish| wish.setup.instance.as_str());
                    ("not configured", did_you_mean(name, names))
                }
            };
            Some(CatalogError::RetrievalModule {
                key: format!("{}.retrieval_modules", pipeline.key),
                module: name.clone(),
                state,
                hint,
            })
        })
        .collect()
}
