//! Instances of a dylib as if they were linked in.

use abi_stable::std_types::RVec;
use futures::future::{BoxFuture, FutureExt};
use gannet_api::{
    Answer, Context, DynAdapter, DynEnhancer, DynPipeline, DynSearchModule, Enhanced, Entry, Error,
    FetchRequest, Health, Hit, PipelineRequest, PublishRequest, Published, RecordStream, Result,
    ResultFuture, SearchRequest,
};

use super::records::records_in;
use super::services::{EnterHost, context_out};
use crate::layout::{
    AbiEnhanced, AbiHit, complete_since_in, list, publish_out, published_in, unlist,
};
use crate::vtable::{
    AbiContext, AbiInstance, AbiOutcome, AdapterObject, EnhancerObject, LifecycleObject,
    PipelineObject, SearchModuleObject,
};

/// An instance: the calls of its kind, and its lifecycle.
pub(super) struct Foreign<T> {
    pub(super) calls: T,
    lifecycle: LifecycleObject,
    enter_host: EnterHost,
}

impl<T> Foreign<T> {
    pub(super) fn new(instance: AbiInstance<T>, enter_host: &EnterHost) -> Self {
        Self {
            calls: instance.calls,
            lifecycle: instance.lifecycle,
            enter_host: enter_host.clone(),
        }
    }

    /// A call's context for the other side.
    pub(super) fn context(&self, context: &Context) -> AbiContext {
        context_out(context, &self.enter_host)
    }

    pub(super) async fn start(&self, context: &Context) -> Result<()> {
        let started = self.lifecycle.start(self.context(context));
        received(started.await, context)
    }

    pub(super) async fn stop(&self) {
        if let Err(error) = self.lifecycle.stop().await.into_result() {
            tracing::warn!(
                "a plugin failed when it was stopped: {}",
                Error::from(error)
            );
        }
    }

    pub(super) async fn health(&self, context: &Context) -> Result<Health> {
        let health = self.lifecycle.health_json(self.context(context));
        let json = received(health.await, context)?;
        // A state that is younger than this host is not one that is healthy.
        Ok(serde_json::from_str(&json).unwrap_or_else(|_| Health::degraded(json)))
    }
}

/// Takes the notes of a call into its context, and gives its result.
pub(super) fn received<T>(outcome: AbiOutcome<T>, context: &Context) -> Result<T> {
    let notes = outcome.diagnostics.into_iter();
    context.diagnostics.extend(notes.map(Into::into));
    outcome.result.into_result().map_err(Error::from)
}

/// The lifecycle of an instance, whatever its kind.
macro_rules! foreign_lifecycle {
    () => {
        fn start<'a>(&'a self, context: &'a Context) -> ResultFuture<'a, ()> {
            Foreign::start(self, context).boxed()
        }

        fn stop(&self) -> BoxFuture<'_, ()> {
            Foreign::stop(self).boxed()
        }

        fn health<'a>(&'a self, context: &'a Context) -> ResultFuture<'a, Health> {
            Foreign::health(self, context).boxed()
        }
    };
}
pub(super) use foreign_lifecycle;

impl DynSearchModule for Foreign<SearchModuleObject> {
    foreign_lifecycle!();

    fn search<'a>(
        &'a self,
        request: SearchRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Hit>> {
        async move {
            let outcome = self.calls.search(request.into(), self.context(context));
            let hits: RVec<AbiHit> = received(outcome.await, context)?;
            Ok(unlist(hits))
        }
        .boxed()
    }
}

impl DynPipeline for Foreign<PipelineObject> {
    foreign_lifecycle!();

    fn run<'a>(
        &'a self,
        request: PipelineRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Answer> {
        async move {
            let outcome = self.calls.run(request.into(), self.context(context));
            Ok(received(outcome.await, context)?.into())
        }
        .boxed()
    }
}

impl DynAdapter for Foreign<AdapterObject> {
    foreign_lifecycle!();

    fn fetch<'a>(
        &'a self,
        request: FetchRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, RecordStream> {
        async move {
            let outcome = self.calls.fetch(request.into(), self.context(context));
            let stream = received(outcome.await, context)?;
            let complete_since = complete_since_in(&stream.extra_json);
            let records = RecordStream::new(records_in(stream.records));
            Ok(records
                .with_total(stream.total)
                .with_complete_since(complete_since))
        }
        .boxed()
    }

    fn publish<'a>(
        &'a self,
        request: PublishRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Published> {
        async move {
            let request = publish_out(request)?;
            let outcome = self.calls.publish(request, self.context(context));
            published_in(&received(outcome.await, context)?)
        }
        .boxed()
    }
}

impl DynEnhancer for Foreign<EnhancerObject> {
    foreign_lifecycle!();

    fn enhance<'a>(
        &'a self,
        entries: Vec<Entry>,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Enhanced>> {
        async move {
            let outcome = self.calls.enhance(list(entries), self.context(context));
            let enhanced: RVec<AbiEnhanced> = received(outcome.await, context)?;
            Ok(unlist(enhanced))
        }
        .boxed()
    }
}
