//! One call of the author's code.

use std::future::Future;
use std::sync::Arc;

use async_ffi::FutureExt;
use gannet_api::{Context, Error};

use super::host::context_in;
use super::runtime::Workplace;
use crate::layout::{AbiError, list};
use crate::vtable::{AbiContext, AbiOutcome, AbiOutcomeFuture};

/// Runs a call of the author's code and sends its notes with its result.
pub(super) fn call<T, Work>(
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
