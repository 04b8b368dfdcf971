//! Scores of entries by their words, from the provider to a pipeline.

use std::sync::Mutex;

use gannet_core::api::{
    Answer, Condition, Context, Descriptor, EmbedPurpose, Embedder, EmbeddingModel, Filter,
    FilterField, LateInteractionRequest, NoSettings, ParameterDescriptor, ParameterType, Pipeline,
    PipelineRequest, Registration, Result, SearchRequest, Setup, TokenEmbeddings, TokenStopWord,
    TokenValues, TokenVectors, param, push_signs,
};
use gannet_core::registry::Registry;
use gannet_core::{EnhanceRequest, Gannet, SearchInput, Stop};
use gannet_tests::{Host, StoreKind, config, over_both_stores};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Searches with `semantic`, scores the entries `E0` to `E3` word by word, and
/// gives the scores as its details.
struct WordScores;

impl Pipeline for WordScores {
    const NAME: &'static str = "word_scores";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let author = ParameterDescriptor::new(
            "author",
            "Author",
            "Scores only what this author wrote.",
            ParameterType::Text,
            "",
        );
        Descriptor::pipeline(Self::NAME, "Word scores", "Scores four entries.")
            .with_parameters(vec![author])
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let search = SearchRequest::new(request.query.clone(), 3);
        let hits = context.search_module("semantic", search).await?;
        let ids = ["E0", "E1", "E2", "E3"].map(str::to_owned).to_vec();
        let author: Option<String> = param(&request.params, "author")?;
        let request = LateInteractionRequest::new(request.query, ids).with_filter(
            match author.filter(|author| !author.is_empty()) {
                Some(author) => {
                    Filter::none().and(FilterField::Author, Condition::Contains(author))
                }
                None => Filter::none(),
            },
        );
        let scores = context.late_interaction(request).await?;
        Ok(Answer::new(hits).with_pipeline_details(json!(scores)))
    }
}

/// What the embedder was asked, by the marks in its settings.
static ASKED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// An embedder of two dimensions: beam and vacuum. Each word is itself.
struct Words {
    settings: Settings,
}

impl gannet_api::Settings for Settings {}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Settings {
    /// Names the test in the list of what was asked.
    mark: String,
    /// Whether it makes token vectors.
    tokens: bool,
    /// Whether it leaves out the token vectors of the last text.
    forgets: bool,
    /// Whether a question has a stop word, which is near to all entries.
    stop_words: bool,
}

fn vector_of(text: &str) -> [f32; 2] {
    match text {
        text if text.contains("beam") => [1.0, 0.1],
        text if text.contains("vacuum") => [-0.1, 1.0],
        _ => [-0.7, -0.7],
    }
}

impl Words {
    fn note(&self, texts: &[String], purpose: EmbedPurpose) {
        if purpose == EmbedPurpose::Query {
            let asked = texts
                .iter()
                .map(|text| (self.settings.mark.clone(), text.clone()));
            ASKED.lock().unwrap().extend(asked);
        }
    }
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
        EmbeddingModel::new("words", 2, 100).with_variant("test")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        self.note(&texts, purpose);
        Ok(texts.iter().map(|text| vector_of(text).to_vec()).collect())
    }

    fn has_token_vectors(&self) -> bool {
        self.settings.tokens
    }

    async fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> Result<TokenEmbeddings> {
        let tokens = texts.iter().map(|text| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            let vectors: Vec<[f32; 2]> = words.iter().map(|word| vector_of(word)).collect();
            let mut signs = Vec::new();
            vectors
                .iter()
                .for_each(|vector| push_signs(vector, &mut signs));
            let values = match purpose {
                EmbedPurpose::Query => TokenValues::Floats(vectors.concat()),
                EmbedPurpose::Document => TokenValues::Signs(signs),
            };
            let stop_words = TokenStopWord {
                word: "the".to_owned(),
                words_before: 0,
                vector: vec![1.0, 1.0],
            };
            let is_given = self.settings.stop_words && purpose == EmbedPurpose::Query;
            let stop_words = is_given.then_some(stop_words).into_iter().collect();
            TokenVectors::new(words, values).with_stop_words(stop_words)
        });
        let mut tokens: Vec<TokenVectors> = tokens.collect();
        if self.settings.forgets {
            tokens.pop();
        }
        Ok(TokenEmbeddings::new(
            self.embed(texts, purpose, context).await?,
            tokens,
        ))
    }
}

