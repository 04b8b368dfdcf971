//! `POST /v1/embeddings`.

use axum::Json;
use gannet_core::api::EmbedPurpose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// Texts at most.
const MOST: usize = 256;

/// Texts to embed.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EmbeddingsRequest")]
pub(crate) struct EmbeddingsBody {
    /// A text or several, 256 at most.
    input: Input,
    /// A provider of `providers`; the configured one when missing.
    #[serde(default)]
    model: Option<String>,
    /// `query` for questions, `document` for what is searched.
    #[serde(default)]
    input_type: InputType,
}

/// One text or several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Input {
    One(String),
    Several(Vec<String>),
}

/// What a text is embedded for.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum InputType {
    /// To search with it.
    #[default]
    Query,
    /// To be searched.
    Document,
}

/// The vectors.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmbeddingsResponse")]
pub(crate) struct EmbeddingsReply {
    /// `list`.
    object: &'static str,
    /// A vector for each text.
    data: Vec<Embedding>,
    /// The model of the provider.
    model: String,
}

/// The vector of a text.
#[derive(Debug, Serialize, JsonSchema)]
struct Embedding {
    /// `embedding`.
    object: &'static str,
    /// Which text, from 0.
    index: usize,
    /// Its vector.
    embedding: Vec<f32>,
}

/// `POST /v1/embeddings`.
pub(crate) async fn embed(
    app: App,
    JsonBody(body): JsonBody<EmbeddingsBody>,
) -> Result<Json<EmbeddingsReply>, Problem> {
    let texts = match body.input {
        Input::One(text) => vec![text],
        Input::Several(texts) => texts,
    };
    if !(1..=MOST).contains(&texts.len()) {
        let detail = format!("input: must have 1 to {MOST} texts, has {}", texts.len());
        return Err(Problem::invalid(detail));
    }
    let purpose = match body.input_type {
        InputType::Query => EmbedPurpose::Query,
        InputType::Document => EmbedPurpose::Document,
    };
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let work = async move { gannet.embed(&tenant, body.model, texts, purpose).await };
    let embeddings = app.compute(work).await?;
    let data = embeddings.vectors.into_iter().enumerate();
    let data = data.map(|(index, embedding)| Embedding {
        object: "embedding",
        index,
        embedding,
    });
    Ok(Json(EmbeddingsReply {
        object: "list",
        data: data.collect(),
        model: embeddings.model.name,
    }))
}
