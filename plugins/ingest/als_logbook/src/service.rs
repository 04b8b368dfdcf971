//! The HTTP service of the logbook.

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{Error, Record, Result};
use gannet_sources::{HttpService, TimeWindow};
use serde_json::value::RawValue;

use crate::record::Conversion;

/// Characters of an answer that is no list that its error shows.
const SHOWN: usize = 200;

/// The service, and what its entries are converted with.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) http: HttpService,
    pub(crate) conversion: Conversion,
}

impl Service {
    /// The records of one span of time.
    ///
    /// # Errors
    /// Those of [`HttpService::send`], and [`Error::Provider`] for an answer
    /// that is no list, or that has an entry outside of the span.
    pub(crate) async fn fetch(self, window: TimeWindow) -> Result<Vec<Record>> {
        let answer = self.http.send(self.request(window)).await?;
        self.records(&answer.body, window)
    }

    fn request(&self, window: TimeWindow) -> HttpRequest {
        // The service knows no fractions: the second that has begun belongs to
        // the span.
        let end = window.end.as_second() + i64::from(window.end.subsec_nanosecond() > 0);
        HttpRequest::get(self.http.url())
            .query("op", "retrieve")
            .query("start", window.start.as_second())
            .query("end", end)
    }

    /// The entries of an answer. One that is no list fails: the span is asked
    /// for again by the next run.
    fn records(&self, body: &[u8], window: TimeWindow) -> Result<Vec<Record>> {
        let members: Vec<&RawValue> =
            serde_json::from_slice(body).map_err(|error| self.no_list(body, &error))?;
        let members = members.into_iter().map(RawValue::get);
        let records = window.records(1, members, |position, raw| {
            self.conversion.record(position, raw)
        });
        match window.stray(&records) {
            None => Ok(records),
            Some(time) => Err(self.wrong(format!(
                "an entry of {time} came, which is outside of the span: the service does not \
                 select entries by their `timestamp`"
            ))),
        }
    }

    fn no_list(&self, body: &[u8], error: &serde_json::Error) -> Error {
        let text = String::from_utf8_lossy(body);
        let what = match text.trim_start().chars().next() {
            None => return self.wrong("the service answered nothing, not even `[]`".to_owned()),
            Some('<') => "a page of HTML".to_owned(),
            Some(_) => format!("not a JSON array of entries: {error}"),
        };
        let shown: String = text.chars().take(SHOWN).collect();
        self.wrong(format!("the service answered {what}: {}", shown.trim()))
    }

    fn wrong(&self, message: String) -> Error {
        Error::Provider {
            provider: self.http.url().to_owned(),
            message,
            retryable: false,
        }
    }
}
