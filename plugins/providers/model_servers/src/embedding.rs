//! Code shared by the embedders: batches, order, checks, normalization.

use gannet_plugin::prelude::Result;
use gannet_plugin::provider::{EmbedPurpose, EmbeddingModel};
use serde_json::Value;

use crate::response::max_of_vectors;
use crate::server::Server;
use crate::settings::EmbeddingSettings;

/// Maximum tokens of a text for unknown models.
const MAX_TOKENS: usize = 512;

/// What a store can hold: dimensions of a vector, bytes of a model's name.
const MAX_DIMENSION: usize = 8_192;
const MAX_NAME: usize = 255;

/// Names, dimensions and tokens of common models.
const KNOWN: [(&str, usize, usize); 8] = [
    ("text-embedding-3-small", 1536, 8191),
    ("text-embedding-3-large", 3072, 8191),
    ("text-embedding-ada-002", 1536, 8191),
    ("nomic-embed-text", 768, 2048),
    ("mxbai-embed-large", 1024, 512),
    ("snowflake-arctic-embed", 1024, 512),
    ("bge-m3", 1024, 8192),
    ("all-minilm", 384, 256),
];

/// The embedding model of a server.
pub(crate) struct EmbeddingOf(EmbeddingSettings);

/// A vector and the position of its text in the request.
pub(crate) struct Indexed {
    index: usize,
    vector: Vec<f32>,
}

impl EmbeddingOf {
    /// Completes the settings with known properties of the model.
    pub(crate) fn new(mut settings: EmbeddingSettings) -> Self {
        // Names of Ollama models may have a tag.
        let named = settings.model.as_deref().unwrap_or_default();
        let name = named.split(':').next().unwrap_or_default();
        let known = KNOWN.iter().find(|(known, ..)| *known == name);
        if let Some((_, dimension, max_tokens)) = known {
            settings.dimension.get_or_insert(*dimension);
            settings.max_tokens.get_or_insert(*max_tokens);
        }
        Self(settings)
    }

    /// The description of its vectors; without name and dimensions until both are
    /// set.
    pub(crate) fn model(&self) -> EmbeddingModel {
        EmbeddingModel::new(
            self.0.model.clone().unwrap_or_default(),
            self.0.dimension.unwrap_or_default(),
            self.0.max_tokens.unwrap_or(MAX_TOKENS),
        )
        .with_variant(self.variant())
    }

    /// Prefixes change the vectors, so they are part of the variant.
    fn variant(&self) -> String {
        let prefixes = [&self.0.query_prefix, &self.0.document_prefix];
        match prefixes.iter().all(|prefix| prefix.is_empty()) {
            true => self.0.variant.clone(),
            false => format!("{} {:?}", self.0.variant, prefixes)
                .trim()
                .to_owned(),
        }
    }

    /// Maximum size of a response with this number of vectors, in bytes.
    pub(crate) fn max_bytes(&self, count: usize) -> usize {
        max_of_vectors(count, self.0.dimension.unwrap_or_default())
    }

    /// The name of the model, if all required settings are set.
    pub(crate) fn known(&self, server: &Server) -> Result<&str> {
        let model =
            self.0.model.as_deref().ok_or_else(|| {
                server.misconfigured("embedding.model", "no embedding model is set")
            })?;
        if model.len() > MAX_NAME {
            let message = format!("has {} bytes, where {MAX_NAME} are possible", model.len());
            return Err(server.misconfigured("embedding.model", message));
        }
        match self.0.dimension {
            Some(dimension) if (1..=MAX_DIMENSION).contains(&dimension) => Ok(model),
            Some(dimension) => {
                let message = format!("is {dimension}, where 1 to {MAX_DIMENSION} are possible");
                Err(server.misconfigured("embedding.dimension", message))
            }
            None => {
                let message = format!("the dimensions of {model} are unknown; set them");
                Err(server.misconfigured("embedding.dimension", message))
            }
        }
    }

    /// The texts in batches, with their prefix.
    pub(crate) fn batches(&self, texts: Vec<String>, purpose: EmbedPurpose) -> Vec<Vec<String>> {
        let prefix = match purpose {
            EmbedPurpose::Query => &self.0.query_prefix,
            EmbedPurpose::Document => &self.0.document_prefix,
        };
        texts
            .chunks(self.0.batch.max(1))
            .map(|texts| texts.iter().map(|text| format!("{prefix}{text}")).collect())
            .collect()
    }

    /// One normalized vector per text, in the order of the texts.
    ///
    /// # Errors
    /// What is wrong with them, as a predicate after "a response that".
    pub(crate) fn in_order(
        &self,
        mut vectors: Vec<Indexed>,
        count: usize,
    ) -> std::result::Result<Vec<Vec<f32>>, String> {
        vectors.sort_by_key(|vector| vector.index);
        let is_complete = vectors.iter().map(|vector| vector.index).eq(0..count);
        if !is_complete {
            let got = vectors.len();
            return Err(format!(
                "has {got} vectors for {count} texts; one per text is required"
            ));
        }
        vectors
            .into_iter()
            .map(|one| self.checked(one.vector))
            .collect()
    }

    fn checked(&self, vector: Vec<f32>) -> std::result::Result<Vec<f32>, String> {
        let (got, wanted) = (vector.len(), self.0.dimension.unwrap_or_default());
        if got != wanted {
            return Err(format!(
                "has vectors of {got} dimensions, but `embedding.dimension` is {wanted}"
            ));
        }
        let squares = vector.iter().map(|x| f64::from(*x) * f64::from(*x));
        let length = squares.sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return Err("has a vector of length 0".to_owned());
        }
        Ok(vector
            .into_iter()
            .map(|x| (f64::from(x) / length) as f32)
            .collect())
    }
}

impl Indexed {
    /// Reads a vector; without an index, its position is used.
    pub(crate) fn read(
        vector: &Value,
        index: Option<u64>,
        place: usize,
    ) -> std::result::Result<Self, String> {
        let numbers = vector
            .as_array()
            .ok_or("has a vector that is not an array")?;
        let vector: Option<Vec<f32>> = numbers
            .iter()
            .map(|number| number.as_f64().map(|number| number as f32))
            .collect();
        Ok(Self {
            index: index.map_or(place, |index| usize::try_from(index).unwrap_or(usize::MAX)),
            vector: vector.ok_or("has a vector with a value that is not a number")?,
        })
    }
}
