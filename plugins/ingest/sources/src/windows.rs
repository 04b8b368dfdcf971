//! Sources that are asked for one span of time after another.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;

use futures::stream::{self, StreamExt, TryStreamExt};
use gannet_plugin::ingest::{RecordStream, select_stream};
use gannet_plugin::prelude::{Error, FetchRequest, Record, Result};
use jiff::{SignedDuration, Timestamp};

/// Characters of a record that an error shows.
const SHOWN: usize = 200;
/// How far outside of a window an entry may lie: services count in seconds.
const ROUNDED: SignedDuration = SignedDuration::from_secs(2);

/// A span of time that a source is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeWindow {
    /// Its first instant.
    pub start: Timestamp,
    /// Its end, which the next window starts with.
    pub end: Timestamp,
}

impl TimeWindow {
    /// Its two halves, the later one first.
    pub fn halves(self) -> [Self; 2] {
        let half = self.end.duration_since(self.start) / 2;
        let middle = self.start.saturating_add(half).unwrap_or(self.end);
        let later = Self {
            start: middle,
            end: self.end,
        };
        let earlier = Self {
            start: self.start,
            end: middle,
        };
        [later, earlier]
    }

    /// The records of a list that a source gave for this window, each given as
    /// its text. Their positions are the window and a number, from `first` on.
    pub fn records<'t>(
        self,
        first: usize,
        list: impl Iterator<Item = &'t str>,
        convert: impl Fn(String, &str) -> Record,
    ) -> Vec<Record> {
        let numbered = (first..).zip(list);
        let records = numbered.map(|(number, raw)| {
            let position = format!("{self}, entry {number}");
            convert(position, raw)
        });
        records.collect()
    }

    /// The time of an entry that lies outside of this window, where one of the
    /// records that a source gave for it does. Such a source reads the times of
    /// a request otherwise than they are meant, or selects by other times, and
    /// so gives less of the window than it has. Two seconds are allowed.
    pub fn stray(self, records: &[Record]) -> Option<Timestamp> {
        let earliest = self.start.checked_sub(ROUNDED).unwrap_or(Timestamp::MIN);
        let latest = self.end.checked_add(ROUNDED).unwrap_or(Timestamp::MAX);
        let mut times = records.iter().filter_map(|record| match record {
            Record::Entry(entry) => Some(entry.timestamp),
            Record::Rejected(_) | Record::Deleted(_) | Record::Cursor(_) => None,
        });
        times.find(|time| !(earliest..=latest).contains(time))
    }
}

/// Its first instant and its end, as positions and errors name it.
impl fmt::Display for TimeWindow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} to {}", self.start, self.end)
    }
}

/// Windows of this width from `start` to `end`, oldest first; the last one may
/// be shorter. A width that is not positive gives one window.
///
/// ```
/// use gannet_sources::time_windows;
/// use jiff::SignedDuration;
///
/// let day = SignedDuration::from_hours(24);
/// let windows = time_windows("2024-01-01T00Z".parse()?, "2024-01-02T12Z".parse()?, day);
/// let ends: Vec<String> = windows.map(|window| window.end.to_string()).collect();
/// assert_eq!(ends, ["2024-01-02T00:00:00Z", "2024-01-02T12:00:00Z"]);
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn time_windows(
    start: Timestamp,
    end: Timestamp,
    width: SignedDuration,
) -> impl Iterator<Item = TimeWindow> + Send {
    let mut start = start;
    std::iter::from_fn(move || {
        if start >= end {
            return None;
        }
        let width_end = start
            .checked_add(width)
            .ok()
            .filter(|_| width.is_positive());
        let window = TimeWindow {
            start,
            end: width_end.unwrap_or(end).min(end),
        };
        start = window.end;
        Some(window)
    })
}

