//! An embedding service of the facility, as an embedder.
//!
//! It is asked `POST URL` with `{"texts": ["RF trip"], "purpose": "query"}`, and
//! answers `{"vectors": [[0.1, …]]}`.

#[cfg(test)]
mod tests;

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::*;
use gannet_plugin::provider::{EmbedPurpose, Embedder, EmbeddingModel};
use serde::Deserialize;
use serde_json::json;

gannet_plugin::export_plugin! {
    embedders: [VectorService],
}

/// Asks a service for vectors.
pub struct VectorService(Settings);

/// What the configuration can set.
#[settings]
pub struct Settings {
    /// The address of the service.
    #[setting(required)]
    pub url: String,
    /// The name of the model behind it: another name when its vectors change.
    #[setting(required)]
    pub model: String,
    /// Dimensions of its vectors.
    #[setting(required, min = 1, max = 8192)]
    pub dimension: usize,
    /// Texts of one request at most.
    #[setting(default = 64, min = 1)]
    pub batch: usize,
}

#[derive(Deserialize)]
struct Answer {
    vectors: Vec<Vec<f32>>,
}

impl Embedder for VectorService {
    const NAME: &'static str = "vector_service";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Asks the embedding service of the facility for vectors.";
        let example = Example::new("asks a service", "")
            .with_setting("url", "http://localhost:8080/embed")
            .with_setting("model", "facility-1")
            .with_setting("dimension", 384);
        Descriptor::embedder(Self::NAME, "Vector service", description).with_example(example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new(self.0.model.clone(), self.0.dimension, 512).with_variant("service")
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        context: &Context,
    ) -> Result<Vec<Vec<f32>>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(self.0.batch) {
            let body = json!({"texts": texts, "purpose": purpose});
            let ask = HttpRequest::post_json(&self.0.url, &body);
            let answer: Answer = context.http(ask).await?.json()?;
            for vector in answer.vectors {
                vectors.push(unit(vector).ok_or_else(|| Error::Provider {
                    provider: Self::NAME.to_owned(),
                    message: "the service gave a vector without a direction".to_owned(),
                    retryable: false,
                })?);
            }
        }
        Ok(vectors)
    }
}

/// The vector of length 1 in the same direction.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_normal() {
        return None;
    }
    vector.iter_mut().for_each(|x| *x /= length);
    Some(vector)
}
