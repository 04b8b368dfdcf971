use std::path::PathBuf;
use std::sync::Arc;

use gannet_plugin::{Descriptor, Error, PluginKind, RerankScore, Reranker, Result, Setup};
use schemars::JsonSchema;
use serde::Deserialize;

use super::aside;
use crate::CrossEncoder;

/// The name of the reranker in the configuration.
const NAME: &str = "cross_encoder";

/// What the configuration can set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RerankerSettings {
    /// A model file (made by `gannet models import`) or the folder of a BERT
    /// cross-encoder.
    pub path: PathBuf,
    /// Threads that score at once; 0 for one a processor.
    #[serde(default)]
    pub threads: usize,
    /// Characters of a document that are read at most, where the model's own
    /// limit of tokens allows more. Fewer take less time.
    #[serde(default)]
    pub max_chars: Option<usize>,
}

/// The reranker: a cross-encoder in process.
pub struct CrossEncoderReranker {
    model: Arc<CrossEncoder>,
    threads: usize,
    max_chars: usize,
}

impl Reranker for CrossEncoderReranker {
    type Settings = RerankerSettings;

    fn descriptor() -> Descriptor {
        Descriptor::new(
            PluginKind::Reranker,
            NAME,
            "Cross-encoder",
            "Scores texts for a question with a BERT cross-encoder from a file, in process.",
        )
    }

    fn new(settings: RerankerSettings, setup: &Setup) -> Result<Self> {
        let model = CrossEncoder::open(&settings.path).map_err(|error| {
            let advice = match &error {
                crate::Error::Io { .. } => {
                    "; make the file with `gannet models import FOLDER FILE`"
                }
                _ => "",
            };
            Error::configuration(&setup.instance, format!("{error}{advice}"))
        })?;
        Ok(Self {
            model: Arc::new(model),
            threads: settings.threads,
            max_chars: settings.max_chars.unwrap_or(usize::MAX),
        })
    }

    async fn rerank(&self, query: String, documents: Vec<String>) -> Result<Vec<RerankScore>> {
        let (model, threads, max_chars) = (self.model.clone(), self.threads, self.max_chars);
        aside(NAME, move || {
            let documents: Vec<&str> = documents
                .iter()
                .map(|document| first_chars(document, max_chars))
                .collect();
            let logits = model.score(&query, &documents, threads);
            let scores = logits.into_iter().enumerate();
            Ok(scores
                .map(|(index, logit)| RerankScore {
                    index,
                    score: f64::from(logit),
                })
                .collect())
        })
        .await
    }
}

fn first_chars(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count).map(|(at, _)| at);
    &text[..end.unwrap_or(text.len())]
}
