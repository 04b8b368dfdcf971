//! What questions find while the vectors of a new embedding model are made.

use gannet_core::api::{
    Context, Descriptor, EmbedPurpose, Embedder, EmbeddingModel, Error, Registration, Result, Setup,
};
use gannet_core::registry::Registry;
use gannet_core::{EnhanceRequest, Gannet, SearchInput, SearchResult, Stop};
use gannet_tests::{Host, config, ids};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// An embedder of three dimensions: what a text says of beam, of vacuum, and
/// of neither. Its settings say which model it is.
struct Words {
    settings: Settings,
}

impl gannet_api::Settings for Settings {}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Settings {
    model: String,
    /// Whether texts with this word get a vector that is not finite.
    broken_at: Option<String>,
    /// Whether texts with this word fail.
    fails_at: Option<String>,
}

impl Embedder for Words {
    const NAME: &'static str = "words";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(Self::NAME, "Words", "Two words.")
    }

    fn new(settings: Settings, _: &Setup) -> Result<Self> {
        Ok(Self { settings })
    }

    fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new(self.settings.model.clone(), 3, 100).with_variant("test")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        _: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        let has = |text: &str, word: &Option<String>| {
            word.as_deref().is_some_and(|word| text.contains(word))
        };
        if texts.iter().any(|text| has(text, &self.settings.fails_at)) {
            return Err(Error::Provider {
                provider: self.settings.model.clone(),
                message: "no server".to_owned(),
                retryable: true,
            });
        }
        let vector = |text: &String| match text {
            text if has(text, &self.settings.broken_at) => vec![f32::NAN, 0.0, 0.0],
            text if text.contains("beam") => vec![1.0, 0.0, 0.0],
            text if text.contains("vacuum") => vec![0.0, 1.0, 0.0],
            _ => vec![0.0, 0.0, 1.0],
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn registry() -> Registry {
    let linked = Registration::linked().copied();
    let words = Registration::embedder::<Words>("test", "1");
    Registry::of(linked.chain([words])).unwrap()
}

const PROVIDERS: [(&str, &str); 3] = [
    ("providers.old.plugin", "words"),
    ("providers.old.settings", "{model: old}"),
    ("providers.new.plugin", "words"),
];

/// The settings of a host that embeds with this provider.
fn embedding_by<'a>(provider: &'a str, new: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut settings = PROVIDERS.to_vec();
    settings.push(("embedding.provider", provider));
    settings.push(("providers.new.settings", new));
    settings
}

/// Six entries with vectors of the model `old`, and then the host with the
/// provider `new`.
async fn after_the_change(new: &str) -> Host {
    let mut host = Host::with_plugins(&embedding_by("old", "{model: new}"), &registry()).await;
    let lines: Vec<_> = (0..6)
        .map(|index| {
            let text = ["beam lost", "vacuum leak"][index % 2];
            json!({
                "id": format!("E{index}"), "text": format!("{text} {index}"),
                "timestamp": format!("2024-06-0{}T00:00:00Z", index + 1),
            })
        })
        .collect();
    host.ingest_lines(&lines).await.enhance().await;
    let config = config(host.folder.path(), &embedding_by("new", new));
    let changed = Gannet::open_with(config, &registry()).await.unwrap();
    let before = std::mem::replace(&mut host.gannet, changed);
    before.close().await.unwrap();
    host
}

async fn search(host: &Host, mode: &str, query: &str) -> SearchResult {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    host.gannet.search(input).await.unwrap()
}

