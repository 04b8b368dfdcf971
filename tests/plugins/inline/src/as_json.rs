//! Modules that cross the boundary as JSON, to measure against.
//!
//! They do what [`Giving`] and [`Embedding`](super::Embedding) do, with texts
//! through doors that are there: the query holds the request, and the id of
//! the only hit holds all hits.

use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, NoSettings, Result, SearchModule, SearchRequest, Setup,
};
use gannet_plugin::provider::EmbeddingModel;
use gannet_plugin::search::ScoreKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Giving;

/// A request for hits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskedHits {
    /// The question.
    pub query: String,
    /// How many hits.
    pub limit: usize,
    /// Values of the module's parameters.
    pub params: Map<String, Value>,
}

/// A request for vectors.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskedVectors {
    /// The texts.
    pub texts: Vec<String>,
    /// What they are embedded for.
    pub purpose: String,
}

/// Vectors.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GivenVectors {
    /// One for each text.
    pub vectors: Vec<Vec<f32>>,
    /// Of this model.
    pub model: EmbeddingModel,
}

/// Gives as many hits as it is asked for, as a text.
pub struct GivingJson;

impl SearchModule for GivingJson {
    const NAME: &'static str = "giving_json";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Giving JSON", "Gives hits as a text.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let asked: AskedHits = serde_json::from_str(&request.query).map_err(failed)?;
        let mut request = SearchRequest::new(asked.query, asked.limit);
        request.params = asked.params;
        let hits = Giving.search(request, context).await?;
        let text = serde_json::to_string(&hits).map_err(failed)?;
        Ok(vec![Hit::new(text, "json", 0.0, ScoreKind::None)])
    }
}

/// Asks the host for a vector by the door for services without a type.
pub struct EmbeddingJson;

impl SearchModule for EmbeddingJson {
    const NAME: &'static str = "embedding_json";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        let what = "Asks the host for a vector as a text.";
        Descriptor::search_module(Self::NAME, "Embedding JSON", what)
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let wish = AskedVectors {
            texts: vec![request.query],
            purpose: "query".to_owned(),
        };
        let wish = serde_json::to_vec(&wish).map_err(failed)?;
        let call = context.host().call(&context.call, "embed", wish);
        let _: GivenVectors = serde_json::from_slice(&call.await?).map_err(failed)?;
        Ok(Vec::new())
    }
}

fn failed(error: serde_json::Error) -> Error {
    Error::internal(error.to_string())
}
