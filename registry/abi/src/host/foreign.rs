//! Plugins of a dylib as if they were linked in.

use std::sync::Arc;

use abi_stable::std_types::{RString, RVec};
use gannet_api::{Descriptor, Error, InstanceDescription, Plugin, PluginKind, Result, Setup};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::bounded::{bounded, bounded_each};
use super::instances::Foreign;
use super::open::Opened;
use super::providers::ForeignEmbedder;
use super::services::EnterHost;
use crate::layout::{AbiResult, from_json, to_json};
use crate::vtable::{AbiMade, ExportObject};

/// One plugin of a dylib.
pub struct ForeignExport {
    descriptor: Descriptor,
    export: Arc<ExportObject>,
    enter_host: EnterHost,
}

/// A plugin of a dylib that could not say what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedExport {
    /// Of which kind; `None` for one that is younger than this host.
    pub kind: Option<PluginKind>,
    /// Its own name.
    pub name: String,
    /// What went wrong.
    pub error: Error,
}

impl ForeignExport {
    /// What it is.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// What an instance with these settings says of itself.
    ///
    /// # Errors
    /// [`Error::Panicked`] when its code panicked, [`Error::Timeout`] when it
    /// does not end.
    pub fn describe(&self, settings: &Value) -> Result<InstanceDescription> {
        let (export, settings) = (self.export.clone(), settings.to_string());
        let operation = format!("the description of `{}`", self.descriptor.name);
        bounded(&operation, move || {
            read(export.instance_json(settings.into()))
        })
    }

    /// Makes an instance from settings that were checked against its schema.
    ///
    /// # Errors
    /// What the plugin says of its settings; [`Error::Panicked`] when its
    /// constructor panicked, [`Error::Timeout`] when it does not end.
    pub fn construct(&self, settings: &Value, setup: &Setup) -> Result<Plugin> {
        let (settings, setup) = (settings.to_string(), to_json(setup)?);
        let kind = self.descriptor.kind;
        let (export, enter_host) = (self.export.clone(), self.enter_host.clone());
        let operation = format!("the constructor of `{}`", self.descriptor.name);
        bounded(&operation, move || {
            make(&export, kind, settings.into(), setup, &enter_host)
        })
    }
}

/// Asks the plugins of a dylib what they are.
pub(crate) fn described(exports: RVec<ExportObject>, enter_host: &EnterHost) -> Opened {
    let exports: Vec<Arc<ExportObject>> = exports.into_iter().map(Arc::new).collect();
    let operation = |export: &Arc<ExportObject>| format!("the descriptor of `{}`", export.name());
    let descriptors = bounded_each(&exports, operation, |export| read(export.descriptor_json()));
    let mut opened = Opened::default();
    for (export, descriptor) in exports.into_iter().zip(descriptors) {
        match descriptor {
            Ok(descriptor) => opened.exports.push(ForeignExport {
                descriptor,
                export,
                enter_host: enter_host.clone(),
            }),
            Err(error) => opened.failed.push(FailedExport {
                kind: serde_json::from_str(&export.kind_json()).ok(),
                name: export.name().into(),
                error,
            }),
        }
    }
    opened
}

fn make(
    export: &ExportObject,
    kind: PluginKind,
    settings: RString,
    setup: RString,
    enter_host: &EnterHost,
) -> Result<Plugin> {
    Ok(match kind {
        PluginKind::SearchModule => {
            Plugin::SearchModule(made(export.search_module(settings, setup), enter_host)?)
        }
        PluginKind::Pipeline => {
            Plugin::Pipeline(made(export.pipeline(settings, setup), enter_host)?)
        }
        PluginKind::Adapter => Plugin::Adapter(made(export.adapter(settings, setup), enter_host)?),
        PluginKind::Enhancer => {
            Plugin::Enhancer(made(export.enhancer(settings, setup), enter_host)?)
        }
        PluginKind::Embedder => {
            let embedder = export.embedder(settings, setup).into_result()?;
            let embedder = ForeignEmbedder::new(Foreign::new(embedder, enter_host))?;
            Plugin::Embedder(Arc::new(embedder))
        }
        PluginKind::Reranker => {
            Plugin::Reranker(made(export.reranker(settings, setup), enter_host)?)
        }
        PluginKind::Reader => Plugin::Reader(made(export.reader(settings, setup), enter_host)?),
        PluginKind::ChatModel => {
            Plugin::ChatModel(made(export.chat_model(settings, setup), enter_host)?)
        }
    })
}

fn made<T>(made: AbiMade<T>, enter_host: &EnterHost) -> Result<Arc<Foreign<T>>> {
    let instance = made.into_result()?;
    Ok(Arc::new(Foreign::new(instance, enter_host)))
}

/// What a plugin says of itself as JSON.
fn read<T: DeserializeOwned>(said: AbiResult<RString>) -> Result<T> {
    from_json("its descriptor", &said.into_result()?)
}
