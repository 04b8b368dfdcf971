//! The search of the service.

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Error, Record, Result};
use gannet_sources::{HttpService, TimeWindow};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::record::Conversion;

/// Results of a search that the index behind the service gives at most.
const MOST_RESULTS: usize = 10_000;
/// The service counts in seconds.
const SECOND: SignedDuration = SignedDuration::from_secs(1);

/// The service, what is asked of it, and what its entries are converted with.
/// Times without an offset are those of the server.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) http: HttpService,
    /// Names with commas between; all when empty.
    pub(crate) logbooks: String,
    pub(crate) page_size: usize,
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
    /// Those of [`HttpService::send`], and [`Error::Provider`] for an answer of
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
                let logs = page.iter().map(|log| log.get());
                records.extend(span.records(read + 1, logs, |position, raw| {
                    self.conversion.record(position, raw)
                }));
                read += page.len();
                if page.len() < self.page_size || read >= MOST_RESULTS {
                    break;
                }
                page = self.page(span, read).await?.1;
            }
            if read < count {
                return Err(self.wrong(format!("{read} of {count} entries came from {span}")));
            }
        }
        Ok(records)
    }

    /// How many entries the span has, and those from one on.
    async fn page(&self, span: TimeWindow, from: usize) -> Result<(usize, Logs)> {
        let mut request = HttpRequest::get(format!("{}/logs/search", self.http.url()))
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
        let answer = self.http.send(request).await?;
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

    /// A time as the service reads it.
    fn written(&self, time: Timestamp) -> String {
        let local = time.to_zoned(self.conversion.source.zone.clone());
        local.strftime("%Y-%m-%d %H:%M:%S.000").to_string()
    }

    fn wrong(&self, message: String) -> Error {
        Error::Provider {
            provider: self.http.url().to_owned(),
            message,
            retryable: false,
        }
    }
}
