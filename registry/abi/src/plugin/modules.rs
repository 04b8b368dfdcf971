//! Search modules, pipelines, adapters and enhancers of the author's as
//! objects that answer over the boundary.

use std::sync::Arc;

use abi_stable::sabi_trait::TD_Opaque;
use abi_stable::std_types::{RString, RVec};
use gannet_api::{DynAdapter, DynEnhancer, DynPipeline, DynSearchModule, Entry};

use super::call::call;
use super::records::RecordsExport;
use super::runtime::Owned;
use crate::layout::{
    AbiAnswer, AbiEnhanced, AbiEntry, AbiFetchRequest, AbiHit, AbiPipelineRequest,
    AbiSearchRequest, complete_since_out, list, publish_in, published_out,
};
use crate::vtable::{
    AbiAdapter, AbiContext, AbiEnhancer, AbiOutcomeFuture, AbiPipeline, AbiRecordStream,
    AbiRecords_TO, AbiSearchModule,
};

pub(super) struct SearchModuleExport(pub(super) Owned<Arc<dyn DynSearchModule>>);

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

pub(super) struct PipelineExport(pub(super) Owned<Arc<dyn DynPipeline>>);

impl AbiPipeline for PipelineExport {
    fn run(&self, request: AbiPipelineRequest, context: AbiContext) -> AbiOutcomeFuture<AbiAnswer> {
        let pipeline = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let answer = pipeline?.run(request.try_into()?, &context).await?;
            Ok(answer.into())
        })
    }
}

pub(super) struct AdapterExport(pub(super) Owned<Arc<dyn DynAdapter>>);

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
                extra_json: complete_since_out(stream.complete_since),
            })
        })
    }

    fn publish(&self, request_json: RString, context: AbiContext) -> AbiOutcomeFuture<RString> {
        let adapter = self.0.share();
        call(self.0.workplace(), context, |context| async move {
            let request = publish_in(&request_json)?;
            published_out(&adapter?.publish(request, &context).await?)
        })
    }
}

pub(super) struct EnhancerExport(pub(super) Owned<Arc<dyn DynEnhancer>>);

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
