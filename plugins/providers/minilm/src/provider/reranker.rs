use std::path::PathBuf;
use std::sync::Arc;

use gannet_plugin::descriptor::InstanceDescription;
use gannet_plugin::prelude::{Context, Descriptor, Error, Result, Setup, settings};
use gannet_plugin::provider::{RerankScore, Reranker};

use super::{aside, described_by_path};
use crate::CrossEncoder;

/// The name of the reranker in the configuration.
const NAME: &str = "cross_encoder";

/// Settings of the provider.
#[settings]
pub struct RerankerSettings {
    /// A model file (made by `gannet models import`) or the folder of a BERT
    /// cross-encoder.
    #[setting(required)]
    pub path: PathBuf,
    /// Threads for scoring; 0 for one per processor.
    pub threads: usize,
    /// Maximum characters read of a document, below the token limit of the model.
    /// Fewer take less time.
    #[setting(min = 1)]
    pub max_chars: Option<usize>,
}

/// The reranker: a cross-encoder in the same process.
pub struct CrossEncoderReranker {
    model: Arc<CrossEncoder>,
    threads: usize,
    max_chars: usize,
}

impl Reranker for CrossEncoderReranker {
    const NAME: &'static str = NAME;

    type Settings = RerankerSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reranker(
            Self::NAME,
            "Cross-encoder",
            "Scores texts for a question with a BERT cross-encoder from a file.",
        )
    }

    fn describe(settings: &RerankerSettings) -> InstanceDescription {
        described_by_path(&settings.path)
    }

    fn new(settings: RerankerSettings, _setup: &Setup) -> Result<Self> {
        let model = CrossEncoder::open(&settings.path).map_err(|error| {
            let advice = match &error {
                crate::Error::Io { .. } => {
                    "; create the file with `gannet models import FOLDER FILE`"
                }
                _ => "",
            };
            Error::setting("path", format!("{error}{advice}"))
        })?;
        Ok(Self {
            model: Arc::new(model),
            threads: settings.threads,
            max_chars: settings.max_chars.unwrap_or(usize::MAX),
        })
    }

    async fn rerank(
        &self,
        query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        let (model, threads, max_chars) = (self.model.clone(), self.threads, self.max_chars);
        aside(NAME, move || {
            let documents: Vec<&str> = documents
                .iter()
                .map(|document| first_chars(document, max_chars))
                .collect();
            let logits = model.score(&query, &documents, threads);
            let scores = logits.into_iter().enumerate();
            Ok(scores
                .map(|(index, logit)| RerankScore::new(index, f64::from(logit)))
                .collect())
        })
        .await
    }
}

fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map(|(at, _)| at);
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::provider::DynReranker;
    use gannet_plugin::setup::{Plugin, Registration};
    use pollster::block_on;
    use serde_json::{Value, json};

    use gannet_plugin::testing::context;

    use super::*;
    use crate::tiny::TinyModel;

    /// Made as the host makes it.
    fn construct(settings: Value) -> Result<Arc<dyn DynReranker>> {
        let registration = Registration::linked()
            .find(|registration| (registration.describe)().name == NAME)
            .unwrap();
        let setup = Setup::default().with_instance("mine");
        match registration.construct(settings, &setup)? {
            Plugin::Reranker(reranker) => Ok(reranker),
            _ => panic!("no reranker"),
        }
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn it_gives_the_models_logits() {
        let tiny = TinyModel::cross_encoder();
        let model = tiny.import_reranker().unwrap();
        let reranker = construct(json!({"path": tiny.path("tiny.i8"), "threads": 2})).unwrap();
        let documents = ["pump open", "beam lost", ""];
        let scores =
            block_on(reranker.rerank("beam".to_owned(), texts(&documents), &context())).unwrap();
        let expected = model.score("beam", &documents, 1);
        for (index, (score, expected)) in scores.iter().zip(&expected).enumerate() {
            assert_eq!((score.index, score.score), (index, f64::from(*expected)));
        }
        assert_eq!(scores.len(), 3);
        assert!(
            block_on(reranker.rerank("beam".to_owned(), vec![], &context()))
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn no_more_than_max_chars_of_a_document_are_read() {
        let tiny = TinyModel::cross_encoder();
        let settings = json!({"path": tiny.folder(), "max_chars": 4});
        let reranker = construct(settings).unwrap();
        let documents = texts(&["open", "open valve", "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}"]);
        let scores = block_on(reranker.rerank("beam".to_owned(), documents, &context())).unwrap();
        assert_eq!(scores[0].score, scores[1].score);
        assert_eq!(first_chars("\u{e9}\u{e9}\u{e9}", 2), "\u{e9}\u{e9}");
        assert_eq!(first_chars("open", 4), "open");
    }

    #[test]
    fn what_cannot_be_opened_is_an_error_that_says_what_to_do() {
        let embedder = TinyModel::new();
        embedder.import().unwrap();
        let cases = [
            (json!({}), "missing field `path`"),
            (
                json!({"path": "/no/such/file"}),
                "`gannet models import FOLDER FILE`",
            ),
            (
                json!({"path": embedder.path("tiny.i8")}),
                "tiny.i8 contains an embedder, but a reranker is required here",
            ),
            (
                json!({"path": embedder.folder()}),
                "`model_path` of the provider `builtin`",
            ),
        ];
        for (settings, expected) in cases {
            let error = construct(settings).err().unwrap().to_string();
            assert!(error.starts_with("setting `"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }
}
