//! A search module and a pipeline that answer what the question says, and a
//! host with three entries of two authors.

use gannet_api::{
    Answer, AnswerStatus, Condition, Context, Descriptor, Diagnostic, Error, Event, Filter,
    FilterField, Highlight, Hit, NoSettings, Pipeline, PipelineRequest, Registration, Result,
    ScoreKind, SearchModule, SearchRequest, Setup, TextSearch, limits,
};
use gannet_core::{HostError, SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::Host;

/// More than anything that a plugin returns may have.
pub const HUGE: usize = 100 * 1024 * 1024;

/// Answers what the question says.
pub struct Rogue;

impl SearchModule for Rogue {
    const NAME: &'static str = "rogue";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Rogue", "Answers what the question says.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let hits = |ids: &[&str]| ids.iter().map(|id| hit(id, 1.0)).collect();
        match request.query.as_str() {
            "without the filter" => context.text_search(TextSearch::new("cavity", 9)).await,
            "out of nothing" => Ok(hits(&["A-1", "A-2", "B-1"])),
            "by the limit" => {
                let all = ["B-1", "A-1", "A-2"];
                Ok(hits(&all[..request.limit.min(all.len())]))
            }
            "by the limit, once" => match request.limit {
                2 => Ok(hits(&["B-1", "A-1"])),
                _ => Err(Error::internal("no more")),
            },
            "no finite scores" => Ok(vec![
                hit("A-1", f64::NAN),
                hit("A-2", f64::INFINITY),
                hit("B-1", 1.0),
            ]),
            "unknown" => Ok(hits(&["A-1", "gone", ""])),
            "twice" => Ok(hits(&["A-1", "A-1", "A-2"])),
            "a huge error" => Err(Error::internal("x".repeat(HUGE))),
            "a huge note" => {
                context.diagnose(Diagnostic::warning("rogue", "x".repeat(HUGE)));
                Ok(hits(&["A-1"]))
            }
            "a million notes" => {
                for number in 0..1_000_000 {
                    context.diagnose(Diagnostic::info("rogue", number.to_string()));
                }
                Ok(hits(&["A-1"]))
            }
            "a huge hit" => {
                let mut hit = hit("A-1", 1.0);
                hit.highlights
                    .push(Highlight::new("x".repeat(HUGE), vec![(0, HUGE)]));
                hit.explain = Some("x".repeat(limits::EXPLANATION_BYTES).into());
                Ok(vec![hit])
            }
            "itself" => {
                let again = || context.search_module("rogue", request.clone());
                let all = futures::future::join_all((0..8).map(|_| again()));
                all.await.into_iter().collect::<Result<Vec<_>>>()?;
                Ok(Vec::new())
            }
            other => panic!("`{other}` is not a way to answer"),
        }
    }
}

/// Answers what the question says, with words.
pub struct RogueTale;

impl Pipeline for RogueTale {
    const NAME: &'static str = "rogue_tale";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Tale", "Answers what the question says.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let mut search = TextSearch::new("cavity", 9);
        if request.query != "of another author" {
            search.filter = request.filter.clone();
        }
        let hits = context.text_search(search).await?;
        let citation = |id: &str| Event::Citation {
            entry_id: id.to_owned(),
        };
        let (text, cited): (&str, &[&str]) = match request.query.as_str() {
            "of another author" => ("It tripped [#A-1]. It was reset [#B-1].", &["A-1", "B-1"]),
            "out of nothing" => ("It tripped [#A-1]. It was reset [#Z-9].", &["A-1", "Z-9"]),
            "only in the text" => ("It tripped [#A-1]. It was reset [#Z-9].", &["A-1"]),
            "nothing that was given" => ("It was reset [#Z-9].", &["Z-9"]),
            "no citations" => ("It was reset.", &[]),
            "as it should" => ("It tripped [#A-1].", &["A-1"]),
            "sure" | "too sure" => ("It tripped and was reset [#A-1].", &["A-1"]),
            "sure of a secret" => ("It tripped, password: hunter2 [#A-1].", &["A-1"]),
            "sure of nothing that was given" => {
                ("It tripped [#Z-9]. It was reset [#A-1].", &["A-1"])
            }
            "events" => {
                for event in [citation("A-1"), citation("Z-9"), Event::End, Event::End] {
                    context.emit(event);
                }
                ("It tripped [#A-1].", &["A-1"])
            }
            "an error" => {
                context.emit(Event::End);
                return Err(Error::internal("broken"));
            }
            "a huge answer" => {
                return Ok(Answer::default()
                    .with_answer("x".repeat(HUGE))
                    .with_reasoning("y".repeat(HUGE))
                    .with_pipeline_details(serde_json::Value::from(
                        "z".repeat(limits::DETAILS_BYTES),
                    )));
            }
            other => panic!("`{other}` is not a way to answer"),
        };
        let cited: Vec<String> = cited.iter().map(|id| (*id).to_owned()).collect();
        let mut answer = Answer::new(hits)
            .with_answer(text.to_owned())
            .with_answer_status(AnswerStatus::Grounded)
            .with_sources(cited.clone())
            .with_citations(cited);
        if request.query.contains("sure") {
            let words = ["tripped", " [#Z-9]", "reset"];
            let of = |word: &str| text.find(word).map(|at| at..at + word.len());
            let words = words.into_iter().filter_map(of);
            answer = answer.with_answer_highlights(words.collect());
            answer.answer_confidence = Some(0.92);
        }
        if request.query == "too sure" {
            answer = answer.with_answer_confidence(9.2);
            answer.answer_highlights.push(28..99);
        }
        Ok(answer)
    }
}

fn hit(id: &str, score: f64) -> Hit {
    Hit::new(id, "logbook", score, ScoreKind::Linear)
}

/// A host with both, and `rag` over `rogue` and `keyword`: are by
/// Anna, B-1 is by Bo.
pub async fn host() -> Host {
    host_with(&[]).await
}

/// The same with these keys set too.
pub async fn host_with(more: &[(&str, &str)]) -> Host {
    let own = [
        Registration::search_module::<Rogue>("test", "1.0.0"),
        Registration::pipeline::<RogueTale>("test", "1.0.0"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let mut settings = vec![
        ("search_modules.rogue.enabled", "true"),
        ("pipelines.rogue_tale.enabled", "true"),
        ("pipelines.rag.retrieval_modules", "[keyword, rogue]"),
    ];
    settings.extend(more);
    let host = Host::with_plugins(&settings, &registry).await;
    let entry = |id: &str, author: &str| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        let mut entry = gannet_api::Entry::new(id, "test", time, "The cavity tripped.");
        entry.author = author.to_owned();
        entry
    };
    let entries = vec![
        entry("A-1", "Anna"),
        entry("A-2", "Anna"),
        entry("B-1", "Bo"),
    ];
    host.gannet.store().upsert(entries).await.unwrap();
    host.gannet.store().flush().await.unwrap();
    host
}

/// A question to a mode, among entries of Anna.
pub fn of_anna(mode: &str, query: &str) -> SearchInput {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    let by_anna = Condition::Contains("anna".to_owned());
    input.filter = Filter::none().and(FilterField::Author, by_anna);
    input
}

/// Asks a mode among entries of Anna.
pub async fn ask(mode: &str, query: &str) -> std::result::Result<SearchResult, HostError> {
    host().await.gannet.search(of_anna(mode, query)).await
}
