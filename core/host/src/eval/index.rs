//! Indexes the documents of a set.

use std::path::Path;
use std::time::Instant;

use gannet_api::FetchRequest;

use super::{EvalError, EvalStep};
use crate::{EnhanceRequest, Gannet, IngestRequest, Stop};

/// How long indexing took.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexTime {
    /// Seconds for the texts.
    pub text_s: f64,
    /// Seconds for the vectors.
    pub vector_s: f64,
}

impl IndexTime {
    /// The part that this mode needs, in seconds.
    pub fn of_mode(self, gannet: &Gannet, mode: &str) -> f64 {
        match gannet.needs_vectors(mode) {
            true => self.text_s + self.vector_s,
            false => self.text_s,
        }
    }
}

/// Ingests the documents, and embeds them when a mode needs vectors.
///
/// # Errors
/// A mode that is not enabled; ingestion or enhancement that fails.
pub(super) async fn index(
    gannet: &Gannet,
    corpus: &Path,
    modes: &[String],
    stop: &Stop,
    progress: &mut impl FnMut(EvalStep),
) -> Result<IndexTime, EvalError> {
    for mode in modes {
        gannet.mode(mode)?;
    }
    let started = Instant::now();
    let ingest = IngestRequest {
        adapter: Some("jsonl".to_owned()),
        fetch: FetchRequest::default().with_source(corpus.display().to_string()),
        ..IngestRequest::default()
    };
    gannet
        .ingest(ingest, stop, |step| progress(EvalStep::Ingest(step)))
        .await?;
    let text_s = started.elapsed().as_secs_f64();
    if modes.iter().any(|mode| gannet.needs_vectors(mode)) {
        let all = EnhanceRequest::default();
        gannet
            .enhance(all, stop, |step| progress(EvalStep::Enhance(step)))
            .await?;
    }
    Ok(IndexTime {
        text_s,
        vector_s: started.elapsed().as_secs_f64() - text_s,
    })
}
