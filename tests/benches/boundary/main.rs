//! What the boundary of plugins costs: the same plugin linked in, loaded, and
//! loaded with JSON instead of typed data.
//!
//! `cargo bench -p gannet-tests --bench boundary`. Nothing is searched: the
//! modules make their hits out of nothing, so what is seen is the call. The
//! host answers at once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod host;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use divan::{Bencher, black_box};
use futures::FutureExt;
use gannet_api::{
    Call, Context, DEFAULT_TENANT, Deadline, DynSearchModule, Hit, Plugin, PluginKind, QueryPlan,
    Registration, SearchRequest, Setup,
};
use gannet_registry::Registry;
use gannet_registry::loading::{DylibWish, preflight};
use gannet_test_inline::AskedHits;
use gannet_tests::dylibs::{PluginFolder, file_name};
use host::VectorHost;
use serde_json::json;

const INLINE: &str = "gannet_test_inline";
const TOKIO: &str = "gannet_test_tokio";
const HITS: [usize; 3] = [0, 10, 100];

fn main() {
    divan::main();
}

/// Hits as the keyword module gives them.
#[divan::bench_group]
mod plain_hits {
    use super::*;

    #[divan::bench(args = HITS)]
    fn linked(bencher: Bencher<'_, '_>, hits: usize) {
        give(bencher, &LINKED.giving, hits, false);
    }

    #[divan::bench(args = HITS)]
    fn loaded(bencher: Bencher<'_, '_>, hits: usize) {
        give(bencher, &LOADED.giving, hits, false);
    }

    #[divan::bench(args = HITS)]
    fn loaded_as_json(bencher: Bencher<'_, '_>, hits: usize) {
        give_json(bencher, hits, false);
    }
}

/// Hits with all that a hit can have.
#[divan::bench_group]
mod rich_hits {
    use super::*;

    #[divan::bench(args = HITS)]
    fn linked(bencher: Bencher<'_, '_>, hits: usize) {
        give(bencher, &LINKED.giving, hits, true);
    }

    #[divan::bench(args = HITS)]
    fn loaded(bencher: Bencher<'_, '_>, hits: usize) {
        give(bencher, &LOADED.giving, hits, true);
    }

    #[divan::bench(args = HITS)]
    fn loaded_as_json(bencher: Bencher<'_, '_>, hits: usize) {
        give_json(bencher, hits, true);
    }
}

/// Ten plain hits for a question with a plan, the same for every call, as for
/// the modules of one search.
#[divan::bench_group]
mod planned_question {
    use super::*;

    #[divan::bench]
    fn linked(bencher: Bencher<'_, '_>) {
        give_request(bencher, &LINKED.giving, &planned());
    }

    #[divan::bench]
    fn loaded(bencher: Bencher<'_, '_>) {
        give_request(bencher, &LOADED.giving, &planned());
    }
}

/// A module that asks the host for a vector of 384 numbers.
#[divan::bench_group]
mod host_gives_a_vector {
    use super::*;

    #[divan::bench]
    fn linked(bencher: Bencher<'_, '_>) {
        give(bencher, &LINKED.embedding, 10, false);
    }

    #[divan::bench]
    fn loaded(bencher: Bencher<'_, '_>) {
        give(bencher, &LOADED.embedding, 10, false);
    }

    #[divan::bench]
    fn loaded_as_json(bencher: Bencher<'_, '_>) {
        give(bencher, &LOADED.embedding_json, 10, false);
    }
}

/// A call of a plugin that has a runtime of its own, which sleeps for 0 ms: the
/// way to its thread and back.
#[divan::bench]
fn call_on_a_runtime_of_its_own(bencher: Bencher<'_, '_>) {
    let module = of_file(TOKIO, "lasting");
    bencher.bench_local(|| {
        let search = module.search(SearchRequest::new("", 0), &CONTEXT);
        pollster::block_on(search).unwrap()
    });
}

/// One file, from its bytes on the disk to its plugins in the registry. Each
/// stays in memory, so there are not many.
#[divan::bench_group(sample_count = 60, sample_size = 1)]
mod one_file {
    use super::*;

    #[divan::bench]
    fn checked(bencher: Bencher<'_, '_>) {
        let (folder, wish) = (folder(INLINE), wish(INLINE));
        bencher.bench_local(|| preflight(&wish, &folder.rules()).unwrap());
    }