/// The records that `fetch` gives for each window, and its end as a cursor. A
/// request without a cursor gets none before the first record: a source that
/// gives nothing at all is read from its beginning again. The next window is asked for when the records of the one before are read. Of
/// entries with one id in a window the last one is given, and one that lies on
/// the border of two and comes with both is given once. Those that the request
/// wants are given, as by [`select`](gannet_plugin::ingest::select). A window of
/// which all records are rejected, none with an id, is an error: what came is
/// the answer of an expired session or the like, and no entries. An error of
/// a server says for which window it was asked, and that the setting
/// `chunk_days` makes windows smaller.
pub fn from_windows<W, F, Answer>(request: FetchRequest, windows: W, fetch: F) -> RecordStream
where
    W: Iterator<Item = TimeWindow> + Send + 'static,
    F: FnMut(TimeWindow) -> Answer + Send + 'static,
    Answer: Future<Output = Result<Vec<Record>>> + Send,
{
    let start = (windows, fetch, HashMap::new(), request.cursor.is_some());
    let batches = stream::try_unfold(start, |(mut windows, mut fetch, before, gave)| async move {
        let Some(window) = windows.next() else {
            return Ok::<_, Error>(None);
        };
        let records = fetch(window).await;
        let records = records.map_err(|error| in_window(error, window))?;
        refuse_nameless(&records, window)?;
        let last = last_places(&records);
        let gave = gave || !records.is_empty();
        let is_new = |(place, record): &(usize, Record)| match record {
            Record::Entry(entry) => {
                let id = &entry.entry_id;
                last.get(id) == Some(place) && !before.contains_key(id)
            }
            Record::Rejected(_) | Record::Deleted(_) | Record::Cursor(_) => true,
        };
        let new = records.into_iter().enumerate().filter(is_new);
        let mut new: Vec<Record> = new.map(|(_, record)| record).collect();
        new.extend(gave.then(|| Record::Cursor(window.end.to_string())));
        let new = stream::iter(new).map(Ok::<_, Error>);
        Ok(Some((new, (windows, fetch, last, gave))))
    });
    RecordStream::new(select_stream(batches.try_flatten(), request))
}

/// Where in a list the last entry of each id stands.
fn last_places(records: &[Record]) -> HashMap<String, usize> {
    let places = records.iter().enumerate();
    let entries = places.filter_map(|(place, record)| match record {
        Record::Entry(entry) => Some((entry.entry_id.clone(), place)),
        Record::Rejected(_) | Record::Deleted(_) | Record::Cursor(_) => None,
    });
    entries.collect()
}

/// # Errors
/// [`Error::InvalidInput`] for records that are all rejected, none with an id.
fn refuse_nameless(records: &[Record], window: TimeWindow) -> Result<()> {
    let has_no_name =
        |record: &Record| matches!(record, Record::Rejected(one) if one.entry_id.is_none());
    let Some(Record::Rejected(first)) = records.first() else {
        return Ok(());
    };
    if !records.iter().all(has_no_name) {
        return Ok(());
    }
    let shown: String = first.raw.chars().take(SHOWN).collect();
    Err(Error::invalid_input(format!(
        "none of the {} records that came for {window} is an entry or has an id; the first one: \
         {}: {shown}",
        records.len(),
        first.reason,
    )))
}

