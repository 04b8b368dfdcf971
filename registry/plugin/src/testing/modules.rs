//! The search modules of the fake host.

use std::sync::Arc;

use futures::future::{FutureExt, ready};

use super::fake_host::Script;
use gannet_api::{
    Call, Context, Descriptor, DynSearchModule, Error, Found, Hit, Provenance, Result,
    ResultFuture, SearchRequest,
};

/// How many modules may call each other in a row, as in the real host.
const MAX_DEPTH: u8 = 8;

/// A module under the name that it has in the configuration.
#[derive(Clone)]
pub(super) struct Module {
    pub(super) descriptor: Descriptor,
    pub(super) search: Arc<dyn DynSearchModule>,
}

/// A module that answers what a test says.
pub(super) struct ScriptedModule(pub(super) Script<SearchRequest, Found>);

impl DynSearchModule for ScriptedModule {
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Hit>> {
        let hits = (self.0)(&request).map(|found| {
            context.diagnostics.extend(found.diagnostics);
            found.hits
        });
        ready(hits).boxed()
    }
}

/// Asks a module as the real host does: a step deeper, no more hits than
/// wanted, and the module's name in the provenance of those that have none.
pub(super) async fn ask(
    module: &Module,
    request: SearchRequest,
    context: Context,
) -> Result<Found> {
    let limit = request.limit;
    let mut hits = module.search.search(request, &context).await?;
    hits.truncate(limit);
    for (rank, hit) in (1..).zip(&mut hits) {
        if hit.provenance.is_empty() {
            hit.provenance.push(Provenance::new(
                module.descriptor.name.clone(),
                rank,
                hit.score,
                hit.score_kind,
            ));
        }
    }
    Ok(Found::new(hits).with_diagnostics(context.diagnostics.take()))
}

/// The call one step further from the surface.
pub(super) fn deeper(call: &Call) -> Result<Call> {
    if call.depth >= MAX_DEPTH {
        return Err(Error::invalid_input(format!(
            "more than {MAX_DEPTH} modules call each other in a row"
        )));
    }
    let mut deeper = call.clone();
    deeper.depth += 1;
    Ok(deeper)
}
