//! What instances keep in the store.

use gannet_api::{
    Context, Descriptor, Entry, Hit, NoSettings, Registration, Result, ScoreKind, SearchModule,
    SearchRequest, Setup,
};
use gannet_core::config::StoreKind;
use gannet_core::{Gannet, SearchInput};
use gannet_registry::Registry;
use gannet_tests::{Host, over_both_stores};
use jiff::Timestamp;

/// Finds an entry with the question before as its id, or `nothing`, and keeps
/// the question. `forget` forgets it, `big` and `long` keep too much.
struct Remembers;

impl SearchModule for Remembers {
    const NAME: &'static str = "remembers";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Remembers", "Finds what was asked before.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let query = request.query;
        let last = context.state("last").await?;
        match query.as_str() {
            "big" => context.set_state("last", Some("x".repeat(70_000))).await?,
            "long" => context.set_state("x".repeat(300), Some(query)).await?,
            "forget" => context.set_state("last", None).await?,
            _ => context.set_state("last", Some(query)).await?,
        }
        let last = last.unwrap_or("nothing".to_owned());
        let entry = Entry::new(last, "memory", Timestamp::UNIX_EPOCH, "text");
        Ok(vec![Hit::of_entry(entry, 1.0, ScoreKind::Other)])
    }
}

fn registry() -> Registry {
    let linked = Registration::linked().copied();
    let own = Registration::search_module::<Remembers>("test", "1.0.0");
    Registry::of(linked.chain([own])).unwrap()
}

const SETTINGS: [(&str, &str); 3] = [
    ("search_modules.remembers.enabled", "true"),
    ("search_modules.again.enabled", "true"),
    ("search_modules.again.plugin", "remembers"),
];

async fn host_on(kind: StoreKind) -> Option<Host> {
    Host::on_with_plugins(kind, &SETTINGS, &registry()).await
}

/// The question before, of this instance and tenant.
async fn ask(gannet: &Gannet, mode: &str, tenant: &str, question: &str) -> String {
    let mut input = SearchInput::new(question);
    input.mode = Some(mode.to_owned());
    tenant.clone_into(&mut input.tenant);
    let mut result = gannet.search(input).await.unwrap();
    result.entries.remove(0).entry.entry_id
}

over_both_stores![
    what_was_kept_is_there_in_the_next_call,
    instances_and_tenants_have_their_own,
];

async fn what_was_kept_is_there_in_the_next_call(kind: StoreKind) {
    let Some(host) = host_on(kind).await else {
        return;
    };
    let gannet = &host.gannet;
    assert_eq!(ask(gannet, "remembers", "default", "A").await, "nothing");
    assert_eq!(ask(gannet, "remembers", "default", "forget").await, "A");
    assert_eq!(ask(gannet, "remembers", "default", "B").await, "nothing");
}

async fn instances_and_tenants_have_their_own(kind: StoreKind) {
    let Some(host) = host_on(kind).await else {
        return;
    };
    let gannet = &host.gannet;
    ask(gannet, "remembers", "default", "A").await;
    assert_eq!(ask(gannet, "again", "default", "B").await, "nothing");
    assert_eq!(ask(gannet, "remembers", "other", "C").await, "nothing");
    assert_eq!(ask(gannet, "remembers", "default", "D").await, "A");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_outlives_the_process_and_has_limits() {
    let host = host_on(StoreKind::Embedded).await.unwrap();
    ask(&host.gannet, "remembers", "default", "B").await;
    for (question, said) in [
        ("big", "the value of `last` is 70000 bytes"),
        ("long", "a key of the state"),
    ] {
        let mut input = SearchInput::new(question);
        input.mode = Some("remembers".to_owned());
        let error = host.gannet.search(input).await.unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let config = host.gannet.config().clone();
    host.gannet.close().await.unwrap();
    let again = Gannet::open_with(config, &registry()).await.unwrap();
    assert_eq!(ask(&again, "remembers", "default", "A").await, "B");
    again.close().await.unwrap();
}
