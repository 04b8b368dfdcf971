//! The queue of spans, and the task that sends them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gannet_core::Stop;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep;

use super::otlp::{Collector, Refused};
use super::span::Span;

/// Spans that wait at most; others are dropped and counted.
const MOST_WAITING: usize = 2048;
/// Spans of a request at most.
const MOST_AT_ONCE: usize = 512;
/// How long a span waits for others at most.
const DELAY: Duration = Duration::from_secs(1);
/// How often the same spans are sent again.
const RETRIES: u32 = 2;
/// The wait before spans are sent again; twice as long the next time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait that a collector may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How many spans there were since the start.
#[derive(Debug, Default)]
pub(crate) struct SpanCounts {
    /// Taken by the collector.
    pub sent: AtomicU64,
    /// Not sent, or rejected.
    pub dropped: AtomicU64,
}

impl SpanCounts {
    fn add_sent(&self, count: usize) {
        self.sent.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn add_dropped(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// Takes spans for a collector. Clones share the queue; the task ends with the
/// last one.
#[derive(Debug, Clone)]
pub(crate) struct Exporter {
    queue: Sender<Span>,
    counts: Arc<SpanCounts>,
}

impl Exporter {
    /// The exporter, and the work of its task.
    pub(super) fn new(collector: Collector, counts: Arc<SpanCounts>, stop: Stop) -> (Self, Task) {
        let (queue, spans) = channel(MOST_WAITING);
        let exporter = Self {
            queue,
            counts: counts.clone(),
        };
        let task = Task {
            collector,
            spans,
            counts,
            stop,
            is_failing: false,
        };
        (exporter, task)
    }

    /// Takes a span, or drops it where too many wait.
    pub(super) fn export(&self, span: Span) {
        if self.queue.try_send(span).is_err() {
            self.counts.add_dropped(1);
        }
    }
}

/// Sends what the queue has.
pub(super) struct Task {
    collector: Collector,
    spans: Receiver<Span>,
    counts: Arc<SpanCounts>,
    /// Raised when what waits is to be sent for the last time.
    stop: Stop,
    /// Whether the last request failed, so that the log has one line for many
    /// failures.
    is_failing: bool,
}

impl Task {
    /// Sends spans until nobody makes any, or until the stop.
    pub async fn run(mut self) {
        while let Some(spans) = self.next().await {
            self.send(&spans).await;
        }
    }

    /// The next spans: a full request, or those of a while.
    async fn next(&mut self) -> Option<Vec<Span>> {
        let mut spans = Vec::new();
        tokio::select! {
            _ = self.spans.recv_many(&mut spans, MOST_AT_ONCE) => {}
            () = self.stop.raised() => {}
        }
        let others = async {
            while (1..MOST_AT_ONCE).contains(&spans.len()) {
                let room = MOST_AT_ONCE - spans.len();
                if self.spans.recv_many(&mut spans, room).await == 0 {
                    return;
                }
            }
        };
        tokio::select! {
            () = others => {}
            () = sleep(DELAY) => {}
            () = self.stop.raised() => {}
        }
        while spans.len() < MOST_AT_ONCE
            && let Ok(span) = self.spans.try_recv()
        {
            spans.push(span);
        }
        (!spans.is_empty()).then_some(spans)
    }

    async fn send(&mut self, spans: &[Span]) {
        let body = self.collector.body(spans);
        let mut wait = FIRST_WAIT;
        for retries_left in (0..=RETRIES).rev() {
            match self.collector.send(body.clone()).await {
                Ok(rejected) => return self.taken(spans.len(), rejected.min(spans.len())),
                Err(refused) if refused.is_retryable && retries_left > 0 => {
                    let asked = refused.retry_after.unwrap_or(wait).min(LONGEST_WAIT);
                    tokio::select! {
                        () = sleep(asked) => {}
                        () = self.stop.raised() => return self.lost(spans.len(), &refused),
                    }
                    wait *= 2;
                }
                Err(refused) => return self.lost(spans.len(), &refused),
            }
        }
    }

    fn taken(&mut self, count: usize, rejected: usize) {
        self.counts.add_sent(count - rejected);
        self.counts.add_dropped(rejected);
        if std::mem::take(&mut self.is_failing) {
            tracing::info!("traces are sent again");
        }
    }

    fn lost(&mut self, count: usize, refused: &Refused) {
        self.counts.add_dropped(count);
        if !std::mem::replace(&mut self.is_failing, true) {
            let reason = &refused.reason;
            tracing::warn!(reason, "traces cannot be sent; see `server.traces`");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::SystemTime;

    use gannet_outbound::{Origin, OutboundClient, OutboundOptions};

    use super::super::context::SpanContext;
    use super::super::headers::Headers;
    use super::super::span::SpanKind;
    use super::*;

    #[test]
    fn a_full_queue_drops_and_counts_spans_and_holds_nobody() {
        // Port 9 is never called: the task does not run.
        let endpoint = "http://127.0.0.1:9/v1/traces";
        let origin = Origin::configured(endpoint).unwrap();
        let collector = Collector {
            client: OutboundClient::new(origin, OutboundOptions::default()).unwrap(),
            endpoint: endpoint.parse().unwrap(),
            headers: Headers::default(),
            service_name: "gannet".to_owned(),
        };
        let counts = Arc::new(SpanCounts::default());
        let (exporter, task) = Exporter::new(collector, counts.clone(), Stop::default());
        let span = Span {
            context: SpanContext::root(),
            name: "GET /api/entries".to_owned(),
            kind: SpanKind::Server,
            started: SystemTime::now(),
            took: Duration::ZERO,
            attributes: Vec::new(),
            is_error: false,
        };
        // Without a runtime nothing could wait here.
        for _ in 0..MOST_WAITING + 7 {
            exporter.export(span.clone());
        }
        assert_eq!(counts.dropped.load(Ordering::Relaxed), 7);
        assert_eq!(task.spans.len(), MOST_WAITING);
        assert_eq!(counts.sent.load(Ordering::Relaxed), 0);
    }
}
