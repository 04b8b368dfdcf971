//! The Retriever's face: a request and a response as the retriever of an
//! agent system has them, over the pipeline `rag`.
//!
//! Names, limits and defaults are OctoLLM's (its component page and OpenAPI
//! file); the names of its client library are read too. Surfaces put it at
//! `POST /search`.

mod request;
mod response;

pub use request::{RetrieverMethod, RetrieverRequest};
pub use response::{RetrieverMetadata, RetrieverResponse, RetrieverResult};

use gannet_api::Error;
use gannet_api::query::parse_filter_value;
use serde_json::json;

use crate::config::StoreKind;
use crate::{Gannet, HostError, SearchInput};

/// The pipeline behind it.
const PIPELINE: &str = "rag";

impl Gannet {
    /// Answers a request of the Retriever's form.
    ///
    /// # Errors
    /// [`HostError::Plugin`] with [`Error::InvalidInput`] for a request that
    /// is out of its limits; else as [`Gannet::search`].
    pub async fn retrieve(
        &self,
        request: RetrieverRequest,
        tenant: &str,
    ) -> Result<RetrieverResponse, HostError> {
        request.check()?;
        let mut input = SearchInput::new(&request.query);
        input.mode = Some(PIPELINE.to_owned());
        input.max_results = Some(request.limit);
        let options = self.services().query_options();
        let read = |name: &str, value: &str| parse_filter_value(name, value, &options);
        input.filter = request.filter(read)?;
        input.tenant = tenant.to_owned();
        let parameters = [
            ("method", Some(json!(request.method))),
            ("min_relevance", Some(json!(request.min_relevance_score))),
            ("rerank", request.rerank.map(|rerank| json!(rerank))),
            ("answer", (!request.synthesize).then(|| json!("none"))),
        ];
        for (name, value) in parameters {
            if let Some(value) = value {
                input.params.insert(name.to_owned(), value);
            }
        }
        let result = self.search(input).await?;
        let embedder = self
            .services()
            .embedder(&self.config().embedding.provider)?;
        // Its kind and not its place, which is the operators' concern.
        let database = match self.store_config().kind {
            StoreKind::Embedded => "embedded",
            StoreKind::Postgres => "postgresql",
        };
        let (database, model) = (database.to_owned(), embedder.model().name);
        Ok(RetrieverResponse::of(result, &request, database, model))
    }
}

/// What is wrong with a request, in the words of the interface.
fn refused(message: String) -> Error {
    Error::invalid_input(message)
}
