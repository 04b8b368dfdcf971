use std::path::PathBuf;
use std::sync::Arc;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::prelude::{Context, Descriptor, Error, Result, Setup, settings};
use gannet_plugin::provider::{
    EmbedPurpose, Embedder, EmbeddingModel, TokenEmbeddings, TokenValues, TokenVectors,
};

use super::pooling::pooled_signs;
use super::{aside, described_by_path, failed};
use crate::{EmbeddedText, MiniLm, builtin};

/// The name of the builtin embedder in the configuration.
const NAME: &str = "builtin";

/// Settings of the provider.
#[settings]
pub struct Settings {
    /// A model file (made by `gannet models import`) or the folder of a BERT
    /// embedder to use instead of the model that is compiled in.
    pub model_path: Option<PathBuf>,
    /// Threads for embedding; 0 for one per processor.
    pub threads: usize,
}

/// The builtin embedder.
pub struct Builtin {
    model: Model,
    threads: usize,
}

/// The built-in model, or one from a file.
#[derive(Clone)]
enum Model {
    CompiledIn(&'static MiniLm),
    Opened(Arc<MiniLm>),
}

impl Model {
    fn get(&self) -> &MiniLm {
        match self {
            Self::CompiledIn(model) => model,
            Self::Opened(model) => model,
        }
    }
}

impl Embedder for Builtin {
    const NAME: &'static str = NAME;

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::embedder(
            Self::NAME,
            "Builtin embedder",
            "Computes embeddings with the built-in model all-MiniLM-L6-v2, without a server or a download.",
        )
        .with_model(builtin::card())
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        let path = settings.model_path.as_deref();
        path.map(described_by_path).unwrap_or_default()
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        let model = match &settings.model_path {
            None => MiniLm::builtin().map(Model::CompiledIn),
            Some(path) => MiniLm::open(path).map(|model| Model::Opened(Arc::new(model))),
        };
        Ok(Self {
            model: model.map_err(|error| Error::setting("model_path", error.to_string()))?,
            threads: settings.threads,
        })
    }

    fn model(&self) -> EmbeddingModel {
        let model = self.model.get();
        EmbeddingModel::new(
            model.model_id().to_owned(),
            model.dimension(),
            model.max_tokens(),
        )
        .with_variant(model.variant().to_owned())
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        _purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        // A question takes about 1 ms, less than starting a thread.
        if texts.len() == 1 {
            return embed(&self.model, &texts, 1);
        }
        let (model, threads) = (self.model.clone(), self.threads);
        aside(NAME, move || embed(&model, &texts, threads)).await
    }

    fn has_token_vectors(&self) -> bool {
        self.model.get().has_word_vectors()
    }

    async fn embed_with_tokens(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        _context: &Context,
    ) -> Result<TokenEmbeddings> {
        if texts.len() == 1 {
            return embed_with_tokens(&self.model, &texts, purpose, 1);
        }
        let (model, threads) = (self.model.clone(), self.threads);
        let work = move || embed_with_tokens(&model, &texts, purpose, threads);
        aside(NAME, work).await
    }
}

fn embed_with_tokens(
    model: &Model,
    texts: &[String],
    purpose: EmbedPurpose,
    threads: usize,
) -> Result<TokenEmbeddings> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let model = model.get();
    let pack = |text| with_tokens(text, model.dimension(), purpose);
    let packed = model.embed_with_words(&texts, threads, pack);
    let packed = packed.map_err(|error| failed(NAME, error.to_string()))?;
    let (vectors, tokens) = packed.into_iter().unzip();
    Ok(TokenEmbeddings::new(vectors, tokens))
}

/// The vector of a text, and those of its words in the form for the purpose.
fn with_tokens(
    text: EmbeddedText,
    dimension: usize,
    purpose: EmbedPurpose,
) -> (Vec<f32>, TokenVectors) {
    let tokens = match purpose {
        EmbedPurpose::Query => {
            TokenVectors::new(text.words, TokenValues::Floats(text.word_vectors))
                .with_stop_words(text.stop_words)
        }
        EmbedPurpose::Document => pooled_signs(text.words, &text.word_vectors, dimension),
    };
    (text.vector, tokens)
}

fn embed(model: &Model, texts: &[String], threads: usize) -> Result<Vec<Vec<f32>>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.get().embed(&texts, threads);
    vectors.map_err(|error| failed(NAME, error.to_string()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::provider::push_signs;
    use gannet_plugin::testing::context;

    use super::*;

    #[test]
    fn token_vectors_are_signs_of_documents_and_floats_of_questions() {
        let builtin = Builtin::new(Settings::default(), &Setup::default()).unwrap();
        assert!(builtin.has_token_vectors());
        let texts = vec!["The pump tripped.".to_owned(), "...".to_owned()];
        let embed = |purpose| {
            let context = context();
            let made = builtin.embed_with_tokens(texts.clone(), purpose, &context);
            pollster::block_on(made).unwrap()
        };
        let (of_question, of_document) =
            (embed(EmbedPurpose::Query), embed(EmbedPurpose::Document));
        let plain =
            pollster::block_on(builtin.embed(texts.clone(), EmbedPurpose::Query, &context()))
                .unwrap();
        assert_eq!(of_question.vectors, plain);
        assert_eq!(of_document.vectors, plain);
        for tokens in of_question.tokens.iter().chain(&of_document.tokens) {
            assert!(tokens.is_whole(384));
        }
        let (question, document) = (&of_question.tokens[0], &of_document.tokens[0]);
        assert_eq!(question.words, ["pump", "tripped"]);
        assert_eq!(document.words, question.words);
        assert_eq!(question.stop_words[0].word, "the");
        assert_eq!(document.stop_words, []);
        let (TokenValues::Floats(floats), TokenValues::Signs(signs)) =
            (&question.values, &document.values)
        else {
            panic!("{:?}, {:?}", question.values, document.values);
        };
        let mut expected = Vec::new();
        floats
            .chunks(384)
            .for_each(|vector| push_signs(vector, &mut expected));
        assert_eq!(*signs, expected);
        assert!(of_document.tokens[1].words.is_empty());
    }
}
