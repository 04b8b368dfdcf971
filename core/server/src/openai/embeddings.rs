//! `POST /v1/embeddings`.

use axum::Json;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gannet_core::api::EmbedPurpose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::of_model;
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
    /// A provider of `providers`, by its name or by that of its model; the
    /// configured one when missing.
    #[serde(default)]
    model: Option<String>,
    /// `float` for numbers, `base64` for their bytes: of each number the four
    /// of an `f32`, the lowest first.
    #[serde(default)]
    encoding_format: EncodingFormat,
    /// Dimensions of the vectors; only those of the model are taken.
    #[serde(default)]
    dimensions: Option<usize>,
    /// `query` for questions, `document` for what is searched.
    #[serde(default)]
    input_type: InputType,
}

/// One text or several.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be a string or a list of strings")]
enum Input {
    One(String),
    Several(Vec<String>),
}

/// How a vector is written.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EncodingFormat {
    /// A list of numbers.
    #[default]
    Float,
    /// The bytes of the numbers in Base64.
    Base64,
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
    embedding: Vector,
}

/// A vector as `encoding_format` has it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Vector {
    Float(Vec<f32>),
    Base64(String),
}

impl EncodingFormat {
    fn write(self, vector: Vec<f32>) -> Vector {
        match self {
            Self::Float => Vector::Float(vector),
            Self::Base64 => {
                let bytes = vector.into_iter().flat_map(f32::to_le_bytes);
                Vector::Base64(STANDARD.encode(bytes.collect::<Vec<u8>>()))
            }
        }
    }
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
        return Err(Problem::invalid(detail).param("input"));
    }
    let purpose = match body.input_type {
        InputType::Query => EmbedPurpose::Query,
        InputType::Document => EmbedPurpose::Document,
    };
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let work = async move { gannet.embed(&tenant, body.model, texts, purpose).await };
    let embeddings = app
        .infer(async move { work.await.map_err(of_model) })
        .await?;
    check_dimensions(body.dimensions, embeddings.model.dimension)?;
    let data = embeddings.vectors.into_iter().enumerate();
    let data = data.map(|(index, embedding)| Embedding {
        object: "embedding",
        index,
        embedding: body.encoding_format.write(embedding),
    });
    Ok(Json(EmbeddingsReply {
        object: "list",
        data: data.collect(),
        model: embeddings.model.name,
    }))
}

/// Vectors are not shortened.
fn check_dimensions(asked: Option<usize>, dimensions: usize) -> Result<(), Problem> {
    match asked {
        Some(asked) if asked != dimensions => {
            let detail = format!("dimensions: the model has {dimensions}, not {asked}");
            Err(Problem::invalid(detail).param("dimensions"))
        }
        _ => Ok(()),
    }
}
