//! The search of the service.

use std::time::Duration;

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Context, Error, Record, Result};
use gannet_sources::{Retry, TimeWindow};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::record::Conversion;

/// Results of a search that the index behind the service gives at most.
const MOST_RESULTS: usize = 10_000;
/// The service counts in seconds.
const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// How the service is asked.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) url: String,
    /// Names with commas between; all when empty.
    pub(crate) logbooks: String,
    /// The time zone of the server.
    pub(crate) zone: TimeZone,
    pub(crate) page_size: usize,
    pub(crate) timeout: Duration,
    pub(crate) retry: Retry,
    pub(crate) context: Context,
    pub(crate) conversion: Conversion,
}

/// Entries as they came.
type Logs = Vec<Box<RawValue>>;

/// One page of a search.
#[derive(Deserialize)]
struct Page {
    #[serde(rename = "hitCount")]
    hit_count: usize,
    logs: Logs,
}

impl Service {
    /// The records of one span of time.
    ///
    /// # Errors
    /// Those of [`Context::http`], and [`Error::Provider`] for an answer of
    /// another form.
    pub(crate) async fn fetch(self, window: TimeWindow) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        let mut spans = vec![window];
        while let Some(span) = spans.pop() {
            let (count, mut page) = self.page(span, 0).await?;
            if count > MOST_RESULTS && span.end.duration_since(span.start) > SECOND * 2 {
                spans.extend(span.halves());
                continue;
            }
            let mut read = 0;
            while !page.is_empty() {
                records.extend(self.records(span, read, &page));
                read += page.len();
                if page.len() < self.page_size || read >= MOST_RESULTS {
                    break;
                }
                page = self.page(span, read).await?.1;
            }
            if read < count {
                return Err(self.wrong(format!(
                    "{read} of {count} entries came from {} to {}",
                    span.start, span.end
                )));
            }
        }
        Ok(records)
    }

    /// How many entries the span has, and those from one on.
    async fn page(&self, span: TimeWindow, from: usize) -> Result<(usize, Logs)> {
        let mut request = HttpRequest::get(format!("{}/logs/search", self.url))
            .query("start", self.written(span.start))
            // Fractions are cut off there, and the end belongs to the span.
            .query(
                "end",
                self.written(span.end.saturating_add(SECOND).unwrap_or(span.end)),
            )
            .query("from", from)
            .query("size", self.page_size)
            .query("sort", "up");
        if !self.logbooks.is_empty() {
            request = request.query("logbooks", &self.logbooks);
        }
        request.timeout = Some(self.timeout);
        let answer = self.retry.http(&self.context, request).await?;
        // Older services answer the list alone.
        let page = match answer.body.trim_ascii_start().starts_with(b"[") {
            true => answer.json::<Logs>().map(|logs| (0, logs)),
            false => answer
                .json::<Page>()
                .map(|page| (page.hit_count, page.logs)),
        };
        page.map_err(|error| {
            self.wrong(format!(
                "{error}; is `source_url` the address of the service, such as https://HOST/Olog?"
            ))
        })
    }

    fn records(&self, span: TimeWindow, read: usize, page: &[Box<RawValue>]) -> Vec<Record> {
        let numbered = (read + 1..).zip(page);
        let records = numbered.map(|(number, log)| {
            let position = format!("{} to {}, entry {number}", span.start, span.end);
            self.conversion.record(position, log.get())
        });
        records.collect()
    }

    /// A time as the service reads it.
    fn written(&self, time: Timestamp) -> String {
        let local = time.to_zoned(self.zone.clone());
        local.strftime("%Y-%m-%d %H:%M:%S.000").to_string()
    }

    fn wrong(&self, message: String) -> Error {
        Error::Provider {
            provider: self.url.clone(),
            message,
            retryable: false,
        }
    }
}
