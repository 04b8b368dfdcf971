//! Counts and times of requests and searches, in the text format of
//! Prometheus.

mod ingest;
mod page;
mod plugins;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gannet_core::store::StoreStats;
use gannet_core::{Histogram, RetrieverMethod, RetrieverResponse, SearchResult};
use jiff::Timestamp;

use self::page::Page;
use crate::problem::Problem;
use crate::recent::RecentSearches;
use crate::state::App;
use crate::traces::SpanCounts;

/// Routes whose requests are logged at a lower level.
const NOT_LOGGED: [&str; 4] = ["/healthz", "/readyz", "/health", "/metrics"];
/// What requests without a route are counted under.
const NO_ROUTE: &str = "none";

/// Counts since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    counts: Mutex<Counts>,
    /// Lines of the query log that were not written.
    dropped_queries: Arc<AtomicU64>,
    /// Spans that were sent, and those that were not.
    pub spans: Arc<SpanCounts>,
    /// How long the searches of the last hour took.
    pub recent: RecentSearches,
}

#[derive(Default)]
struct Counts {
    /// By method, route and status.
    requests: BTreeMap<(String, String, u16), u64>,
    /// By route.
    durations: BTreeMap<String, Histogram>,
    /// By mode.
    searches: BTreeMap<String, u64>,
    /// By mode.
    degraded: BTreeMap<String, u64>,
    /// By mode.
    cancelled: BTreeMap<String, u64>,
    /// By code of the problem.
    rejected: BTreeMap<String, u64>,
    /// By method of the Retriever.
    retriever: BTreeMap<&'static str, Histogram>,
}

impl Metrics {
    /// A search that succeeded.
    pub fn searched(&self, result: &SearchResult) {
        self.ended(&result.mode, result.took_ms, result.degraded);
    }

    /// Lines of the query log that were not written, which the log counts.
    pub fn dropped_queries(&self) -> Arc<AtomicU64> {
        self.dropped_queries.clone()
    }

    /// A search of this mode that nobody waited for any more.
    pub fn cancelled(&self, mode: &str) {
        let mut counts = self.counts();
        *counts.cancelled.entry(mode.to_owned()).or_default() += 1;
    }

    /// A request of the Retriever that succeeded, by a search of this mode.
    pub fn retrieved(&self, mode: &str, response: &RetrieverResponse) {
        let name = match response.method_used {
            RetrieverMethod::Vector => "vector",
            RetrieverMethod::Keyword => "keyword",
            RetrieverMethod::Hybrid => "hybrid",
        };
        let times = &response.metadata;
        let took_ms = times.search_duration_ms + times.synthesis_duration_ms;
        self.ended(mode, took_ms, times.degraded);
        let took = Duration::from_secs_f64(took_ms.max(0.0) / 1000.0);
        self.counts().retriever.entry(name).or_default().add(took);
    }

    fn ended(&self, mode: &str, took_ms: f64, is_degraded: bool) {
        let took = Duration::from_secs_f64(took_ms.max(0.0) / 1000.0);
        self.recent.add(took, Timestamp::now());
        let mut counts = self.counts();
        *counts.searches.entry(mode.to_owned()).or_default() += 1;
        if is_degraded {
            *counts.degraded.entry(mode.to_owned()).or_default() += 1;
        }
    }

    fn requested(&self, method: &str, route: &str, response: &Response, took: Duration) {
        let mut counts = self.counts();
        let key = (
            method.to_owned(),
            route.to_owned(),
            response.status().as_u16(),
        );
        *counts.requests.entry(key).or_default() += 1;
        counts
            .durations
            .entry(route.to_owned())
            .or_default()
            .add(took);
        let problem = response.extensions().get::<Problem>();
        if let Some(problem) = problem.filter(|problem| [429, 503].contains(&problem.status)) {
            *counts.rejected.entry(problem.code.to_owned()).or_default() += 1;
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // Counters are whole after a panic too.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts each request.
pub(crate) async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().to_string();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or(NO_ROUTE, MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    let took = started.elapsed();
    app.backend
        .metrics
        .requested(&method, &route, &response, took);
    log(&method, &route, &response, took);
    response
}

/// A line for each request; its id stands in the span around it. The path may
/// be long and the query string may hold a question: the route says enough.
fn log(method: &str, route: &str, response: &Response, took: Duration) {
    let status = response.status().as_u16();
    // A number in JSON too: wider ones are written as text.
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    // What supervisors ask every few seconds would hide the rest.
    match NOT_LOGGED.contains(&route) {
        true => tracing::debug!(method, route, status, ms, "answered"),
        false => tracing::info!(method, route, status, ms, "answered"),
    }
}

/// `GET /metrics`.
pub(crate) async fn show(State(app): State<App>) -> Result<Response, Problem> {
    let store = app.gannet.store().stats().await?;
    let text = render(&app, &store);
    let media = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, media)], text).into_response())
}

