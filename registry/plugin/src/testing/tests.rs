#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod text_search;
mod vector_search;

use futures::StreamExt;
use pollster::block_on;

use super::*;
use gannet_api::{
    ChatChunk, ChatRequest, Condition, Deadline, Diagnostic, EmbedPurpose, EmbedRequest, Entry,
    Error, Filter, FilterField, Found, Hit, LateInteractionRequest, Matched, NoSettings,
    QuerySyntax, ReadRequest, ReadSpan, Reading, RerankRequest, RerankScore, Result, ScoreKind,
    SearchModule, SearchRequest, Setup, TextSearch, VectorSearch,
};

fn entry(id: &str, second: i64, text: &str) -> Entry {
    let time = jiff::Timestamp::from_second(second).unwrap();
    Entry::new(id, "log", time, text)
}

fn logbook() -> FakeHost {
    let mut of_others = entry("E9", 9, "RF tripped elsewhere");
    of_others.tenant = "ring-2".to_owned();
    let mut signed = entry("E3", 3, "RF tripped. RF reset, RF on");
    signed.author = "Smith".to_owned();
    FakeHost::default().with_entries([
        entry("E1", 1, "RF cavity tripped"),
        entry("E2", 2, "Surf's up; vacuum leak"),
        signed,
        of_others,
    ])
}

fn ids(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.entry_id.as_str()).collect()
}

fn text_search(request: TextSearch) -> Vec<Hit> {
    block_on(logbook().context().text_search(request)).unwrap()
}

fn near(vector: &[f32]) -> VectorSearch {
    VectorSearch::new(vector.to_vec(), 10).with_model("tiny".to_owned())
}

fn smith() -> Filter {
    let smith = Condition::Equals("smith".to_owned());
    Filter::none().and(FilterField::Author, smith)
}

#[test]
fn text_search_finds_entries_with_all_words_and_ranks_by_how_often() {
    let hits = text_search(TextSearch::new("rf \"TRIPPED\"", 10));

    assert_eq!(ids(&hits), ["E3", "E1"]);
    assert_eq!((hits[0].score, hits[0].score_kind), (4.0, ScoreKind::Bm25));
    assert!(text_search(TextSearch::new("rf leak", 10)).is_empty());
    assert_eq!(ids(&text_search(TextSearch::new("rf", 1))), ["E3"]);
}

#[test]
fn in_plain_syntax_any_word_counts() {
    let mut search = TextSearch::new("rf cavity leak", 10);
    search.syntax = QuerySyntax::Plain;

    let hits = text_search(search);

    assert_eq!(ids(&hits), ["E3", "E1", "E2"]);
    assert!(hits.iter().all(|hit| hit.matched == Matched::Some));
}

#[test]
fn text_search_keeps_to_the_filter_and_lists_by_time_without_words() {
    let mut search = TextSearch::new("rf", 10);
    search.filter = smith();
    assert_eq!(ids(&text_search(search)), ["E3"]);

    let mut listing = TextSearch::new(" ", 2);
    listing.filter = Filter::none().and(
        FilterField::SourceSystem,
        Condition::Equals("log".to_owned()),
    );
    let hits = text_search(listing);
    assert_eq!(ids(&hits), ["E3", "E2"]);
    assert_eq!(hits[0].score_kind, ScoreKind::None);

    assert!(text_search(TextSearch::new("", 10)).is_empty());
}

#[test]
fn highlights_are_the_places_of_the_words_where_they_are_wanted() {
    let host = FakeHost::default().with_entries([entry("E1", 1, "Über: RF, über RF-2")]);
    let mut search = TextSearch::new("ÜBER", 10);
    let without = block_on(host.context().text_search(search.clone())).unwrap();
    search.highlights = true;
    let with = block_on(host.context().text_search(search)).unwrap();

    assert!(without[0].highlights.is_empty());
    let highlight = &with[0].highlights[0];
    let marked: Vec<&str> = highlight
        .ranges
        .iter()
        .map(|&(start, end)| &highlight.text[start..end])
        .collect();
    assert_eq!(marked, ["Über", "über"]);
}

#[test]
fn entries_come_in_the_order_asked_without_unknown_ones_and_those_of_others() {
    let wanted = ["E3", "E8", "E9", "E1"].map(str::to_owned).to_vec();

    let entries = block_on(logbook().context().entries(wanted)).unwrap();

    let ids: Vec<&str> = entries.iter().map(|e| e.entry_id.as_str()).collect();
    assert_eq!(ids, ["E3", "E1"]);
}

