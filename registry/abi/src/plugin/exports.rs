//! The author's types as objects that answer over the boundary.

use std::future::Future;
use std::sync::Arc;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RString, RVec};
use async_ffi::FutureExt;
use gannet_api::{
    Context, Descriptor, DynAdapter, DynEnhancer, DynPipeline, DynSearchModule, Entry, Error,
    Plugin, PluginKind, Registration, Setup,
};

use super::host::context_in;
use super::records::RecordsExport;
use super::runtime::{Owned, Workplace};
use crate::contain::contained;
use crate::layout::{
    AbiAnswer, AbiEnhanced, AbiEntry, AbiError, AbiFetchRequest, AbiHit, AbiPipelineRequest,
    AbiResult, AbiSearchRequest, list, read_slot,
};
use crate::vtable::{
    AbiAdapter, AbiAdapter_TO, AbiContext, AbiEnhancer, AbiEnhancer_TO, AbiExport, AbiOutcome,
    AbiOutcomeFuture, AbiPipeline, AbiPipeline_TO, AbiRecordStream, AbiRecords_TO, AbiSearchModule,
    AbiSearchModule_TO, AdapterObject, EnhancerObject, PipelineObject, SearchModuleObject,
};

/// One registration of this image.
pub(super) struct Export {
    registration: Registration,
    descriptor: Descriptor,
    workplace: Arc<Workplace>,
}

impl Export {
    /// Asks the plugin what it is.
    pub(super) fn new(
        registration: Registration,
        workplace: &Arc<Workplace>,
    ) -> Result<Self, Error> {
        Ok(Self {
            registration,
            descriptor: contained(registration.describe)?,
            workplace: workplace.clone(),
        })
    }

    pub(super) fn place(&self) -> (PluginKind, &str) {
        (self.descriptor.kind, &self.descriptor.name)
    }

    fn construct(&self, settings: &str, setup: &str) -> Result<Plugin, Error> {
        let settings = serde_json::from_str(settings)
            .map_err(|error| Error::internal(format!("the settings are not JSON: {error}")))?;
        let setup: Setup = read_slot("the setup", setup)?;
        self.workplace
            .run_now(|| self.registration.construct(settings, &setup))?
    }

    fn of_another_kind<T>(&self, asked: PluginKind) -> AbiResult<T> {
        let error = Error::internal(format!(
            "`{}` is a {} and no {}",
            self.descriptor.name,
            self.descriptor.kind.label(),
            asked.label()
        ));
        AbiResult::RErr(error.into())
    }
}

/// Writes the constructor of one kind.
macro_rules! constructor {
    ($name:ident, $variant:ident, $export:ident, $trait_object:ident, $object:ident) => {
        fn $name(&self, settings: RString, setup: RString) -> AbiResult<$object> {
            match self.construct(&settings, &setup) {
                Ok(Plugin::$variant(plugin)) => {
                    let export = $export(Owned::new(plugin, &self.workplace));
                    AbiResult::ROk($trait_object::from_value(export, TD_Opaque))
                }
                Ok(_) => self.of_another_kind(PluginKind::$variant),
                Err(error) => AbiResult::RErr(error.into()),
            }
        }
    };
}

impl AbiExport for Export {
    fn descriptor_json(&self) -> AbiResult<RString> {
        serde_json::to_string(&self.descriptor)
            .map(RString::from)
            .map_err(|error| AbiError::from(Error::internal(error.to_string())))
            .into()
    }

    constructor!(
        search_module,
        SearchModule,
        SearchModuleExport,
        AbiSearchModule_TO,
        SearchModuleObject
    );
    constructor!(
        pipeline,
        Pipeline,
        PipelineExport,
        AbiPipeline_TO,
        PipelineObject
    );
    constructor!(
        adapter,
        Adapter,
        AdapterExport,
        AbiAdapter_TO,
        AdapterObject
    );
    constructor!(
        enhancer,
        Enhancer,
        EnhancerExport,
        AbiEnhancer_TO,
        EnhancerObject
    );
}

struct SearchModuleExport(Owned<Arc<dyn DynSearchModule>>);

impl AbiSearchModule for SearchModuleExport {
    fn search(
        &self,
        request: AbiSearchRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiHit>> {
        let module = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let hits = module?.search(request.try_into()?, &context).await?;
            Ok(list(hits))
        })
    }
}

struct PipelineExport(Owned<Arc<dyn DynPipeline>>);

impl AbiPipeline for PipelineExport {
    fn run(&self, request: AbiPipelineRequest, context: AbiContext) -> AbiOutcomeFuture<AbiAnswer> {
        let pipeline = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let answer = pipeline?.run(request.try_into()?, &context).await?;
            Ok(answer.into())
        })
    }
}

struct AdapterExport(Owned<Arc<dyn DynAdapter>>);

impl AbiAdapter for AdapterExport {
    fn fetch(
        &self,
        request: AbiFetchRequest,
        context: AbiContext,
    ) -> AbiOutcomeFuture<AbiRecordStream> {
        let adapter = self.0.share();
        let workplace = self.0.workplace().clone();
        call(self.0.workplace(), context, |context| async move {
            let stream = adapter?.fetch(request.try_into()?, &context).await?;
            let records = RecordsExport::new(stream.records, &workplace);
            Ok(AbiRecordStream {
                total: stream.total.into(),
                records: AbiRecords_TO::from_value(records, TD_Opaque),
                extra_json: RString::new(),
            })
        })
    }
}

struct EnhancerExport(Owned<Arc<dyn DynEnhancer>>);

impl AbiEnhancer for EnhancerExport {
    fn enhance(
        &self,
        entries: RVec<AbiEntry>,
        context: AbiContext,
    ) -> AbiOutcomeFuture<RVec<AbiEnhanced>> {
        let enhancer = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let entries = entries
                .into_iter()
                .map(Entry::try_from)
                .collect::<Result<_, _>>()?;
            Ok(list(enhancer?.enhance(entries, &context).await?))
        })
    }
}

/// Runs a call of the author's code and sends its notes with its result.
fn call<T, Work>(
    workplace: &Arc<Workplace>,
    context: AbiContext,
    work: impl FnOnce(Context) -> Work,
) -> AbiOutcomeFuture<T>
where
    T: Send + 'static,
    Work: Future<Output = Result<T, Error>> + Send + 'static,
{
    let context = context_in(context);
    let diagnostics = context.diagnostics.clone();
    let running = workplace.clone().run(work(context));
    async move {
        let result = running.await.map_err(AbiError::from);
        AbiOutcome {
            result: result.into(),
            diagnostics: list(diagnostics.take()),
        }
    }
    .into_ffi()
}
