//! Whatever is registered and on can be searched with, by its name.

use std::time::Duration;

use gannet_api::{
    Context, Descriptor, Error, Hit, NoSettings, Registration, Result, ScoreKind, SearchModule,
    SearchRequest, Setup,
};
use gannet_core::{HostError, SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::{Host, StoreKind, over_both_stores};

over_both_stores!(
    a_custom_search_module_is_a_mode_by_being_on,
    a_custom_search_module_takes_part_in_rag,
    a_mode_is_named_without_regard_to_case_and_blanks,
    an_unknown_mode_is_refused_with_the_nearest_and_all_there_are,
    a_module_that_panics_is_an_error_with_its_text,
    a_module_that_hangs_or_blocks_ends_at_the_deadline,
    a_module_that_calls_itself_is_refused_after_a_few_turns,
    a_parameter_that_the_mode_does_not_have_is_refused,
    a_blank_question_without_a_filter_finds_nothing_and_is_no_error,
);

/// Finds the entry whose id is the query.
struct ById;

impl SearchModule for ById {
    const NAME: &'static str = "by_id";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "By id", "Finds the entry with this id.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        match request.query.as_str() {
            "panic" => panic!("asked to"),
            "hang" => std::future::pending().await,
            "block" => {
                std::thread::sleep(Duration::from_millis(400));
                Ok(Vec::new())
            }
            "circle" => context.search_module("by_id", request).await,
            id => Ok(vec![
                Hit::new(id, "logbook", 2.0, ScoreKind::Linear),
                Hit::new("not-there", "logbook", 1.0, ScoreKind::Linear),
            ]),
        }
    }
}

/// A host with the module beside the built-in ones, and one entry.
async fn fixture(kind: StoreKind) -> Option<Host> {
    let registry = Registry::of(
        Registration::linked()
            .copied()
            .chain([Registration::search_module::<ById>("test", "1.0.0")]),
    )
    .unwrap();
    let settings = [
        ("search_modules.by_id.enabled", "true"),
        ("pipelines.rag.retrieval_modules", "[keyword, by_id]"),
    ];
    let host = Host::on_with_plugins(kind, &settings, &registry).await?;
    let entry = gannet_api::Entry::new(
        "A-1",
        "test",
        "2025-03-01T08:00:00Z".parse().unwrap(),
        "cavity tripped",
    );
    host.gannet.store().upsert(vec![entry]).await.unwrap();
    host.gannet.store().flush().await.unwrap();
    Some(host)
}

async fn search(
    fixture: &Host,
    mode: &str,
    query: &str,
) -> std::result::Result<SearchResult, HostError> {
    search_within(fixture, mode, query, Duration::from_secs(60)).await
}

async fn search_within(
    fixture: &Host,
    mode: &str,
    query: &str,
    timeout: Duration,
) -> std::result::Result<SearchResult, HostError> {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    input.timeout = Some(timeout);
    fixture.gannet.search(input).await
}

async fn a_custom_search_module_is_a_mode_by_being_on(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let result = search(&fixture, "by_id", "A-1").await.unwrap();
    assert_eq!(result.search_modes_used, ["by_id"]);
    assert_eq!(result.entries.len(), 1);
    assert_eq!(result.entries[0].entry.raw_text, "cavity tripped");
    assert_eq!(result.entries[0].provenance[0].module, "by_id");
}

async fn a_custom_search_module_takes_part_in_rag(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let mut input = SearchInput::new("A-1");
    input.mode = Some("rag".to_owned());
    let result = fixture.gannet.search(input).await.unwrap();
    let modules: Vec<&str> = result.entries[0]
        .provenance
        .iter()
        .map(|provenance| provenance.module.as_str())
        .collect();
    assert!(modules.contains(&"by_id"), "{modules:?}");
}

async fn a_mode_is_named_without_regard_to_case_and_blanks(kind: StoreKind) {
    let Some(host) = fixture(kind).await else {
        return;
    };
    let result = host.search(" Keyword ", "circulator").await;
    assert_eq!(result.mode, "keyword");
}

async fn an_unknown_mode_is_refused_with_the_nearest_and_all_there_are(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let error = search(&fixture, "keywrd", "x")
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("did you mean `keyword`?"), "{error}");
    assert!(error.contains("rag"), "{error}");
}

async fn a_module_that_panics_is_an_error_with_its_text(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let error = search(&fixture, "by_id", "panic").await.err().unwrap();
    assert!(
        matches!(&error, HostError::Plugin(Error::Panicked { message, .. }) if message.contains("asked to"))
    );
}

async fn a_module_that_hangs_or_blocks_ends_at_the_deadline(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    for query in ["hang", "block"] {
        let error = search_within(&fixture, "by_id", query, Duration::from_millis(100))
            .await
            .err()
            .unwrap();
        assert!(
            matches!(error, HostError::Plugin(Error::Timeout { .. })),
            "{query}: {error}"
        );
    }
}

async fn a_module_that_calls_itself_is_refused_after_a_few_turns(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let error = search(&fixture, "by_id", "circle")
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("circle"), "{error}");
}

async fn a_parameter_that_the_mode_does_not_have_is_refused(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    let mut input = SearchInput::new("x");
    input.mode = Some("keyword".to_owned());
    input.params.insert("fuzy".to_owned(), true.into());
    let error = fixture
        .gannet
        .search(input)
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("`fuzy`") && error.contains("fuzzy_fallback"),
        "{error}"
    );
}

async fn a_blank_question_without_a_filter_finds_nothing_and_is_no_error(kind: StoreKind) {
    let Some(fixture) = fixture(kind).await else {
        return;
    };
    for mode in ["keyword", "rag", "by_id"] {
        let result = search(&fixture, mode, " \t\n").await.unwrap();
        assert!(result.entries.is_empty(), "{mode}");
    }
}
