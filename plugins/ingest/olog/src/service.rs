//! The search of the service.

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Error, Record, Result};
use gannet_sources::{HttpService, PagedList, TimeWindow, records_in_zone, server_end};
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

/// One page of a search: how many entries the span has, where the service
/// tells, and some of them as they came.
#[derive(Deserialize)]
struct Page {
    #[serde(rename = "hitCount")]
    total: Option<usize>,
    logs: Vec<Box<RawValue>>,
}

impl Service {
    /// The records of one span of time.
    ///
    /// # Errors
    /// Those of [`HttpService::send`], and [`Error::Provider`] for an answer of
    /// another form, or with an entry outside of the span.
    pub(crate) async fn fetch(self, window: TimeWindow) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        let mut spans = vec![window];
        while let Some(span) = spans.pop() {
            match self.pages(span).await? {
                Some(own) => records.extend(own),
                None => spans.extend(span.halves()),
            }
        }
        Ok(records)
    }

    /// The records of a span, page by page; `None` of one that has more than the
    /// service gives and can be halved.
    async fn pages(&self, span: TimeWindow) -> Result<Option<Vec<Record>>> {
        let can_be_halved = span.end.duration_since(span.start) > SECOND * 2;
        let Page { total, logs } = self.page(span, 0).await?;
        if can_be_halved && total > Some(MOST_RESULTS) {
            return Ok(None);
        }
        let wanted = total.unwrap_or(MOST_RESULTS).min(MOST_RESULTS);
        // A service may give fewer than it is asked for: where the total is not
        // known, the page behind the last one has nothing new.
        let mut list = PagedList::new(logs, total.is_some());
        while list.is_open() && list.entries().len() < wanted {
            let next = self.page(span, list.next_start()).await?.logs;
            list.add(self.http.url(), next)?;
        }
        let read = list.entries().len();
        if let Some(total) = total.filter(|total| read < *total) {
            return Err(self.wrong(format!("{read} of {total} entries came from {span}")));
        }
        let is_full = read >= MOST_RESULTS || (!list.knows_pages() && read >= self.page_size);
        if total.is_none() && is_full && can_be_halved {
            return Ok(None);
        }
        let logs = list.entries().iter().map(|log| log.get());
        let convert = |position, raw: &str| self.conversion.record(position, raw);
        let records = span.records(1, logs, convert);
        let records = records_in_zone(records, span, &self.conversion.source.zone);
        records.map(Some).map_err(|message| self.wrong(message))
    }

    /// The entries of the span from one on, which is one of the first
    /// [`MOST_RESULTS`]; the service refuses to count further.
    async fn page(&self, span: TimeWindow, from: usize) -> Result<Page> {
        let zone = &self.conversion.source.zone;
        // Of one entry a page that overlaps would have nothing new.
        let size = self.page_size.max(2);
        let mut request = HttpRequest::get(format!("{}/logs/search", self.http.url()))
            .query("start", self.written(span.start))
            .query("end", self.written(server_end(span.end, zone)))
            .query("from", from)
            .query("size", size.min(MOST_RESULTS - from))
            .query("sort", "up");
        if !self.logbooks.is_empty() {
            request = request.query("logbooks", &self.logbooks);
        }
        let answer = self.http.send(request).await?;
        // Older services answer the list alone.
        let page = match answer.body.trim_ascii_start().starts_with(b"[") {
            true => answer.json().map(|logs| Page { total: None, logs }),
            false => answer.json(),
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
