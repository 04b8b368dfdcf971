//! A model's shape from its configuration files, in the words of the
//! `transformers` and `sentence-transformers` libraries.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::shape::{DEFAULT_MAX_TOKENS, Pooling, Shape};

/// The architecture of a cross-encoder.
const CROSS_ENCODER: &str = "BertForSequenceClassification";

/// `config.json`.
#[derive(Deserialize)]
struct ModelConfig {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    architectures: Option<Vec<String>>,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// `1_Pooling/config.json`.
#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

/// `tokenizer_config.json`.
#[derive(Default, Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
    model_max_length: Option<f64>,
}

/// One entry of `modules.json`.
#[derive(Deserialize)]
struct Module {
    r#type: String,
}

/// The configuration files of a model folder.
pub(super) struct FolderConfig {
    model_id: String,
    model: ModelConfig,
    tokenizer: TokenizerConfig,
    sentence: SentenceConfig,
    pooling: Option<PoolingConfig>,
}

impl FolderConfig {
    /// Reads the files; a model that cannot be run is refused here.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let model: ModelConfig = required(&folder.join("config.json"))?;
        refuse_other_models(&model)?;
        refuse_other_modules(folder)?;
        Ok(Self {
            model_id: model_id(folder)?,
            model,
            tokenizer: optional(&folder.join("tokenizer_config.json"))?.unwrap_or_default(),
            sentence: optional(&folder.join("sentence_bert_config.json"))?.unwrap_or_default(),
            pooling: optional(&folder.join("1_Pooling/config.json"))?,
        })
    }

    /// The model's shape; `has_classifier` tells whether there is a tensor of
    /// that name, which decides where the configuration names no architecture.
    pub(super) fn shape(self, has_classifier: bool) -> Result<Shape, Error> {
        let is_reranker = match self.model.architectures.as_deref() {
            None | Some([]) => has_classifier,
            Some(names) => names.iter().any(|name| name == CROSS_ENCODER),
        };
        let (pooling, max_tokens) = if is_reranker {
            (Pooling::Classifier, self.tokenizer.limit())
        } else {
            let limit = self.sentence.max_seq_length;
            (self.pooling()?, limit.unwrap_or(DEFAULT_MAX_TOKENS))
        };
        Ok(Shape {
            model_id: self.model_id,
            hidden: self.model.hidden_size,
            layers: self.model.num_hidden_layers,
            heads: self.model.num_attention_heads,
            intermediate: self.model.intermediate_size,
            vocabulary: self.model.vocab_size,
            max_tokens: max_tokens.min(self.model.max_position_embeddings),
            epsilon: self.model.layer_norm_eps,
            pooling,
            lower_case: self.tokenizer.do_lower_case.unwrap_or(true),
        })
    }

    fn pooling(&self) -> Result<Pooling, Error> {
        let Some(config) = &self.pooling else {
            return Ok(Pooling::Mean);
        };
        match (
            config.pooling_mode_mean_tokens,
            config.pooling_mode_cls_token,
        ) {
            (true, false) => Ok(Pooling::Mean),
            (false, true) => Ok(Pooling::Cls),
            _ => Err(Error::unsupported(
                "1_Pooling/config.json has neither mean nor cls pooling alone",
            )),
        }
    }
}

impl TokenizerConfig {
    /// Tokens at most; a tokenizer without a limit says so by a number that
    /// fits into no integer.
    fn limit(&self) -> usize {
        self.model_max_length
            .map_or(usize::MAX, |limit| limit.max(0.0) as usize)
    }
}

fn refuse_other_models(config: &ModelConfig) -> Result<(), Error> {
    let wanted = [
        ("model_type", config.model_type.as_str(), "bert"),
        ("hidden_act", config.hidden_act.as_str(), "gelu"),
        (
            "position_embedding_type",
            config.position_embedding_type.as_str(),
            "absolute",
        ),
    ];
    for (key, found, wanted) in wanted {
        if found != wanted {
            return Err(Error::unsupported(format!(
                "config.json has {key} {found}; only {wanted} is supported"
            )));
        }
    }
    Ok(())
}

fn refuse_other_modules(folder: &Path) -> Result<(), Error> {
    let modules: Option<Vec<Module>> = optional(&folder.join("modules.json"))?;
    for module in modules.unwrap_or_default() {
        let name = module.r#type.rsplit('.').next().unwrap_or_default();
        if !["Transformer", "Pooling", "Normalize"].contains(&name) {
            return Err(Error::unsupported(format!(
                "modules.json has a module {name}, only Transformer, Pooling and Normalize are supported"
            )));
        }
    }
    Ok(())
}

/// The folder's own name.
fn model_id(folder: &Path) -> Result<String, Error> {
    let folder = folder.canonicalize().map_err(Error::reading(folder))?;
    Ok(folder.file_name().map_or_else(
        || "model".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    ))
}

fn required<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = std::fs::read(path).map_err(Error::reading(path))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::unsupported(format!("{}: {error}", path.display())))
}

fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    if path.exists() {
        required(path).map(Some)
    } else {
        Ok(None)
    }
}
