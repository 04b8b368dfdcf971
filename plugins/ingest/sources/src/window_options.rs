//! Which spans of time a run asks for.

use std::future::Future;

use gannet_plugin::ingest::RecordStream;
use gannet_plugin::prelude::{Error, FetchRequest, Record, Result};
use jiff::{SignedDuration, Timestamp};

use crate::{TimeWindow, from_windows, instant_setting, time_windows};

/// How far clocks of two machines differ that are right.
const CLOCKS_APART: SignedDuration = SignedDuration::from_secs(60);

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
    /// service has to select windows by the `timestamp` of the entries. A cursor
    /// in the future is a warning in the log.
    ///
    /// # Errors
    /// Those of [`first_instant`].
    pub fn records<F, Answer>(self, request: FetchRequest, fetch: F) -> Result<RecordStream>
    where
        F: FnMut(TimeWindow) -> Answer + Send + 'static,
        Answer: Future<Output = Result<Vec<Record>>> + Send,
    {
        let from = self.first(&request)?;
        if let Some(message) = in_the_future(&request, Timestamp::now()) {
            tracing::warn!("{message}");
        }
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
/// begins. The overlap is for entries that were written or edited late. A cursor
/// in the future, which a wrong clock gave, counts as one of now.
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
        .min(Timestamp::now())
        .checked_sub(overlap)
        .map_or(start, |from| from.max(start)))
}

/// What a cursor says that is later than now; none without a cursor, or where it
/// does not count.
fn in_the_future(request: &FetchRequest, now: Timestamp) -> Option<String> {
    let cursor = request
        .cursor
        .as_ref()
        .filter(|_| request.since.is_none())?;
    let reached: Timestamp = cursor.parse().ok()?;
    let is_later = reached.duration_since(now) > CLOCKS_APART;
    is_later.then(|| {
        format!(
            "the last run read up to {reached}, which is in the future: the clock was or is wrong; \
             this run goes on from now, and `gannet ingest --from-start` reads what may lie between"
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing::Fetched;

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
        let before = Timestamp::now();
        let after_wrong_clock = first("9000-01-01T00:00:00Z").unwrap();
        assert!((before - DAY..=Timestamp::now() - DAY).contains(&after_wrong_clock));
        let start = Timestamp::UNIX_EPOCH + DAY;
        let whole = first_instant(&FetchRequest::default(), start, DAY);
        assert_eq!(whole.unwrap(), start);
    }

    #[test]
    fn a_run_without_any_record_leaves_the_next_one_at_the_beginning() {
        let options = WindowOptions {
            start: Timestamp::UNIX_EPOCH,
            overlap_hours: 0,
            chunk_days: 1,
        };
        let second = options.start + DAY;
        let end = options.start + DAY * 3;
        let cursor = |entries: &[Timestamp], before: Option<Timestamp>| {
            let entries = entries.to_vec();
            let request = FetchRequest::default()
                .with_cursor(before.map(|before| before.to_string()))
                .with_until(Some(end));
            let stream = options.records(request, move |window| {
                let inside = entries
                    .iter()
                    .filter(|time| (window.start..window.end).contains(*time));
                let records: Vec<Record> = inside
                    .map(|time| Entry::new("A", "log", *time, "x"))
                    .map(|entry| Record::Entry(Box::new(entry)))
                    .collect();
                async move { Ok(records) }
            });
            let fetched = pollster::block_on(Fetched::collect(stream.unwrap())).unwrap();
            fetched.cursor
        };
        assert_eq!(cursor(&[], None), None);
        assert_eq!(cursor(&[second], None), Some(end.to_string()));
        // One that goes on from a cursor has read records before.
        assert_eq!(cursor(&[], Some(second)), Some(end.to_string()));
    }

    #[test]
    fn a_cursor_that_is_a_minute_or_more_ahead_of_the_clock_is_told() {
        let now = Timestamp::UNIX_EPOCH;
        let told = |cursor: Option<&str>| {
            let request = FetchRequest::default().with_cursor(cursor.map(str::to_owned));
            in_the_future(&request, now)
        };
        let message = told(Some("1970-01-01T00:01:01Z")).unwrap();
        assert!(message.contains("--from-start"), "{message}");
        for quiet in [None, Some("1970-01-01T00:01:00Z"), Some("page 7")] {
            assert_eq!(told(quiet), None);
        }
    }
}
