//! What is on.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gannet_api::{
    Descriptor, DynAdapter, DynChatModel, DynEmbedder, DynEnhancer, DynPipeline, DynReranker,
    DynSearchModule, Plugin, PluginKind,
};

use crate::settings::check;
use crate::{CatalogError, Registered, Registry, Wanted, nearest};

/// The instances that are on, by kind and name.
#[derive(Default)]
pub struct Catalog {
    instances: BTreeMap<(PluginKind, String), Instance>,
}

/// One instance of a plugin.
#[derive(Clone)]
pub struct Instance {
    /// What it is; `name` is the instance's.
    pub descriptor: Descriptor,
    /// The plugin's own name.
    pub plugin: String,
    /// The crate that it comes from.
    pub package: &'static str,
    /// That crate's version.
    pub version: &'static str,
    /// The thing itself.
    pub object: Plugin,
}

/// Writes the accessor of one kind.
macro_rules! accessor {
    ($name:ident, $variant:ident, $behind_pointer:ident, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(&self, name: &str) -> Option<&Arc<dyn $behind_pointer>> {
            match &self.get(PluginKind::$variant, name)?.object {
                Plugin::$variant(object) => Some(object),
                _ => None,
            }
        }
    };
}

impl Catalog {
    /// Makes every instance that is wanted and on.
    ///
    /// # Errors
    /// All that is wrong, not only the first: unknown plugins, settings that
    /// do not fit, constructors that fail or panic, pipelines whose modules
    /// are not on.
    pub fn build(registry: &Registry, wanted: Vec<Wanted>) -> Result<Self, Vec<CatalogError>> {
        let mut catalog = Self::default();
        let mut errors = Vec::new();
        for wish in &wanted {
            match find(registry, wish) {
                Err(error) => errors.push(error),
                Ok(_) if !wish.enabled => {}
                Ok(registered) => match make(registered, wish) {
                    Ok(instance) => {
                        catalog
                            .instances
                            .insert((wish.kind, wish.setup.instance.clone()), instance);
                    }
                    Err(found) => errors.extend(found),
                },
            }
        }
        for wish in wanted.iter().filter(|wish| wish.enabled) {
            errors.extend(missing_retrieval_modules(&wanted, wish));
        }
        if errors.is_empty() {
            Ok(catalog)
        } else {
            Err(errors)
        }
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

    accessor!(
        search_module,
        SearchModule,
        DynSearchModule,
        "The search module of this name."
    );
    accessor!(
        pipeline,
        Pipeline,
        DynPipeline,
        "The pipeline of this name."
    );
    accessor!(adapter, Adapter, DynAdapter, "The adapter of this name.");
    accessor!(
        enhancer,
        Enhancer,
        DynEnhancer,
        "The enhancer of this name."
    );
    accessor!(
        embedder,
        Embedder,
        DynEmbedder,
        "The embedder of this name."
    );
    accessor!(
        reranker,
        Reranker,
        DynReranker,
        "The reranker of this name."
    );
    accessor!(
        chat_model,
        ChatModel,
        DynChatModel,
        "The chat model of this name."
    );
}

fn find<'a>(registry: &'a Registry, wish: &Wanted) -> Result<&'a Registered, CatalogError> {
    registry.get(wish.kind, &wish.plugin).ok_or_else(|| {
        let names = registry.names(wish.kind);
        let hint = match nearest(&wish.plugin, names.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; there are: {}", names.join(", ")),
        };
        CatalogError::UnknownPlugin {
            key: wish.key.clone(),
            kind: wish.kind,
            name: wish.plugin.clone(),
            hint,
        }
    })
}

fn make(registered: &Registered, wish: &Wanted) -> Result<Instance, Vec<CatalogError>> {
    let errors = check(&registered.descriptor, &wish.settings, &wish.key);
    if !errors.is_empty() {
        return Err(errors);
    }
    let construct = || {
        let settings = wish.settings.clone();
        registered.registration.construct(settings, &wish.setup)
    };
    // A constructor is plugin code: its panic is an error of this plugin.
    let made = catch_unwind(AssertUnwindSafe(construct));
    let message = match made {
        Ok(Ok(object)) => {
            let mut descriptor = registered.descriptor.clone();
            descriptor.name.clone_from(&wish.setup.instance);
            return Ok(Instance {
                descriptor,
                plugin: wish.plugin.clone(),
                package: registered.registration.package,
                version: registered.registration.version,
                object,
            });
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its constructor panicked; see the log".to_owned(),
    };
    Err(vec![CatalogError::Construction {
        key: wish.key.clone(),
        message,
    }])
}

fn missing_retrieval_modules(wanted: &[Wanted], pipeline: &Wanted) -> Vec<CatalogError> {
    let modules: Vec<&Wanted> = wanted
        .iter()
        .filter(|wish| wish.kind == PluginKind::SearchModule)
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
                    let hint = nearest(name, names)
                        .map(|near| format!("; did you mean `{near}`?"))
                        .unwrap_or_default();
                    ("not configured", hint)
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