    #[divan::bench]
    fn checked_and_loaded(bencher: Bencher<'_, '_>) {
        let (folder, file) = (folder(INLINE), file_name(INLINE));
        bencher.bench_local(|| folder.load(&[&file]));
    }
}

fn give(bencher: Bencher<'_, '_>, module: &Arc<dyn DynSearchModule>, hits: usize, rich: bool) {
    give_request(bencher, module, &request(hits, rich));
}

fn give_request(
    bencher: Bencher<'_, '_>,
    module: &Arc<dyn DynSearchModule>,
    asked: &SearchRequest,
) {
    bencher
        .with_inputs(|| asked.clone())
        .bench_local_values(|request| call(module, request));
}

fn give_json(bencher: Bencher<'_, '_>, hits: usize, rich: bool) {
    let request = request(hits, rich);
    let asked = AskedHits {
        query: request.query,
        limit: request.limit,
        params: request.params,
    };
    bencher
        .with_inputs(|| asked.clone())
        .bench_local_values(|asked| {
            let text = serde_json::to_string(&asked).unwrap();
            let hit = call(&LOADED.giving_json, SearchRequest::new(text, 1)).remove(0);
            serde_json::from_str::<Vec<Hit>>(&hit.entry_id).unwrap()
        });
}

/// Calls a module that never waits, without an executor.
fn call(module: &Arc<dyn DynSearchModule>, request: SearchRequest) -> Vec<Hit> {
    let search = module.search(black_box(request), &CONTEXT);
    search.now_or_never().unwrap().unwrap()
}

fn request(hits: usize, rich: bool) -> SearchRequest {
    let mut request = SearchRequest::new("rf cavity reflected power", hits);
    if rich {
        request.params.insert("rich".to_owned(), json!(true));
    }
    request
}

fn planned() -> SearchRequest {
    let request = request(10, false);
    let mut plan = QueryPlan::default()
        .with_text(request.query.clone())
        .with_notes(vec!["the question is searched as it is".to_owned()]);
    plan.terms = request.query.split(' ').map(str::to_owned).collect();
    request.with_plan(Arc::new(plan))
}

static CONTEXT: LazyLock<Context> = LazyLock::new(|| {
    let deadline = Deadline::after(Duration::from_secs(3600));
    let call = Call::new("request-1", DEFAULT_TENANT, deadline);
    Context::new(call, Arc::new(VectorHost::new(384)))
});

/// The modules that are called.
struct Modules {
    giving: Arc<dyn DynSearchModule>,
    giving_json: Arc<dyn DynSearchModule>,
    embedding: Arc<dyn DynSearchModule>,
    embedding_json: Arc<dyn DynSearchModule>,
}

impl Modules {
    fn of(module: impl Fn(&str) -> Arc<dyn DynSearchModule>) -> Self {
        Self {
            giving: module("giving"),
            giving_json: module("giving_json"),
            embedding: module("embedding"),
            embedding_json: module("embedding_json"),
        }
    }
}

static LINKED: LazyLock<Modules> = LazyLock::new(|| Modules::of(linked));
static LOADED: LazyLock<Modules> = LazyLock::new(|| Modules::of(|name| of_file(INLINE, name)));

fn linked(name: &str) -> Arc<dyn DynSearchModule> {
    let registration = Registration::linked()
        .find(|registration| (registration.describe)().name == name)
        .unwrap();
    module(
        registration
            .construct(json!({}), &Setup::default())
            .unwrap(),
    )
}

fn of_file(library: &str, name: &str) -> Arc<dyn DynSearchModule> {
    let registry: Registry = folder(library).load(&[&file_name(library)]);
    assert_eq!(registry.files()[0].reason, None);
    let registered = registry.get(PluginKind::SearchModule, name).unwrap();
    module(registered.construct(json!({}), &Setup::default()).unwrap())
}

fn module(plugin: Plugin) -> Arc<dyn DynSearchModule> {
    match plugin {
        Plugin::SearchModule(module) => module,
        _ => panic!("it is a search module"),
    }
}

fn folder(library: &str) -> PluginFolder {
    let folder = PluginFolder::new();
    folder.put(library);
    folder
}

fn wish(library: &str) -> DylibWish {
    DylibWish::of(file_name(library))
}