/// The error of a server, with the window that it was asked for.
fn in_window(error: Error, window: TimeWindow) -> Error {
    match error {
        Error::Provider {
            provider,
            message,
            retryable,
        } => Error::Provider {
            provider,
            message: format!("{message} (asked for {window}; `chunk_days` sets the span)"),
            retryable,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use gannet_plugin::ingest::RejectedRecord;
    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing::Fetched;

    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn days(count: i64) -> impl Iterator<Item = TimeWindow> + Send {
        let end = Timestamp::UNIX_EPOCH + DAY * i32::try_from(count).unwrap();
        time_windows(Timestamp::UNIX_EPOCH, end, DAY)
    }

    fn entry(at: Timestamp) -> Record {
        Record::Entry(Box::new(Entry::new(at.to_string(), "log", at, "x")))
    }

    #[test]
    fn windows_touch_and_the_last_one_ends_with_the_span() {
        let windows: Vec<TimeWindow> = days(3).collect();
        assert_eq!(windows.len(), 3);
        assert!(windows.windows(2).all(|pair| pair[0].end == pair[1].start));
        let start = Timestamp::UNIX_EPOCH;
        assert_eq!(time_windows(start, start, DAY).count(), 0);
        assert_eq!(
            time_windows(start, start + DAY, SignedDuration::ZERO).count(),
            1
        );
        assert_eq!(
            time_windows(Timestamp::MAX - DAY, Timestamp::MAX, DAY * 9).count(),
            1
        );
    }

    #[test]
    fn the_records_of_a_window_are_numbered_and_named_by_it() {
        let window = days(1).next().unwrap();
        let records = window.records(7, ["a", "b"].into_iter(), |position, raw| {
            Record::Entry(Box::new(Entry::new(raw, "log", window.start, position)))
        });
        let texts: Vec<&str> = records
            .iter()
            .map(|record| match record {
                Record::Entry(entry) => entry.raw_text.as_str(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            texts,
            [
                "1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z, entry 7",
                "1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z, entry 8",
            ]
        );
    }

    #[test]
    fn an_entry_outside_of_a_window_is_a_stray_one_from_three_seconds_on() {
        let window = days(1).next().unwrap();
        let stray = |at: Timestamp| window.stray(&[entry(window.start), entry(at)]);
        let second = SignedDuration::from_secs(1);
        for inside in [window.start - second * 2, window.end + second * 2] {
            assert_eq!(stray(inside), None);
        }
        for outside in [window.start - second * 3, window.end + second * 3] {
            assert_eq!(stray(outside), Some(outside));
        }
        assert_eq!(window.stray(&[]), None);
    }

    #[test]
    fn an_entry_on_a_border_comes_once_and_an_error_ends_the_stream() {
        let stream = from_windows(FetchRequest::default(), days(3), |window| async move {
            match window.end.as_second() > 200_000 {
                true => Err(Error::internal("cut off")),
                false => Ok(vec![entry(window.start), entry(window.end)]),
            }
        });
        let mut read = stream.records;
        let (mut ids, mut cursors) = (Vec::new(), Vec::new());
        let error = loop {
            match pollster::block_on(futures::StreamExt::next(&mut read)).unwrap() {
                Ok(Record::Entry(entry)) => ids.push(entry.timestamp.as_second()),
                Ok(Record::Cursor(cursor)) => cursors.push(cursor),
                Ok(other) => panic!("{other:?}"),
                Err(error) => break error,
            }
        };
        assert_eq!(ids, [0, 86_400, 172_800]);
        assert_eq!(cursors, ["1970-01-02T00:00:00Z", "1970-01-03T00:00:00Z"]);
        assert_eq!(error, Error::internal("cut off"));
    }

    #[test]
    fn of_entries_with_one_id_in_a_window_the_last_one_is_given() {
        let stream = from_windows(FetchRequest::default(), days(1), |window| async move {
            let record =
                |id, text| Record::Entry(Box::new(Entry::new(id, "log", window.start, text)));
            let records = [("A", "typo"), ("B", "valve"), ("A", "corrected")];
            Ok(records.map(|(id, text)| record(id, text)).to_vec())
        });
        let fetched = pollster::block_on(Fetched::collect(stream)).unwrap();
        let texts = fetched.entries.iter().map(|entry| entry.raw_text.as_str());
        assert_eq!(texts.collect::<Vec<_>>(), ["valve", "corrected"]);
    }

    #[test]
    fn a_window_of_rejected_records_without_an_id_is_an_error_and_its_cursor_does_not_come() {
        let nameless = || Record::Rejected(RejectedRecord::new("entry 1", "no `id`", "{\"e\": 1}"));
        let named = || match nameless() {
            Record::Rejected(one) => Record::Rejected(one.with_entry_id("7".to_owned())),
            other => other,
        };
        let read = |second: Vec<Record>| {
            let stream = from_windows(FetchRequest::default(), days(2), move |window| {
                let records = match window.start == Timestamp::UNIX_EPOCH {
                    true => vec![entry(window.start), nameless()],
                    false => second.clone(),
                };
                async move { Ok(records) }
            });
            let mut read = stream.records;
            std::iter::from_fn(|| pollster::block_on(futures::StreamExt::next(&mut read)))
                .collect::<Vec<Result<Record>>>()
        };
        let records = read(vec![nameless(), nameless()]);
        let Some(Err(error)) = records.last() else {
            panic!("{records:?}");
        };
        assert_eq!(
            error.to_string(),
            "none of the 2 records that came for 1970-01-02T00:00:00Z to 1970-01-03T00:00:00Z is \
             an entry or has an id; the first one: no `id`: {\"e\": 1}"
        );
        let is_cursor = |record: &&Result<Record>| matches!(record, Ok(Record::Cursor(_)));
        assert_eq!(records.iter().filter(is_cursor).count(), 1);
        for second in [
            vec![nameless(), named()],
            vec![nameless(), entry(Timestamp::MAX)],
            vec![],
        ] {
            let records = read(second);
            assert_eq!(records.iter().filter(is_cursor).count(), 2, "{records:?}");
        }
    }

    #[test]
    fn the_error_of_a_server_says_which_window_it_was_asked_for() {
        let stream = from_windows(FetchRequest::default(), days(1), |_| async {
            Err(Error::Provider {
                provider: "log".to_owned(),
                message: "status 503".to_owned(),
                retryable: true,
            })
        });
        let error = pollster::block_on(Fetched::collect(stream)).unwrap_err();
        assert!(error.is_retryable());
        assert_eq!(
            error.to_string(),
            "log: status 503 (asked for 1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z; \
             `chunk_days` sets the span)"
        );
    }

    #[test]
    fn no_window_is_asked_for_beyond_the_limit() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let request = FetchRequest::default().with_limit(2);
        let stream = from_windows(request, days(9), move |window| {
            count.fetch_add(1, Ordering::Relaxed);
            async move { Ok(vec![entry(window.start)]) }
        });
        let fetched = pollster::block_on(Fetched::collect(stream)).unwrap();
        assert_eq!(fetched.entries.len(), 2);
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}
