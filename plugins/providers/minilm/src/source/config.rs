//! A model's shape from its configuration files, in the words of the
//! `transformers` and `sentence-transformers` libraries.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::shape::{DEFAULT_MAX_TOKENS, Pooling, Shape};

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
#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

/// `tokenizer_config.json`.
#[derive(Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
}

/// One entry of `modules.json`.
#[derive(Deserialize)]
struct Module {
    r#type: String,
}

/// Reads the shape of the model in a folder.
pub(super) fn read_shape(folder: &Path) -> Result<Shape, Error> {
    let config: ModelConfig = required(&folder.join("config.json"))?;
    refuse_other_models(&config)?;
    refuse_other_modules(folder)?;
    let sentence: Option<SentenceConfig> = optional(&folder.join("sentence_bert_config.json"))?;
    let tokenizer: Option<TokenizerConfig> = optional(&folder.join("tokenizer_config.json"))?;
    let max_tokens = sentence
        .and_then(|config| config.max_seq_length)
        .unwrap_or(DEFAULT_MAX_TOKENS)
        .min(config.max_position_embeddings);
    Ok(Shape {
        model_id: model_id(folder)?,
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        intermediate: config.intermediate_size,
        vocabulary: config.vocab_size,
        max_tokens,
        epsilon: config.layer_norm_eps,
        pooling: read_pooling(folder)?,
        lower_case: tokenizer
            .and_then(|config| config.do_lower_case)
            .unwrap_or(true),
    })
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
                "config.json says {key} {found}, only {wanted} can be run"
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
                "modules.json has a module {name}, only Transformer, Pooling and Normalize can be run"
            )));
        }
    }
    Ok(())
}

fn read_pooling(folder: &Path) -> Result<Pooling, Error> {
    let config: Option<PoolingConfig> = optional(&folder.join("1_Pooling/config.json"))?;
    let Some(config) = config else {
        return Ok(Pooling::Mean);
    };
    match (
        config.pooling_mode_mean_tokens,
        config.pooling_mode_cls_token,
    ) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::Cls),
        _ => Err(Error::unsupported(
            "1_Pooling/config.json asks for neither mean nor cls pooling alone",
        )),
    }
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
