//! Counts and times of requests and searches, in the text format of
//! Prometheus.

mod ingest;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gannet_core::store::StoreStats;
use gannet_core::{RetrieverMethod, SearchResult};
use jiff::Timestamp;

use crate::problem::Problem;
use crate::recent::RecentSearches;
use crate::state::App;
use crate::traces::SpanCounts;

/// The upper bounds of the histograms, in seconds.
const BOUNDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];
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
    /// By code of the problem.
    rejected: BTreeMap<String, u64>,
    /// By method of the Retriever.
    retriever: BTreeMap<&'static str, Histogram>,
}

#[derive(Default)]
struct Histogram {
    /// Up to each bound, those of the smaller bounds not included.
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
}

impl Histogram {
    fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        if let Some(at) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[at] += 1;
        }
        self.count += 1;
        self.sum += seconds;
    }
}

impl Metrics {
    /// A search that succeeded.
    pub fn searched(&self, result: &SearchResult) {
        let took = Duration::from_secs_f64(result.took_ms.max(0.0) / 1000.0);
        self.recent.add(took, Timestamp::now());
        let mut counts = self.counts();
        *counts.searches.entry(result.mode.clone()).or_default() += 1;
        if result.degraded {
            *counts.degraded.entry(result.mode.clone()).or_default() += 1;
        }
    }

    /// Lines of the query log that were not written, which the log counts.
    pub fn dropped_queries(&self) -> Arc<AtomicU64> {
        self.dropped_queries.clone()
    }

    /// A request of the Retriever that succeeded.
    pub fn retrieved(&self, method: RetrieverMethod, took: Duration) {
        let name = match method {
            RetrieverMethod::Vector => "vector",
            RetrieverMethod::Keyword => "keyword",
            RetrieverMethod::Hybrid => "hybrid",
        };
        self.counts().retriever.entry(name).or_default().add(took);
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
        page.histogram(name, ("route", route), histogram);
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
    ];
    page.head(
        "gannet_searches_running",
        "gauge",
        "Searches that run, without and with a chat model.",
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
        "Searches that wait for others to end.",
    );
    for (lane, searches) in &lanes {
        page.value(
            "gannet_searches_queued",
            &[("lane", lane)],
            searches.waiting(),
        );
    }
    let name = "gannet_query_log_dropped_total";
    page.head(name, "counter", "Lines of the query log that were dropped.");
    let dropped = app.backend.metrics.dropped_queries.load(Ordering::Relaxed);
    page.value(name, &[], dropped);
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
    page.store(store);
    page.ingest(&app.lasting.watching.reports());
    page.retriever(&counts.retriever);
    page.0
}

/// The text, line by line.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        match labels.is_empty() {
            true => self.line(format_args!("{name} {value}")),
            false => self.line(format_args!("{name}{{{}}} {value}", labels.join(","))),
        }
    }

    fn histogram(&mut self, name: &str, (label, value): (&str, &str), histogram: &Histogram) {
        let bucket = format!("{name}_bucket");
        let mut total = 0;
        for (bound, count) in BOUNDS.iter().zip(histogram.buckets) {
            total += count;
            self.value(
                &bucket,
                &[(label, value), ("le", &bound.to_string())],
                total,
            );
        }
        self.value(&bucket, &[(label, value), ("le", "+Inf")], histogram.count);
        self.value(&format!("{name}_sum"), &[(label, value)], histogram.sum);
        self.value(&format!("{name}_count"), &[(label, value)], histogram.count);
    }

    fn store(&mut self, store: &StoreStats) {
        self.head("gannet_store_entries", "gauge", "Entries of the store.");
        self.value("gannet_store_entries", &[], store.entries);
        let name = "gannet_store_lag_changes";
        self.head(
            name,
            "gauge",
            "Changes that an index has not taken over yet.",
        );
        let lag = |applied: i64| (store.sequence - applied).max(0);
        self.value(name, &[("index", "text")], lag(store.text_sequence));
        for (model, applied) in &store.vector_sequences {
            self.value(
                name,
                &[("index", "vector"), ("model", model)],
                lag(*applied),
            );
        }
    }

    /// By the names of the Retriever's documentation.
    fn retriever(&mut self, methods: &BTreeMap<&'static str, Histogram>) {
        self.head(
            "retriever_searches_total",
            "counter",
            "Requests of the Retriever by method.",
        );
        for (method, histogram) in methods {
            self.value(
                "retriever_searches_total",
                &[("method", method)],
                histogram.count,
            );
        }
        let name = "retriever_search_latency_seconds";
        self.head(
            name,
            "histogram",
            "Time of the requests of the Retriever by method.",
        );
        for (method, histogram) in methods {
            self.histogram(name, ("method", method), histogram);
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{line}");
    }
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_of_a_histogram_count_all_below_their_bound() {
        let mut histogram = Histogram::default();
        for millis in [4, 20, 60_000] {
            histogram.add(Duration::from_millis(millis));
        }
        let mut page = Page::default();
        page.histogram("t", ("route", "/a\"b"), &histogram);
        for line in [
            "t_bucket{route=\"/a\\\"b\",le=\"0.005\"} 1",
            "t_bucket{route=\"/a\\\"b\",le=\"0.025\"} 2",
            "t_bucket{route=\"/a\\\"b\",le=\"30\"} 2",
            "t_bucket{route=\"/a\\\"b\",le=\"+Inf\"} 3",
            "t_count{route=\"/a\\\"b\"} 3",
        ] {
            assert!(page.0.lines().any(|one| one == line), "{line}\n{}", page.0);
        }
    }
}
