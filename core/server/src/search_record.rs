//! What is counted, logged and traced of a search, from its begin to its end.

use std::sync::Arc;

use gannet_core::{RetrieverResponse, SearchResult};

use crate::metrics::Metrics;
use crate::query_log::{Outcome, QueryRecord};
use crate::traces::SearchSpan;

/// A search under way. One that is dropped without an end was cancelled, as
/// when its client went away.
pub(crate) struct SearchRecord {
    mode: String,
    line: Option<QueryRecord>,
    span: Option<SearchSpan>,
    metrics: Arc<Metrics>,
    is_open: bool,
}

impl SearchRecord {
    /// A search of this mode begins.
    pub fn new(
        mode: &str,
        line: Option<QueryRecord>,
        span: Option<SearchSpan>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            mode: mode.to_owned(),
            line,
            span,
            metrics,
            is_open: true,
        }
    }

    /// It ended, with a result or without.
    pub fn end(mut self, result: Option<&SearchResult>) {
        if let Some(result) = result {
            self.metrics.searched(result);
        }
        self.log(result.map(|result| result.entries.len()));
        if let Some(span) = self.span.take() {
            span.end(result);
        }
    }

    /// A request of the Retriever ended, with a response or without.
    pub fn end_retrieval(mut self, response: Option<&RetrieverResponse>) {
        if let Some(response) = response {
            self.metrics.retrieved(&self.mode, response);
        }
        self.log(response.map(|response| response.total_results));
        if let Some(span) = self.span.take() {
            span.end_retrieval(response);
        }
    }

    fn log(&mut self, found: Option<usize>) {
        self.is_open = false;
        if let Some(line) = self.line.take() {
            line.end(found.map_or(Outcome::Failed, Outcome::Found));
        }
    }
}

impl Drop for SearchRecord {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        self.metrics.cancelled(&self.mode);
        if let Some(line) = self.line.take() {
            line.end(Outcome::Cancelled);
        }
        if let Some(span) = self.span.take() {
            span.end(None);
        }
    }
}
