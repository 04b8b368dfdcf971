//! Traces of requests, sent to an OpenTelemetry collector.
//!
//! A request is a span with the names of the semantic conventions for HTTP; a
//! search is a child of it, and the stages of the search are children of that.
//! Which trace a request belongs to is said by its header `traceparent` (W3C
//! Trace Context). No span holds the text of a query, unless the query log
//! does too.
//!
//! Spans wait in a bounded queue until the [`exporter`] sends them. Nothing
//! waits for it: where the queue is full, spans are dropped and counted.

mod context;
mod exporter;
mod exports;
mod headers;
mod otlp;
mod request;
mod search;
mod span;

pub(crate) use exporter::{Exporter, SpanCounts};
pub(crate) use exports::Exports;
pub(crate) use request::{Trace, trace_request, within};
pub(crate) use search::SearchSpan;
