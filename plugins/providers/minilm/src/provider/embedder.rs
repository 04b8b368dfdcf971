use std::path::PathBuf;
use std::sync::Arc;

use gannet_plugin::{
    Descriptor, EmbedPurpose, Embedder, EmbeddingModel, Error, PluginKind, Result, Setup,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{aside, failed};
use crate::MiniLm;

/// The name of the builtin embedder in the configuration.
const NAME: &str = "builtin";

/// Settings of the provider.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
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
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::new(
            PluginKind::Embedder,
            NAME,
            "Builtin embedder",
            "Computes embeddings with the built-in model all-MiniLM-L6-v2, without a server or a download.",
        )
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let model = match &settings.model_path {
            None => MiniLm::builtin().map(Model::CompiledIn),
            Some(path) => MiniLm::open(path).map(|model| Model::Opened(Arc::new(model))),
        };
        Ok(Self {
            model: model
                .map_err(|error| Error::configuration(&setup.instance, error.to_string()))?,
            threads: settings.threads,
        })
    }

    fn model(&self) -> EmbeddingModel {
        let model = self.model.get();
        EmbeddingModel {
            name: model.model_id().to_owned(),
            variant: model.variant().to_owned(),
            dimension: model.dimension(),
            max_tokens: model.max_tokens(),
        }
    }

    async fn embed(&self, texts: Vec<String>, _purpose: EmbedPurpose) -> Result<Vec<Vec<f32>>> {
        // A question takes about 1 ms, less than starting a thread.
        if texts.len() == 1 {
            return embed(&self.model, &texts, 1);
        }
        let (model, threads) = (self.model.clone(), self.threads);
        aside(NAME, move || embed(&model, &texts, threads)).await
    }
}

fn embed(model: &Model, texts: &[String], threads: usize) -> Result<Vec<Vec<f32>>> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = model.get().embed(&texts, threads);
    vectors.map_err(|error| failed(NAME, error.to_string()))
}