/// Asks the module of its own name again, for ever.
struct Circle;

impl SearchModule for Circle {
    const NAME: &'static str = "circle";

    type Settings = NoSettings;

    fn descriptor() -> gannet_api::Descriptor {
        gannet_api::Descriptor::search_module(Self::NAME, "Circle", "Asks itself.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(
        &self,
        request: SearchRequest,
        context: &gannet_api::Context,
    ) -> Result<Vec<Hit>> {
        match request.query.as_str() {
            "again" => context.search_module("round", request).await,
            _ => {
                context.diagnose(Diagnostic::info("circle", "asked"));
                context
                    .text_search(TextSearch::new(request.query, 10))
                    .await
            }
        }
    }
}

#[test]
fn an_added_module_searches_this_host_and_signs_its_hits() {
    let host = logbook().with_search_module("round", Circle);
    let context = host.context();

    let request = SearchRequest::new("rf", 1);
    let hits = block_on(context.search_module("round", request)).unwrap();

    assert_eq!(ids(&hits), ["E3"]);
    assert_eq!(hits[0].provenance[0].module, "round");
    assert_eq!(hits[0].provenance[0].rank, 1);
    assert_eq!(context.diagnostics.take()[0].message, "asked");
    assert_eq!(host.calls().text_searches.len(), 1);
    assert_eq!(host.calls().search_modules[0].name, "round");
    assert_eq!(context.descriptors()[0].name, "round");
}

#[test]
fn modules_that_call_each_other_end_and_an_unknown_one_is_not_found() {
    let host = logbook().with_search_module("round", Circle);
    let ask = |name| {
        let request = SearchRequest::new("again", 1);
        block_on(host.context().search_module(name, request))
    };

    assert!(matches!(ask("round"), Err(Error::InvalidInput { .. })));
    let depths: Vec<u8> = host
        .calls()
        .search_modules
        .iter()
        .map(|module| module.call.depth)
        .collect();
    assert_eq!(depths, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(
        ask("square").unwrap_err(),
        Error::not_found("search module", "square")
    );
}

#[test]
fn a_scripted_module_answers_hits_notes_and_errors() {
    let down = Error::internal("down");
    let error = down.clone();
    let host =
        FakeHost::default()
            .on_search_module("notes", |request| {
                let hit = Hit::new(&request.query, "logbook", 0.5, ScoreKind::Cosine);
                Ok(Found::new(vec![hit; 5])
                    .with_diagnostics(vec![Diagnostic::warning("notes", "few")]))
            })
            .on_search_module("broken", move |_| Err(error.clone()));
    let context = host.context();
    let ask = |name| block_on(context.search_module(name, SearchRequest::new("E7", 2)));

    assert_eq!(ids(&ask("notes").unwrap()), ["E7", "E7"]);
    assert_eq!(context.diagnostics.take()[0].message, "few");
    assert_eq!(ask("broken"), Err(down));
    let names: Vec<String> = host
        .context()
        .descriptors()
        .iter()
        .map(|descriptor| descriptor.name.clone())
        .collect();
    assert_eq!(names, ["broken", "notes"]);
}

#[test]
fn scripts_count_before_what_the_host_holds() {
    let hit = |id: &'static str| {
        Ok(Found::new(vec![Hit::new(
            id,
            "logbook",
            1.0,
            ScoreKind::None,
        )]))
    };
    let context = logbook()
        .on_text_search(move |_| hit("T"))
        .on_vector_search(move |_| hit("V"))
        .on_embed(|request| Err(Error::internal(request.texts.concat())))
        .on_read(|request| {
            let span = ReadSpan::new(request.passages.len(), 0..2, 0.5);
            Ok(Reading::new(vec![span], 0.5))
        })
        .on_rerank(|request| {
            let score = RerankScore::new(request.documents.len(), 2.5);
            Ok(vec![score])
        })
        .context();

    let text = block_on(context.text_search(TextSearch::new("rf", 5))).unwrap();
    let vector = block_on(context.vector_search(near(&[1.0]))).unwrap();
    let embedded = block_on(context.embed(EmbedRequest::new(
        vec!["x".to_owned()],
        EmbedPurpose::Document,
    )));
    let scores = block_on(context.rerank(RerankRequest::new("rf", vec!["a".to_owned()])));
    let reading = block_on(context.read(ReadRequest::new("rf", Vec::new(), 9)));

    assert_eq!((ids(&text), ids(&vector)), (vec!["T"], vec!["V"]));
    assert_eq!(embedded, Err(Error::internal("x")));
    assert_eq!(scores.unwrap()[0].index, 1);
    assert_eq!(reading.unwrap().spans, [ReadSpan::new(0, 0..2, 0.5)]);
}

async fn chat(host: &FakeHost) -> Result<Vec<Result<ChatChunk>>> {
    let stream = host.context().chat(ChatRequest::default()).await?;
    Ok(stream.collect().await)
}

#[test]
fn chat_replies_one_after_another_and_then_fails() {
    let host = FakeHost::default().with_replies(["first", "second"]);
    let end = Ok(ChatChunk::End("stop".to_owned()));

    for reply in ["first", "second"] {
        let token = Ok(ChatChunk::Token(reply.to_owned()));
        assert_eq!(block_on(chat(&host)).unwrap(), [token, end.clone()]);
    }
    assert!(matches!(block_on(chat(&host)), Err(Error::Internal { .. })));
    assert_eq!(host.calls().chats.len(), 3);
}

#[test]
fn a_stream_can_break() {
    let chunks = vec![
        Ok(ChatChunk::Token("RF".to_owned())),
        Err(Error::internal("cut off")),
    ];
    let scripted = chunks.clone();
    let host = FakeHost::default().on_chat(move |_| Ok(scripted.clone()));

    assert_eq!(block_on(chat(&host)).unwrap(), chunks);
}

#[test]
fn without_scripts_there_is_no_provider_and_no_other_service() {
    let host = FakeHost::default();
    let context = testing_context();
    let request = RerankRequest::new(String::new(), Vec::new()).with_provider("cross".to_owned());

    let reranked = block_on(context.rerank(request)).unwrap_err();
    let chatted = block_on(chat(&host)).unwrap_err();
    let request = ReadRequest::new("rf", Vec::new(), 9).with_provider("hf_qa".to_owned());
    let read = block_on(host.context().read(request.clone())).unwrap_err();
    let called = block_on(context.host().call(&context.call, "x", Vec::new())).unwrap_err();

    let message = reranked.to_string();
    assert!(
        message.starts_with("no reranker named `cross`"),
        "{message}"
    );
    assert!(chatted.to_string().contains("FakeHost::on_chat"));
    let message = read.to_string();
    assert!(message.starts_with("no reader named `hf_qa`"), "{message}");
    assert!(message.contains("FakeHost::on_read"), "{message}");
    assert_eq!(host.calls().reads, [request]);
    assert_eq!(called, Error::missing_service("x"));
}

fn testing_context() -> gannet_api::Context {
    let context = super::context();
    assert_eq!(&*context.call.tenant, "default");
    assert!(context.call.deadline.remaining().is_none());
    context
}

#[test]
fn another_tenant_sees_its_own_entries() {
    let call = gannet_api::Call::new("test", "ring-2", Deadline::NEVER);
    let context = logbook().context_of(call);

    let hits = block_on(context.text_search(TextSearch::new("rf", 10))).unwrap();

    assert_eq!(ids(&hits), ["E9"]);
}

#[test]
fn scores_by_words_are_those_of_the_script_and_missing_without_one() {
    let request = LateInteractionRequest::new("rf", vec!["E1".to_owned(), "E2".to_owned()]);
    let context = testing_context();
    let scores = block_on(context.late_interaction(request.clone())).unwrap();
    assert_eq!(scores, [None, None]);
    let host = FakeHost::default().on_late_interaction(|asked| {
        assert_eq!(asked.query, "rf");
        Ok(vec![None, Some(0.25)])
    });
    let scores = block_on(host.context().late_interaction(request.clone())).unwrap();
    assert_eq!(scores, [None, Some(0.25)]);
    let host = FakeHost::default().on_late_interaction(|_| Ok(vec![None]));
    let refused = block_on(host.context().late_interaction(request)).unwrap_err();
    assert!(
        refused.to_string().contains("1 scores for 2 entries"),
        "{refused}"
    );
}
