//! Providers of each kind, and an instance that is started and stopped.
#![allow(clippy::panic, reason = "it is made to panic")]

use std::sync::atomic::{AtomicBool, Ordering};

use futures::StreamExt;
use gannet_plugin::host::Health;
use gannet_plugin::prelude::{Context, Descriptor, Diagnostic, Error, NoSettings, Result, Setup};
use gannet_plugin::provider::{
    ChatChunk, ChatModel, ChatRequest, ChatStream, EmbedPurpose, Embedder, EmbeddingModel,
    ReadRequest, ReadSpan, Reader, Reading, RerankScore, Reranker, TokenEmbeddings, TokenValues,
    TokenVectors,
};

/// Gives each text the same vector.
pub struct Pointing;

impl Embedder for Pointing {
    const NAME: &'static str = "pointing";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(Self::NAME, "Pointing", "Gives each text the same vector.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new("pointing", 2, 64)
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        _purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|_| vec![0.0, 1.0]).collect())
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
        let words = |text: &String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let tokens = texts.iter().map(words).map(|words| {
            // One byte has the signs of two dimensions.
            let signs = vec![2; words.len()];
            TokenVectors::new(words, TokenValues::Signs(signs))
        });
        let tokens = tokens.collect();
        let vectors = self.embed(texts, purpose, context).await?;
        Ok(TokenEmbeddings::new(vectors, tokens))
    }
}

/// Prefers short texts.
pub struct Shortest;

impl Reranker for Shortest {
    const NAME: &'static str = "shortest";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reranker(Self::NAME, "Shortest", "Prefers short texts.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn rerank(
        &self,
        _query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        let lengths = documents.iter().map(String::len).enumerate();
        Ok(lengths
            .map(|(index, length)| RerankScore::new(index, -(length as f64)))
            .collect())
    }
}

/// Answers with the first word of the first entry, and panics at the question
/// `panic`.
pub struct FirstWord;

impl Reader for FirstWord {
    const NAME: &'static str = "first_word";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reader(Self::NAME, "First word", "Answers with the first word.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn read(&self, request: ReadRequest, context: &Context) -> Result<Reading> {
        if request.question == "panic" {
            panic!("read of {}", request.question);
        }
        context.diagnose(Diagnostic::info(Self::NAME, "asked"));
        let first = request.passages.first();
        let word = first.and_then(|passage| passage.entry.raw_text.split(' ').next());
        let spans = word.map(|word| {
            let range = 0..word.len();
            ReadSpan::new(0, range.clone(), 0.75).with_answers(vec![range])
        });
        Ok(Reading::new(spans.into_iter().collect(), 0.25))
    }
}

/// Says what was said last, once it is started.
pub struct Echoing(AtomicBool);

impl ChatModel for Echoing {
    const NAME: &'static str = "echoing";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::chat_model(Self::NAME, "Echoing", "Says what was said last.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self(AtomicBool::new(false)))
    }

    async fn start(&self, _context: &Context) -> Result<()> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }

    async fn stop(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(match self.0.load(Ordering::Relaxed) {
            true => Health::Healthy,
            false => Health::degraded("it is not started"),
        })
    }

    async fn chat(&self, request: ChatRequest, context: &Context) -> Result<ChatStream> {
        if self.health(context).await? != Health::Healthy {
            return Err(Error::internal("it is not started"));
        }
        let last = request.messages.into_iter().next_back();
        let words = last.map(|message| message.content).unwrap_or_default();
        let pieces = [ChatChunk::Token(words), ChatChunk::End("stop".to_owned())];
        Ok(futures::stream::iter(pieces.map(Ok)).boxed())
    }
}
