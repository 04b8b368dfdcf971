//! Providers, and the lifecycle of instances, over the boundary.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::atomic::{AtomicBool, Ordering};

use super::crossing::{context, made};
use futures::executor::block_on;
use futures::stream::{StreamExt, iter};
use gannet_api::{
    ChatChunk, ChatModel, ChatRequest, ChatStream, Context, Descriptor, EmbedPurpose, Embedder,
    EmbeddingModel, Entry, Error, Health, NoSettings, Plugin, QueryPlan, ReadPassage, ReadRequest,
    ReadSpan, Reader, Reading, Registration, RerankScore, Reranker, Result, Setup, TokenEmbeddings,
    TokenValues, TokenVectors,
};

gannet_api::inventory::submit! { Registration::embedder::<Numbers>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::reranker::<Longest>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::reader::<Whole>("test", "1.0.0") }
gannet_api::inventory::submit! { Registration::chat_model::<Parrot>("test", "1.0.0") }

/// A vector of the length of a text.
struct Numbers;

impl Embedder for Numbers {
    const NAME: &'static str = "numbers";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(Self::NAME, "Numbers", "Counts.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new("counting", 1, 9).with_variant("f32")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        assert_eq!(&*context.call.tenant, "plant");
        let sign = match purpose {
            EmbedPurpose::Query => -1.0,
            EmbedPurpose::Document => 1.0,
        };
        let lengths = texts.iter().map(|text| text.len() as f32);
        Ok(lengths.map(|length| vec![sign * length]).collect())
    }

    fn has_token_vectors(&self) -> bool {
        true
    }

    async fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> Result<TokenEmbeddings> {
        let tokens = texts
            .iter()
            .map(|text| TokenVectors::new(vec![text.clone()], TokenValues::Signs(vec![7; 8])));
        let tokens = tokens.collect();
        let vectors = self.embed(texts, purpose, context).await?;
        Ok(TokenEmbeddings::new(vectors, tokens))
    }
}

/// Prefers long texts. It has to be started, and says so.
struct Longest(AtomicBool);

impl Reranker for Longest {
    const NAME: &'static str = "longest";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reranker(Self::NAME, "Longest", "By length.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self(AtomicBool::new(false)))
    }

    async fn start(&self, context: &Context) -> Result<()> {
        if &*context.call.tenant != "plant" {
            return Err(Error::internal("not here"));
        }
        self.0.store(true, Ordering::SeqCst);
        Ok(())
    }

    async fn stop(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(match self.0.load(Ordering::SeqCst) {
            true => Health::Healthy,
            false => Health::degraded("it is not started"),
        })
    }

    async fn rerank(
        &self,
        _query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        let scores = documents.iter().enumerate();
        let scores = scores.map(|(index, text)| RerankScore::new(index, text.len() as f64));
        Ok(scores.collect())
    }
}

/// Answers with the whole of each text, and with the text of the plan as the
/// error where there is no text.
struct Whole;

impl Reader for Whole {
    const NAME: &'static str = "whole";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reader(Self::NAME, "Whole", "Repeats.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn read(&self, request: ReadRequest, context: &Context) -> Result<Reading> {
        assert_eq!(&*context.call.tenant, "plant");
        if request.passages.is_empty() {
            let plan = request.plan.unwrap_or_default();
            return Err(Error::invalid_input(&plan.text));
        }
        let passages = request.passages.iter().enumerate();
        let spans = passages.map(|(place, passage)| {
            let range = 0..passage.entry.raw_text.len();
            ReadSpan::new(place, range.clone(), passage.score).with_answers(vec![range])
        });
        Ok(Reading::new(spans.collect(), f64::NAN))
    }
}

/// Says the last message again, and panics at the word `panic`.
struct Parrot;