fn render(app: &App, store: &StoreStats) -> String {
    let mut page = Page::default();
    let counts = app.backend.metrics.counts();
    page.head(
        "gannet_http_requests_total",
        "counter",
        "Requests by method, route and status.",
    );
    for ((method, route, status), count) in &counts.requests {
        let status = status.to_string();
        let labels = [
            ("method", method.as_str()),
            ("route", route),
            ("status", &status),
        ];
        page.value("gannet_http_requests_total", &labels, count);
    }
    let name = "gannet_http_request_duration_seconds";
    page.head(
        name,
        "histogram",
        "Time to the head of the response by route.",
    );
    for (route, histogram) in &counts.durations {
        page.histogram(name, &[("route", route)], histogram);
    }
    let by_label = [
        (
            "gannet_searches_total",
            "Searches that succeeded by mode.",
            "mode",
            &counts.searches,
        ),
        (
            "gannet_searches_degraded_total",
            "Searches with a partial result by mode.",
            "mode",
            &counts.degraded,
        ),
        (
            "gannet_searches_cancelled_total",
            "Searches whose client went away by mode.",
            "mode",
            &counts.cancelled,
        ),
        (
            "gannet_requests_rejected_total",
            "Requests refused with 429 or 503 by code.",
            "code",
            &counts.rejected,
        ),
    ];
    for (name, help, label, values) in by_label {
        page.head(name, "counter", help);
        for (value, count) in values {
            page.value(name, &[(label, value)], count);
        }
    }
    let lanes = [
        ("direct", &app.backend.searches),
        ("model", &app.backend.model_searches),
        ("remote", &app.backend.remote_searches),
        ("inference", &app.backend.inference),
    ];
    page.head(
        "gannet_searches_running",
        "gauge",
        "Searches that run, by what they wait for, and lists that are embedded or ranked.",
    );
    for (lane, searches) in &lanes {
        page.value(
            "gannet_searches_running",
            &[("lane", lane)],
            searches.running(),
        );
    }
    page.head(
        "gannet_searches_queued",
        "gauge",
        "Those that wait for others to end.",
    );
    for (lane, searches) in &lanes {
        page.value(
            "gannet_searches_queued",
            &[("lane", lane)],
            searches.waiting(),
        );
    }
    let name = "gannet_question_cache_total";
    let help = "Embeddings of questions that were known from before, and those that were made.";
    page.head(name, "counter", help);
    let questions = app.gannet.question_cache_counts();
    for (outcome, count) in [("hit", questions.hits), ("miss", questions.misses)] {
        page.value(name, &[("outcome", outcome)], count);
    }
    let name = "gannet_query_log_dropped_total";
    page.head(name, "counter", "Lines of the query log that were dropped.");
    let dropped = app.backend.metrics.dropped_queries.load(Ordering::Relaxed);
    page.value(name, &[], dropped);
    let name = "gannet_audit_log_lost_total";
    let help = "Lines of the audit log that were not written, or not in time.";
    page.head(name, "counter", help);
    page.value(name, &[], app.backend.logs.lost());
    let spans = &app.backend.metrics.spans;
    for (name, help, count) in [
        (
            "gannet_trace_spans_sent_total",
            "Spans that the collector of traces took.",
            &spans.sent,
        ),
        (
            "gannet_trace_spans_dropped_total",
            "Spans that were not sent, or were rejected.",
            &spans.dropped,
        ),
    ] {
        page.head(name, "counter", help);
        page.value(name, &[], count.load(Ordering::Relaxed));
    }
    page.store(store, &app.gannet.config().store.parts());
    page.ingest(&app.lasting.watching.reports());
    page.retriever(&counts.retriever);
    page.plugins(&app.gannet.instance_metrics());
    page.into_text()
}
