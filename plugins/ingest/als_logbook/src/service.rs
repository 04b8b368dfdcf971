//! The HTTP service of the logbook.

use std::time::Duration;

use gannet_plugin::http::HttpRequest;
use gannet_plugin::ingest::RejectedRecord;
use gannet_plugin::prelude::{Context, Error, Record, Result};
use gannet_sources::{Retry, TimeWindow};
use serde_json::value::RawValue;

use crate::record::Conversion;

/// Characters of an answer that is no list that are kept.
const SHOWN: usize = 1_000;

/// How the service is asked.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) url: String,
    pub(crate) timeout: Duration,
    pub(crate) retry: Retry,
    pub(crate) context: Context,
    pub(crate) conversion: Conversion,
}

impl Service {
    /// The records of one span of time.
    ///
    /// # Errors
    /// Those of [`Context::http`], with the span.
    pub(crate) async fn fetch(self, window: TimeWindow) -> Result<Vec<Record>> {
        let request = self.request(window);
        let answer = self.retry.http(&self.context, request).await;
        let answer = answer.map_err(|error| in_window(error, window))?;
        Ok(self.records(&answer.body, window))
    }

    fn request(&self, window: TimeWindow) -> HttpRequest {
        // The service knows no fractions: the second that has begun belongs to
        // the span.
        let end = window.end.as_second() + i64::from(window.end.subsec_nanosecond() > 0);
        let mut request = HttpRequest::get(&self.url)
            .query("op", "retrieve")
            .query("start", window.start.as_second())
            .query("end", end);
        request.timeout = Some(self.timeout);
        request
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
        let members = (1..).zip(members).map(|(number, member)| {
            let position = format!("{}, entry {number}", named(window));
            self.conversion.record(position, member.get())
        });
        members.collect()
    }
}

fn no_list(body: &[u8], window: TimeWindow, error: &serde_json::Error) -> RejectedRecord {
    let text = String::from_utf8_lossy(body);
    let what = match text.trim_start().starts_with('<') {
        true => "a page of HTML".to_owned(),
        false => format!("not a JSON array of entries: {error}"),
    };
    RejectedRecord::new(
        named(window),
        format!("the service answered {what}"),
        text.chars().take(SHOWN).collect::<String>(),
    )
}

fn named(window: TimeWindow) -> String {
    format!("{} to {}", window.start, window.end)
}

/// The error of a provider, with the span that it was asked for.
fn in_window(error: Error, window: TimeWindow) -> Error {
    match error {
        Error::Provider {
            provider,
            message,
            retryable,
        } => Error::Provider {
            provider,
            message: format!(
                "{message} (asked for {}; `chunk_days` sets the span)",
                named(window)
            ),
            retryable,
        },
        other => other,
    }
}
