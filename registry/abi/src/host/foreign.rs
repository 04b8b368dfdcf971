//! Plugins of a dylib as if they were linked in.

use std::sync::Arc;

use abi_stable::std_types::RVec;
use futures::future::{BoxFuture, FutureExt};
use gannet_api::{
    Answer, Context, Descriptor, DynAdapter, DynEnhancer, DynPipeline, DynSearchModule, Enhanced,
    Entry, Error, FetchRequest, Hit, PipelineRequest, Plugin, PluginKind, RecordStream, Result,
    SearchRequest, Setup,
};
use serde_json::Value;

use super::records::records_in;
use super::services::{EnterHost, context_out};
use crate::layout::{AbiEnhanced, AbiHit, list, unlist};
use crate::vtable::{
    AbiOutcome, AdapterObject, EnhancerObject, ExportObject, PipelineObject, SearchModuleObject,
};

/// One plugin of a dylib.
pub struct ForeignExport {
    descriptor: Descriptor,
    export: ExportObject,
    enter_host: EnterHost,
}

impl ForeignExport {
    pub(super) fn new(export: ExportObject, enter_host: EnterHost) -> Result<Self> {
        let json = export.descriptor_json().into_result()?;
        let descriptor = serde_json::from_str(&json).map_err(|error| {
            Error::internal(format!("a descriptor of it cannot be read: {error}"))
        })?;
        Ok(Self {
            descriptor,
            export,
            enter_host,
        })
    }

    /// What it is.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// Makes an instance from settings that were checked against its schema.
    ///
    /// # Errors
    /// What the plugin says of its settings; [`Error::Panicked`] when its
    /// constructor panicked.
    pub fn construct(&self, settings: &Value, setup: &Setup) -> Result<Plugin> {
        let settings = settings.to_string().into();
        let setup = serde_json::to_string(setup)
            .map_err(|error| Error::internal(error.to_string()))?
            .into();
        let enter_host = self.enter_host.clone();
        Ok(match self.descriptor.kind {
            PluginKind::SearchModule => {
                let module = self.export.search_module(settings, setup).into_result()?;
                Plugin::SearchModule(Arc::new(ForeignSearchModule { module, enter_host }))
            }
            PluginKind::Pipeline => {
                let pipeline = self.export.pipeline(settings, setup).into_result()?;
                Plugin::Pipeline(Arc::new(ForeignPipeline {
                    pipeline,
                    enter_host,
                }))
            }
            PluginKind::Adapter => {
                let adapter = self.export.adapter(settings, setup).into_result()?;
                Plugin::Adapter(Arc::new(ForeignAdapter {
                    adapter,
                    enter_host,
                }))
            }
            PluginKind::Enhancer => {
                let enhancer = self.export.enhancer(settings, setup).into_result()?;
                Plugin::Enhancer(Arc::new(ForeignEnhancer {
                    enhancer,
                    enter_host,
                }))
            }
            kind => {
                return Err(Error::internal(format!(
                    "a {} cannot be loaded, only linked",
                    kind.label()
                )));
            }
        })
    }
}

struct ForeignSearchModule {
    module: SearchModuleObject,
    enter_host: EnterHost,
}

impl DynSearchModule for ForeignSearchModule {
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Hit>>> {
        async move {
            let context_there = context_out(context, &self.enter_host);
            let outcome = self.module.search(request.into(), context_there).await;
            let hits: RVec<AbiHit> = received(outcome, context)?;
            Ok(unlist(hits))
        }
        .boxed()
    }
}

struct ForeignPipeline {
    pipeline: PipelineObject,
    enter_host: EnterHost,
}

impl DynPipeline for ForeignPipeline {
    fn run<'a>(
        &'a self,
        request: PipelineRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Answer>> {
        async move {
            let context_there = context_out(context, &self.enter_host);
            let outcome = self.pipeline.run(request.into(), context_there).await;
            Ok(received(outcome, context)?.into())
        }
        .boxed()
    }
}

struct ForeignAdapter {
    adapter: AdapterObject,
    enter_host: EnterHost,
}

impl DynAdapter for ForeignAdapter {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<RecordStream>> {
        async move {
            let context_there = context_out(context, &self.enter_host);
            let outcome = self.adapter.fetch(request.into(), context_there).await;
            let stream = received(outcome, context)?;
            Ok(RecordStream {
                total: stream.total.into(),
                records: records_in(stream.records),
            })
        }
        .boxed()
    }
}

struct ForeignEnhancer {
    enhancer: EnhancerObject,
    enter_host: EnterHost,
}

impl DynEnhancer for ForeignEnhancer {
    fn enhance<'a>(
        &'a self,
        entries: Vec<Entry>,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Vec<Enhanced>>> {
        async move {
            let context_there = context_out(context, &self.enter_host);
            let outcome = self.enhancer.enhance(list(entries), context_there).await;
            let enhanced: RVec<AbiEnhanced> = received(outcome, context)?;
            Ok(unlist(enhanced))
        }
        .boxed()
    }
}

/// Takes the notes of a call into its context, and gives its result.
fn received<T>(outcome: AbiOutcome<T>, context: &Context) -> Result<T> {
    let notes = outcome.diagnostics.into_iter();
    context.diagnostics.extend(notes.map(Into::into));
    outcome.result.into_result().map_err(Error::from)
}
