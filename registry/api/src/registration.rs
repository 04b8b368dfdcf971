//! How a plugin makes itself known: one [`Registration`] a plugin, collected
//! by `inventory` in the program or in the dylib that holds it.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::setters::setters;
use crate::{
    Adapter, ChatModel, Context, Descriptor, DynAdapter, DynChatModel, DynEmbedder, DynEnhancer,
    DynPipeline, DynReader, DynReranker, DynSearchModule, Embedder, Enhancer, Error, Health,
    InstanceDescription, Pipeline, PluginKind, Prompts, Reader, Reranker, Result, SearchModule,
    read_settings,
};

/// What a plugin is told when an instance of it is made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Setup {
    /// The name of this instance in the configuration.
    pub instance: String,
    /// For a pipeline: the search modules that the configuration gives it.
    pub retrieval_modules: Vec<String>,
    /// The provider that the configuration names for it.
    pub provider: Option<String>,
    /// The model that the configuration names for it. For an embedder or a
    /// chat model: the one that it will be asked for. An embedder whose
    /// [`model`](crate::Embedder::model) is another one then, and a provider
    /// that refuses to be made, are errors at start.
    pub model: Option<String>,
    /// The facility's time zone, an IANA name; days are days there.
    pub timezone: String,
    /// What the facility says to chat models.
    pub prompts: Prompts,
}

impl Setup {
    /// The facility's time zone, UTC when none is set.
    ///
    /// # Errors
    /// [`Error::Configuration`] when there is no such zone.
    pub fn zone(&self) -> Result<TimeZone> {
        if self.timezone.is_empty() {
            return Ok(TimeZone::UTC);
        }
        TimeZone::get(&self.timezone)
            .map_err(|error| Error::configuration("timezone", error.to_string()))
    }
}

setters!(Setup {
    with_instance(instance: impl Into<String>),
    with_retrieval_modules(retrieval_modules: Vec<String>),
    with_provider(provider: impl Into<Option<String>>),
    with_model(model: impl Into<Option<String>>),
    with_timezone(timezone: impl Into<String>),
    with_prompts(prompts: Prompts),
});

/// One plugin that is linked into this program or dylib.
#[derive(Clone, Copy)]
pub struct Registration {
    /// The crate that it comes from.
    pub package: &'static str,
    /// That crate's version.
    pub version: &'static str,
    /// Of which kind it is.
    pub kind: PluginKind,
    /// Its own name.
    pub name: &'static str,
    /// What it is.
    pub describe: fn() -> Descriptor,
    /// What an instance with these settings says of itself.
    pub describe_instance: fn(Value) -> Result<InstanceDescription>,
    /// Makes an instance from its settings, which were checked against the
    /// descriptor's schema before.
    pub constructor: fn(Value, &Setup) -> Result<Plugin>,
}

inventory::collect!(Registration);

/// An instance of a plugin of any kind.
#[derive(Clone)]
pub enum Plugin {
    /// A search module.
    SearchModule(Arc<dyn DynSearchModule>),
    /// A pipeline.
    Pipeline(Arc<dyn DynPipeline>),
    /// An adapter.
    Adapter(Arc<dyn DynAdapter>),
    /// An enhancer.
    Enhancer(Arc<dyn DynEnhancer>),
    /// An embedder.
    Embedder(Arc<dyn DynEmbedder>),
    /// A reranker.
    Reranker(Arc<dyn DynReranker>),
    /// A reader.
    Reader(Arc<dyn DynReader>),
    /// A chat model.
    ChatModel(Arc<dyn DynChatModel>),
}

/// Calls a method of the plugin's, whatever its kind.
macro_rules! of_any_kind {
    ($plugin:expr, $one:ident => $call:expr) => {
        match $plugin {
            Plugin::SearchModule($one) => $call,
            Plugin::Pipeline($one) => $call,
            Plugin::Adapter($one) => $call,
            Plugin::Enhancer($one) => $call,
            Plugin::Embedder($one) => $call,
            Plugin::Reranker($one) => $call,
            Plugin::Reader($one) => $call,
            Plugin::ChatModel($one) => $call,
        }
    };
}

impl Plugin {
    /// Opens what the instance keeps open.
    ///
    /// # Errors
    /// What keeps it from being used.
    pub async fn start(&self, context: &Context) -> Result<()> {
        of_any_kind!(self, plugin => plugin.start(context).await)
    }

    /// Closes what the instance keeps open.
    pub async fn stop(&self) {
        of_any_kind!(self, plugin => plugin.stop().await);
    }

    /// How the instance says that it is.
    ///
    /// # Errors
    /// What kept it from saying so.
    pub async fn health(&self, context: &Context) -> Result<Health> {
        of_any_kind!(self, plugin => plugin.health(context).await)
    }
}

/// Writes the registration of each kind: the author's type in, the function
/// pointers out.
macro_rules! registrations {
    ($($function:ident: $kind:ident, $doc:literal;)+) => {$(
        #[doc = $doc]
        pub const fn $function<T: $kind>(package: &'static str, version: &'static str) -> Self {
            Self {
                package,
                version,
                kind: PluginKind::$kind,
                name: T::NAME,
                describe: || Descriptor {
                    kind: PluginKind::$kind,
                    name: T::NAME.to_owned(),
                    ..T::descriptor().with_settings::<T::Settings>()
                },
                describe_instance: |settings| {
                    Ok(<T as $kind>::describe(&read_settings(settings)?))
                },
                constructor: |settings, setup| {
                    let plugin = T::new(read_settings(settings)?, setup)?;
                    Ok(Plugin::$kind(Arc::new(plugin)))
                },
            }
        }
    )+};
}

impl Registration {
    registrations! {
        search_module: SearchModule, "Registers a search module.";
        pipeline: Pipeline, "Registers a pipeline.";
        adapter: Adapter, "Registers an adapter.";
        enhancer: Enhancer, "Registers an enhancer.";
        embedder: Embedder, "Registers an embedder.";
        reranker: Reranker, "Registers a reranker.";
        reader: Reader, "Registers a reader.";
        chat_model: ChatModel, "Registers a chat model.";
    }

    /// Makes an instance.
    ///
    /// # Errors
    /// What the plugin says of its settings.
    pub fn construct(&self, settings: Value, setup: &Setup) -> Result<Plugin> {
        (self.constructor)(settings, setup)
    }

    /// Every registration that is linked into this program or dylib, in no
    /// particular order.
    pub fn linked() -> impl Iterator<Item = &'static Registration> {
        inventory::iter::<Registration>.into_iter()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    #[test]
    fn without_a_time_zone_it_is_utc_and_an_unknown_one_is_an_error() {
        let zone = |name: &str| {
            let timezone = name.to_owned();
            let setup = Setup {
                timezone,
                ..Setup::default()
            };
            setup.zone()
        };
        assert_eq!(zone("").unwrap(), TimeZone::UTC);
        let Err(Error::Configuration { key, .. }) = zone("Mars/Olympus") else {
            panic!("expected a configuration error");
        };
        assert_eq!(key, "timezone");
    }
}