impl ChatModel for Parrot {
    const NAME: &'static str = "parrot";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::chat_model(Self::NAME, "Parrot", "Repeats.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn chat(&self, request: ChatRequest, _context: &Context) -> Result<ChatStream> {
        let said = request.model.unwrap_or_default();
        let words: Vec<String> = said.split(' ').map(str::to_owned).collect();
        let pieces = iter(words).map(|word| match word.as_str() {
            "panic" => panic!("at a word"),
            _ => Ok(ChatChunk::Token(word)),
        });
        Ok(pieces.boxed())
    }
}

fn embedder() -> std::sync::Arc<dyn gannet_api::DynEmbedder> {
    match made("numbers") {
        Plugin::Embedder(embedder) => embedder,
        _ => panic!("numbers is an embedder"),
    }
}

#[test]
fn an_embedder_gives_vectors_and_those_of_words() {
    let (embedder, context) = (embedder(), context());
    assert_eq!(embedder.model().name, "counting");
    assert!(embedder.has_token_vectors());
    let texts = vec!["one".to_owned(), "three".to_owned()];
    let vectors = embedder.embed(texts.clone(), EmbedPurpose::Query, &context);
    assert_eq!(block_on(vectors).unwrap(), [[-3.0], [-5.0]]);
    let made = embedder.embed_with_tokens(texts, EmbedPurpose::Document, &context);
    let made = block_on(made).unwrap();
    assert_eq!(made.vectors, [[3.0], [5.0]]);
    assert_eq!(made.tokens[1].words, ["three"]);
    assert_eq!(made.tokens[1].values, TokenValues::Signs(vec![7; 8]));
}

#[test]
fn a_reranker_starts_stops_and_says_how_it_is() {
    let plugin = made("longest");
    let context = context();
    let health = || block_on(plugin.health(&context)).unwrap();
    assert_eq!(health(), Health::degraded("it is not started"));
    block_on(plugin.start(&context)).unwrap();
    assert_eq!(health(), Health::Healthy);
    let Plugin::Reranker(reranker) = &plugin else {
        panic!("longest is a reranker");
    };
    let texts = vec!["a".to_owned(), "abc".to_owned()];
    let scores = block_on(reranker.rerank("x".to_owned(), texts, &context)).unwrap();
    assert_eq!(scores[1].score, 3.0);
    block_on(plugin.stop());
    assert_eq!(health(), Health::degraded("it is not started"));
}

#[test]
fn a_reader_answers_with_spans_probabilities_and_errors() {
    let Plugin::Reader(reader) = made("whole") else {
        panic!("whole is a reader");
    };
    let context = context();
    let time = "2024-01-05T08:30:00Z".parse().unwrap();
    let entry = Entry::new("E1", "log", time, "21 °C");
    let passages = vec![ReadPassage::new(entry, 0.5)];
    let request = ReadRequest::new("how warm?", passages, 10);
    let reading = block_on(reader.read(request, &context)).unwrap();
    let whole = 0..6;
    let span = ReadSpan::new(0, whole.clone(), 0.5).with_answers(vec![whole]);
    assert_eq!(reading.spans, [span]);
    // JSON has no such number, and the host shall see it all the same.
    assert!(reading.no_answer.is_nan());

    let plan = QueryPlan::default().with_text("a plan");
    let empty = ReadRequest::new("how warm?", Vec::new(), 10);
    let refused = reader.read(empty.with_plan(std::sync::Arc::new(plan)), &context);
    let refused = block_on(refused).unwrap_err();
    assert_eq!(refused, Error::invalid_input("a plan"));
}

#[test]
fn a_chat_model_streams_until_it_panics() {
    let Plugin::ChatModel(model) = made("parrot") else {
        panic!("parrot is a chat model");
    };
    let request = ChatRequest::default().with_model("polly panic".to_owned());
    let pieces: Vec<_> = block_on(async {
        let stream = model.chat(request, &context()).await.unwrap();
        stream.take(2).collect().await
    });
    assert_eq!(pieces[0], Ok(ChatChunk::Token("polly".to_owned())));
    assert!(matches!(&pieces[1], Err(Error::Panicked { .. })));
}
