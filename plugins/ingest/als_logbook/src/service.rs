//! The HTTP service of the logbook.

use gannet_plugin::http::HttpRequest;
use gannet_plugin::ingest::RejectedRecord;
use gannet_plugin::prelude::{Record, Result};
use gannet_sources::{HttpService, TimeWindow};
use serde_json::value::RawValue;

use crate::record::Conversion;

/// Characters of an answer that is no list that are kept.
const SHOWN: usize = 1_000;

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
    /// Those of [`HttpService::send`].
    pub(crate) async fn fetch(self, window: TimeWindow) -> Result<Vec<Record>> {
        let answer = self.http.send(self.request(window)).await?;
        Ok(self.records(&answer.body, window))
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

    /// The entries of an answer. One that is no list is a rejected record, so
    /// that it is seen; the spans behind it may be good.
    fn records(&self, body: &[u8], window: TimeWindow) -> Vec<Record> {
        if body.trim_ascii().is_empty() {
            return Vec::new();
        }
        let members: Vec<&RawValue> = match serde_json::from_slice(body) {
            Ok(members) => members,
            Err(error) => return vec![Record::Rejected(no_list(body, window, &error))],
        };
        let members = members.into_iter().map(RawValue::get);
        window.records(1, members, |position, raw| {
            self.conversion.record(position, raw)
        })
    }
}

fn no_list(body: &[u8], window: TimeWindow, error: &serde_json::Error) -> RejectedRecord {
    let text = String::from_utf8_lossy(body);
    let what = match text.trim_start().starts_with('<') {
        true => "a page of HTML".to_owned(),
        false => format!("not a JSON array of entries: {error}"),
    };
    RejectedRecord::new(
        window.to_string(),
        format!("the service answered {what}"),
        text.chars().take(SHOWN).collect::<String>(),
    )
}
