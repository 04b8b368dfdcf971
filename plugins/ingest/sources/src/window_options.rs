//! Which spans of time a run asks for.

use std::future::Future;

use gannet_plugin::ingest::RecordStream;
use gannet_plugin::prelude::{Error, FetchRequest, Record, Result};
use jiff::{SignedDuration, Timestamp};

use crate::{TimeWindow, from_windows, instant_setting, time_windows};

/// Which windows a source is asked for; the settings of an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowOptions {
    /// The first instant that the source is asked for.
    pub start: Timestamp,
    /// Hours before the end of the last run that are asked for again.
    pub overlap_hours: u32,
    /// Days that are asked for at once.
    pub chunk_days: u32,
}

impl WindowOptions {
    /// Those of the settings of an adapter.
    ///
    /// # Errors
    /// [`Error::Setting`] for a `start` that is not an instant of RFC 3339.
    pub fn new(start: &str, overlap_hours: u32, chunk_days: u32) -> Result<Self> {
        Ok(Self {
            start: instant_setting("start", start)?,
            overlap_hours,
            chunk_days,
        })
    }

    /// The records that `fetch` gives for each window of a request, as by
    /// [`from_windows`]. They begin at [`first_instant`] and end at `until`, or
    /// now. Where they end now they are complete since they begin, so that the
    /// service has to select windows by the `timestamp` of the entries.
    ///
    /// # Errors
    /// Those of [`first_instant`].
    pub fn records<F, Answer>(self, request: FetchRequest, fetch: F) -> Result<RecordStream>
    where
        F: FnMut(TimeWindow) -> Answer + Send + 'static,
        Answer: Future<Output = Result<Vec<Record>>> + Send,
    {
        let from = self.first(&request)?;
        let is_open = request.until.is_none() && request.limit.is_none();
        let windows = self.windows(from, request.until);
        let records = from_windows(request, windows, fetch);
        Ok(records.with_complete_since(is_open.then_some(from)))
    }

    fn first(self, request: &FetchRequest) -> Result<Timestamp> {
        let overlap = SignedDuration::from_hours(self.overlap_hours.into());
        first_instant(request, self.start, overlap)
    }

    fn windows(
        self,
        from: Timestamp,
        until: Option<Timestamp>,
    ) -> impl Iterator<Item = TimeWindow> + Send + use<> {
        let width = SignedDuration::from_hours(24 * i64::from(self.chunk_days));
        time_windows(from, until.unwrap_or_else(Timestamp::now), width)
    }
}

/// Where the windows of a request begin: at `since`, or else an overlap before
/// the cursor that [`from_windows`] gave, or else at `start`, where the source
/// begins. The overlap is for entries that were written or edited late.
///
/// # Errors
/// [`Error::InvalidInput`] for a cursor that is not one of [`from_windows`].
pub fn first_instant(
    request: &FetchRequest,
    start: Timestamp,
    overlap: SignedDuration,
) -> Result<Timestamp> {
    if let Some(since) = request.since {
        return Ok(since);
    }
    let Some(cursor) = &request.cursor else {
        return Ok(start);
    };
    let reached: Timestamp = cursor.parse().map_err(|error| {
        Error::invalid_input(format!(
            "the cursor `{cursor}` is not a timestamp ({error}); run `gannet ingest --from-start`"
        ))
    })?;
    // Before the first instant that there is, it is before the source anyway.
    Ok(reached
        .checked_sub(overlap)
        .map_or(start, |from| from.max(start)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    #[test]
    fn records_up_to_now_are_complete_since_they_begin_and_no_others_are() {
        let options = WindowOptions::new("2024-01-01T00:00:00Z", 6, 400).unwrap();
        let complete_since = |request: FetchRequest| {
            let stream = options.records(request, |_| async { Ok(Vec::new()) });
            stream.unwrap().complete_since
        };
        let request = FetchRequest::default;
        let at = |text: &str| text.parse::<Timestamp>().ok();
        assert_eq!(complete_since(request()), Some(options.start));
        let cursor = "2024-01-05T08:30:00.5Z".to_owned();
        assert_eq!(
            complete_since(request().with_cursor(cursor)),
            at("2024-01-05T02:30:00.5Z")
        );
        let since = at("2024-01-03T00:00:00Z");
        assert_eq!(complete_since(request().with_since(since)), since);
        assert_eq!(complete_since(request().with_until(since)), None);
        assert_eq!(complete_since(request().with_limit(7)), None);
    }

    #[test]
    fn the_windows_of_a_request_end_with_it_or_now() {
        let options = WindowOptions {
            start: Timestamp::UNIX_EPOCH,
            overlap_hours: 6,
            chunk_days: 2,
        };
        let until = Timestamp::UNIX_EPOCH + DAY * 5;
        let windows: Vec<TimeWindow> = options.windows(options.start, Some(until)).collect();
        assert_eq!(windows.len(), 3);
        assert_eq!((windows[0].start, windows[2].end), (options.start, until));

        let last = Timestamp::now() - SignedDuration::from_hours(1);
        let request = FetchRequest::default().with_cursor(last.to_string());
        let first = options.first(&request).unwrap();
        let windows: Vec<TimeWindow> = options.windows(first, None).collect();
        assert_eq!(windows[0].start, last - SignedDuration::from_hours(6));
        assert!(windows[0].end >= last);
        let wrong = FetchRequest::default().with_cursor("page 7".to_owned());
        assert!(options.first(&wrong).is_err());
    }

    #[test]
    fn a_run_begins_an_overlap_before_its_cursor_and_not_before_the_source() {
        let first = |cursor: &str| {
            let request = FetchRequest::default().with_cursor(cursor.to_owned());
            first_instant(&request, Timestamp::UNIX_EPOCH, DAY)
        };
        let after = |cursor| first(cursor).unwrap().to_string();
        assert_eq!(after("1970-01-05T00:00:00Z"), "1970-01-04T00:00:00Z");
        assert_eq!(after("1970-01-01T06:00:00Z"), "1970-01-01T00:00:00Z");
        let error = first("page 7").unwrap_err().to_string();
        assert!(error.contains("--from-start"), "{error}");
        let start = Timestamp::UNIX_EPOCH + DAY;
        let whole = first_instant(&FetchRequest::default(), start, DAY);
        assert_eq!(whole.unwrap(), start);
    }
}