fn notes(result: &SearchResult) -> String {
    let notes = result.diagnostics.iter().map(|note| note.message.clone());
    notes.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn the_old_model_answers_until_the_new_one_is_complete_and_the_answer_says_so() {
    let host = after_the_change("{model: new}").await;
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.embedder.unwrap().entries_without_vectors, 6);
    let found = search(&host, "semantic", "beam").await;
    assert_eq!(found.entries.len(), 3, "{found:?}");
    assert!(found.degraded);
    let said = notes(&found);
    for part in ["`new` cover 0 of 6", "`old`", "gannet enhance"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let some = EnhanceRequest {
        limit: Some(2),
        ..EnhanceRequest::default()
    };
    let stop = Stop::default();
    host.gannet.enhance(some, &stop, |_| {}).await.unwrap();
    let found = search(&host, "semantic", "beam").await;
    assert_eq!((found.entries.len(), found.degraded), (3, true));
    assert!(notes(&found).contains("`new` cover 2 of 6"));

    let reports = host
        .gannet
        .enhance(EnhanceRequest::default(), &stop, |_| {})
        .await
        .unwrap();
    let embedded = reports
        .iter()
        .find(|report| report.module == "text_embedding");
    assert_eq!(embedded.unwrap().completed, 4, "the rest");
    let found = search(&host, "semantic", "beam").await;
    assert_eq!((found.entries.len(), found.degraded), (3, false));
    assert_eq!(notes(&found), "");
}

#[tokio::test]
async fn what_is_embedded_again_can_be_found_meanwhile() {
    let host = Host::with_plugins(&embedding_by("old", "{model: new}"), &registry()).await;
    let lines: Vec<_> = (0..200)
        .map(|index| {
            json!({
                "id": format!("E{index}"), "text": format!("beam {index}"),
                "timestamp": "2024-06-01T00:00:00Z",
            })
        })
        .collect();
    host.ingest_lines(&lines).await.enhance().await;
    let stop = Stop::default();
    let request = EnhanceRequest {
        modules: vec!["text_embedding".to_owned()],
        force: true,
        ..EnhanceRequest::default()
    };
    let mut rounds = 0;
    let after_first_batch = |_| {
        rounds += 1;
        stop.raise();
    };
    host.gannet
        .enhance(request, &stop, after_first_batch)
        .await
        .unwrap();
    assert_eq!(rounds, 1, "stopped after the first of four batches");
    let found = host.search("semantic", "beam").await;
    assert_eq!(found.entries.len(), 100, "as many as were asked for");
    assert!(!found.degraded, "{:?}", found.diagnostics);
}

#[tokio::test]
async fn a_broken_vector_fails_its_entry_and_the_report_says_why() {
    let host = after_the_change("{model: new, broken_at: 'leak 3'}").await;
    let stop = Stop::default();
    let reports = host
        .gannet
        .enhance(EnhanceRequest::default(), &stop, |_| {})
        .await
        .unwrap();
    let report = reports
        .iter()
        .find(|report| report.module == "text_embedding")
        .unwrap();
    assert_eq!((report.completed, report.failed), (5, 1));
    assert!(report.last_error.as_ref().unwrap().contains("not finite"));
    let failed = host.gannet.entry("default", "E3").await.unwrap().unwrap();
    let status = format!("{:?}", failed.enhancement_status["text_embedding"]);
    assert!(
        status.contains("Failed") && status.contains("not finite"),
        "{status}"
    );
    let found = search(&host, "semantic", "beam").await;
    assert_eq!(ids(&found).len(), 3);
}

#[tokio::test]
async fn a_question_with_a_broken_vector_is_an_error_that_names_the_provider() {
    let host = after_the_change("{model: new, broken_at: 'what?'}").await;
    host.enhance().await;
    let mut input = SearchInput::new("what?");
    input.mode = Some("semantic".to_owned());
    let error = host.gannet.search(input).await.unwrap_err().to_string();
    assert!(
        error.contains("new") && error.contains("not finite"),
        "{error}"
    );
}

#[tokio::test]
async fn what_failed_is_tried_again_at_once_by_whoever_asks_and_waits_otherwise() {
    let host = after_the_change("{model: new, fails_at: lost}").await;
    let embed = |only_due: bool| {
        let request = EnhanceRequest {
            modules: vec!["text_embedding".to_owned()],
            only_due,
            ..EnhanceRequest::default()
        };
        let host = &host;
        async move {
            let stop = Stop::default();
            let reports = host.gannet.enhance(request, &stop, |_| {}).await.unwrap();
            (reports[0].completed, reports[0].failed)
        }
    };
    assert_eq!(embed(false).await, (0, 6), "all are in one batch");
    assert_eq!(embed(true).await, (0, 0), "they wait");
    assert_eq!(embed(false).await, (0, 6), "tried again at once");
}
