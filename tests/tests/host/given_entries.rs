//! Hits that come with an entry that the store does not hold.

use std::sync::LazyLock;

use gannet_api::{
    Condition, Context, DEFAULT_TENANT, Descriptor, Entry, Filter, FilterField, Hit, Level,
    NoSettings, Registration, Result, ScoreKind, SearchModule, SearchRequest, Setup,
};
use gannet_core::{SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::{Host, ids};
use serde_json::json;
use tokio::sync::Barrier;

/// Finds two documents of an archive and something that says it is the stored
/// entry `E1`, which a search for a brochure leaves out; asked for a misnamed
/// one, an entry under a wrong id too.
struct Archive;

impl SearchModule for Archive {
    const NAME: &'static str = "archive";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Archive", "Finds documents of an archive.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        let document = |id: &str, author: &str, score| {
            let time = "2024-01-05T08:30:00Z".parse().unwrap();
            let mut entry = Entry::new(id, "archive", time, format!("Manual {id} of the pump"));
            entry.author = author.to_owned();
            entry.tenant = "another".to_owned();
            entry.kind = "document".to_owned();
            Hit::of_entry(entry, score, ScoreKind::Other)
        };
        let mut misnamed = document("D3", "Lee", 0.2);
        misnamed.entry_id = "D4".to_owned();
        let mut hits = vec![document("D1", "Lee", 0.9), document("D2", "Ito", 0.8)];
        if !request.query.contains("brochure") {
            hits.push(document("E1", "Mallory", 0.5));
        }
        if request.query.contains("misnamed") {
            hits.push(misnamed);
        }
        Ok(hits)
    }
}

async fn host() -> Host {
    let linked = Registration::linked().copied();
    let archive = Registration::search_module::<Archive>("test", "1.0.0");
    let registry = Registry::of(linked.chain([archive])).unwrap();
    let settings = [
        ("search_modules.archive.enabled", "true"),
        ("pipelines.rag.retrieval_modules", "[archive]"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let entry = json!({"id": "E1", "text": "RF trip", "author": "Lee",
        "timestamp": "2024-01-06T08:30:00Z"});
    host.ingest_lines(&[entry]).await;
    host
}

async fn search(host: &Host, mode: &str, filter: Filter) -> SearchResult {
    ask(host, mode, "pump manual", filter).await
}

async fn ask(host: &Host, mode: &str, query: &str, filter: Filter) -> SearchResult {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    input.filter = filter;
    host.gannet.search(input).await.unwrap()
}

#[tokio::test]
async fn they_are_shown_as_entries_of_the_tenant_that_asks() {
    let host = host().await;
    let result = search(&host, "archive", Filter::none()).await;
    assert_eq!(ids(&result), ["D1", "D2", "E1"]);
    let first = &result.entries[0].entry;
    assert_eq!(first.raw_text, "Manual D1 of the pump");
    assert_eq!(
        (first.tenant.as_str(), first.kind.as_str()),
        (DEFAULT_TENANT, "document")
    );
}

#[tokio::test]
async fn they_are_opened_by_their_id_as_those_of_the_store() {
    let host = host().await;
    // Nothing was searched yet: the module is asked.
    let opened = host.gannet.entry(DEFAULT_TENANT, "D2").await.unwrap();
    assert_eq!(opened.unwrap().raw_text, "Manual D2 of the pump");
    search(&host, "archive", Filter::none()).await;
    let opened = host.gannet.entry(DEFAULT_TENANT, "D1").await.unwrap();
    assert_eq!(opened.unwrap().author, "Lee");
    let of_store = host.gannet.entry(DEFAULT_TENANT, "E1").await.unwrap();
    assert_eq!(of_store.unwrap().raw_text, "RF trip");
    assert!(
        host.gannet
            .entry(DEFAULT_TENANT, "D9")
            .await
            .unwrap()
            .is_none()
    );
}

/// Answers when two of it are asked at the same time.
struct Together;

static BOTH: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));