fn registry() -> Registry {
    let own = [
        Registration::pipeline::<WordScores>("test", "1"),
        Registration::embedder::<Words>("test", "1"),
    ];
    Registry::of(Registration::linked().copied().chain(own)).unwrap()
}

/// Three entries with a text, of which `E2` has none of the words asked for.
async fn filled(host: &Host) {
    let lines: Vec<Value> = ["beam lost", "vacuum leak and the beam", "cooling", ""]
        .iter()
        .enumerate()
        .map(|(index, text)| {
            json!({
                "id": format!("E{index}"), "text": text, "title": "Note",
                "author": (["Ann", "Ben"][index % 2]),
                "timestamp": format!("2024-06-0{}T00:00:00Z", index + 1),
            })
        })
        .filter(|line| line["text"] != "")
        .collect();
    host.ingest_lines(&lines).await.enhance().await;
}

fn settings_of(embedder: &str) -> Vec<(&'static str, String)> {
    vec![
        ("pipelines.word_scores.enabled", "true".to_owned()),
        ("providers.words.plugin", "words".to_owned()),
        ("providers.words.settings", embedder.to_owned()),
        ("embedding.provider", "words".to_owned()),
        (
            "search_modules.semantic.settings.similarity_threshold",
            "0".to_owned(),
        ),
    ]
}

fn borrowed<'a>(settings: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    let settings = settings.iter();
    settings
        .map(|(key, value)| (*key, value.as_str()))
        .collect()
}

async fn scores_with(gannet: &Gannet, query: &str, params: Value) -> Vec<Option<f64>> {
    let mut input = SearchInput::new(query);
    input.mode = Some("word_scores".to_owned());
    input.params = params.as_object().unwrap().clone();
    let result = gannet.search(input).await.unwrap();
    serde_json::from_value(result.pipeline_details.unwrap()).unwrap()
}

async fn scores(gannet: &Gannet, query: &str) -> Vec<Option<f64>> {
    scores_with(gannet, query, json!({})).await
}

over_both_stores!(
    a_pipeline_scores_entries_by_their_words,
    a_setting_keeps_token_vectors_out_of_the_store_until_all_is_enhanced_again,
);

async fn a_pipeline_scores_entries_by_their_words(kind: StoreKind) {
    let settings = [("pipelines.word_scores.enabled", "true")];
    let Some(host) = Host::on_with_plugins(kind, &settings, &registry()).await else {
        return;
    };
    filled(&host).await;
    let found = scores(&host.gannet, "why was the beam lost?").await;
    let [Some(whole), Some(part), Some(other), None] = found[..] else {
        panic!("{found:?}");
    };
    assert!(whole > part && part > other, "{found:?}");
    assert!(whole < 1.0 && whole > 0.3, "{found:?}");
    let of_ben = scores_with(&host.gannet, "beam", json!({ "author": "ben" })).await;
    assert!(
        matches!(of_ben[..], [None, Some(_), None, None]),
        "{of_ben:?}"
    );
    let nothing = scores(&host.gannet, "what is the").await;
    assert_eq!(nothing, [None; 4]);
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.store.token_vectors, status.store.vectors);
}