impl SearchModule for Together {
    const NAME: &'static str = "together";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Together", "Waits for another one.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        BOTH.wait().await;
        let time = "2024-01-05T08:30:00Z".parse().unwrap();
        let entry = Entry::new(&request.query, "archive", time, "A text without its id");
        Ok(vec![Hit::of_entry(entry, 1.0, ScoreKind::Other)])
    }
}

#[tokio::test]
async fn modules_are_asked_for_an_entry_side_by_side() {
    let linked = Registration::linked().copied();
    let together = Registration::search_module::<Together>("test", "1.0.0");
    let registry = Registry::of(linked.chain([together])).unwrap();
    let settings = [
        ("search_modules.together.enabled", "true"),
        ("search_modules.again", "{plugin: together, enabled: true}"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    let opened = host.gannet.entry(DEFAULT_TENANT, "T1").await.unwrap();
    assert_eq!(opened.unwrap().raw_text, "A text without its id");
}

#[tokio::test]
async fn a_stored_entry_says_what_the_store_says() {
    let host = host().await;
    let result = search(&host, "archive", Filter::none()).await;
    assert_eq!(result.entries[2].entry.author, "Lee");
    assert_eq!(result.entries[2].entry.raw_text, "RF trip");
}

#[tokio::test]
async fn the_filter_holds_for_them_and_an_entry_under_another_id_is_dropped() {
    let host = host().await;
    let result = ask(&host, "archive", "misnamed", of_lee()).await;
    assert_eq!(ids(&result), ["D1", "E1"]);
    let dropped = result
        .diagnostics
        .iter()
        .find(|one| one.source == "service.results");
    let dropped = &dropped.unwrap().message;
    assert!(dropped.contains("1 outside the filter"), "{dropped}");
    assert!(dropped.contains("1 of unknown entries"), "{dropped}");
}

fn of_lee() -> Filter {
    let lee = Condition::Equals("Lee".to_owned());
    Filter::none().and(FilterField::Author, lee)
}

#[tokio::test]
async fn one_that_the_filter_leaves_out_is_noted_and_is_no_fault() {
    let host = host().await;
    let result = search(&host, "archive", of_lee()).await;
    assert_eq!(ids(&result), ["D1", "E1"]);
    assert!(!result.degraded, "{:?}", result.diagnostics);
    let mut notes = result.diagnostics.iter();
    let note = notes.find(|one| one.source == "service.results").unwrap();
    assert_eq!(
        (note.level, note.category.as_deref()),
        (Level::Info, Some("filtered"))
    );
    let expected = "1 outside the filter and not in the store";
    assert!(note.message.contains(expected), "{}", note.message);
}

#[tokio::test]
async fn a_time_of_a_question_that_leaves_them_out_makes_no_result_partial() {
    let host = host().await;
    let result = ask(&host, "rag", "brochure in June 2019", Filter::none()).await;
    let mut notes = result.diagnostics.iter();
    let is_relaxed = notes.any(|note| note.category.as_deref() == Some("relaxed"));
    assert!(is_relaxed, "{:?}", result.diagnostics);
    assert!(!result.degraded, "{:?}", result.diagnostics);
}

#[tokio::test]
async fn a_pipeline_reads_and_cites_them() {
    let host = host().await;
    let result = search(&host, "rag", Filter::none()).await;
    assert!(
        result.citations.contains(&"D1".to_owned()),
        "{:?}",
        result.citations
    );
    assert!(result.answer.unwrap().contains("Manual D1 of the pump"));
}

#[tokio::test]
async fn the_matches_of_the_text_index_are_not_those_of_a_module_that_did_not_ask_it() {
    let host = host().await;
    let mut input = SearchInput::new("RF trip");
    input.counting.matches = true;
    for (mode, is_counted) in [("archive", false), ("keyword", true)] {
        input.mode = Some(mode.to_owned());
        let result = host.gannet.search(input.clone()).await.unwrap();
        assert_eq!(result.matches.is_some(), is_counted, "{mode}");
        assert_ne!(ids(&result), [""; 0], "{mode}");
    }
}