async fn a_setting_keeps_token_vectors_out_of_the_store_until_all_is_enhanced_again(
    kind: StoreKind,
) {
    let off = [
        ("pipelines.word_scores.enabled", "true"),
        ("store.late_interaction", "false"),
    ];
    let Some(mut host) = Host::on_with_plugins(kind, &off, &registry()).await else {
        return;
    };
    filled(&host).await;
    let counted = |status: gannet_core::Status| {
        let count = |counts: &std::collections::BTreeMap<String, u64>| counts.values().sum();
        let counts: [u64; 2] = [
            count(&status.store.vectors),
            count(&status.store.token_vectors),
        ];
        counts
    };
    assert_eq!(counted(host.gannet.status().await.unwrap()), [3, 0]);
    assert_eq!(scores(&host.gannet, "beam").await, [None; 4]);

    let url = host.database_url();
    let mut on = vec![("pipelines.word_scores.enabled", "true")];
    if let Some(url) = &url {
        on.extend([("store.kind", "postgres"), ("store.uri", url.as_str())]);
    }
    let config = config(host.folder.path(), &on);
    let again = Gannet::open_with(config, &registry()).await.unwrap();
    std::mem::replace(&mut host.gannet, again)
        .close()
        .await
        .unwrap();
    host.enhance().await;
    assert_eq!(scores(&host.gannet, "beam").await, [None; 4]);
    let force = EnhanceRequest {
        force: true,
        ..EnhanceRequest::default()
    };
    let stop = Stop::default();
    host.gannet.enhance(force, &stop, |_| {}).await.unwrap();
    assert_eq!(counted(host.gannet.status().await.unwrap()), [3, 3]);
    assert!(scores(&host.gannet, "beam").await[0].is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_is_embedded_once_for_the_search_and_the_scores() {
    let settings = settings_of("{mark: once, tokens: true}");
    let host = Host::with_plugins(&borrowed(&settings), &registry()).await;
    filled(&host).await;
    let found = scores(&host.gannet, "beam").await;
    assert!(found[..3].iter().all(Option::is_some), "{found:?}");
    assert_eq!(found[3], None);
    let asked = || -> usize {
        let asked = ASKED.lock().unwrap();
        asked.iter().filter(|(mark, _)| mark == "once").count()
    };
    assert_eq!(asked(), 1);
    scores(&host.gannet, "beam").await;
    assert_eq!(asked(), 1, "the embeddings of a question are kept");
    scores(&host.gannet, "beam lost").await;
    assert_eq!(asked(), 2, "another question is embedded");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_question_is_embedded_once_for_an_answer() {
    let settings = settings_of("{mark: answer, tokens: true}");
    let host = Host::with_plugins(&borrowed(&settings), &registry()).await;
    filled(&host).await;
    let found = host.search("rag", "why was the beam lost?").await;
    assert!(found.answer_confidence.is_some(), "the reader was asked");
    let asked = ASKED.lock().unwrap();
    let asked = asked.iter().filter(|(mark, _)| mark == "answer");
    assert_eq!(asked.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_words_of_a_question_do_not_change_its_scores() {
    let mut found = Vec::new();
    for stop_words in [false, true] {
        let settings = format!("{{mark: stop, tokens: true, stop_words: {stop_words}}}");
        let settings = settings_of(&settings);
        let host = Host::with_plugins(&borrowed(&settings), &registry()).await;
        filled(&host).await;
        found.push(scores(&host.gannet, "vacuum").await);
    }
    assert!(found[0][1].is_some());
    assert_eq!(found[0], found[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_token_vectors_of_the_provider_everything_else_works() {
    let settings = settings_of("{mark: without}");
    let host = Host::with_plugins(&borrowed(&settings), &registry()).await;
    filled(&host).await;
    assert_eq!(scores(&host.gannet, "beam").await, [None; 4]);
    let found = host.search("semantic", "beam").await;
    assert_eq!(found.entries[0].entry.entry_id, "E0");
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.store.token_vectors["words"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedder_that_forgets_token_vectors_fails_the_entries() {
    let settings = settings_of("{mark: forgets, tokens: true, forgets: true}");
    let host = Host::with_plugins(&borrowed(&settings), &registry()).await;
    filled(&host).await;
    let status = host.gannet.status().await.unwrap();
    assert_eq!(status.enhancement["text_embedding"].failed, 3);
}
