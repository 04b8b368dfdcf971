//! Which of the source's records a request wants.

use futures::future::ready;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};

use gannet_api::{FetchRequest, Record, Result};

/// The entries between `since` and `until`, `limit` of them at most, and every
/// rejected record on the way. An error is the last item.
pub fn select(
    records: impl Iterator<Item = Result<Record>>,
    request: FetchRequest,
) -> impl Iterator<Item = Result<Record>> {
    let mut entries_left = most(&request);
    let mut wanted = records.filter(move |record| is_wanted(record, &request));
    std::iter::from_fn(move || {
        if entries_left == 0 {
            return None;
        }
        let record = wanted.next()?;
        entries_left = left_after(&record, entries_left);
        Some(record)
    })
}

/// [`select`] of a stream, for sources that do not block.
pub fn select_stream(
    records: impl Stream<Item = Result<Record>> + Send + 'static,
    request: FetchRequest,
) -> BoxStream<'static, Result<Record>> {
    let entries_left = most(&request);
    let wanted = records.filter(move |record| ready(is_wanted(record, &request)));
    let start = (wanted.boxed(), entries_left);
    stream::unfold(start, |(mut wanted, entries_left)| async move {
        if entries_left == 0 {
            return None;
        }
        let record = wanted.next().await?;
        let entries_left = left_after(&record, entries_left);
        Some((record, (wanted, entries_left)))
    })
    .boxed()
}

fn most(request: &FetchRequest) -> usize {
    request.limit.unwrap_or(usize::MAX)
}

fn is_wanted(record: &Result<Record>, request: &FetchRequest) -> bool {
    match record {
        Ok(Record::Entry(entry)) => request.wants(entry.timestamp),
        Ok(Record::Rejected(_) | Record::Deleted(_) | Record::Cursor(_)) | Err(_) => true,
    }
}

/// How many entries are still wanted after a record.
fn left_after(record: &Result<Record>, entries_left: usize) -> usize {
    match record {
        Ok(Record::Entry(_)) => entries_left - 1,
        Ok(Record::Rejected(_) | Record::Deleted(_) | Record::Cursor(_)) => entries_left,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use gannet_api::{Entry, Error, RejectedRecord};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn entry(second: i64) -> Result<Record> {
        let entry = Entry::new("E", "test", at(second), "x");
        Ok(Record::Entry(Box::new(entry)))
    }

    fn rejected() -> Result<Record> {
        Ok(Record::Rejected(RejectedRecord::new(
            "line 1",
            "no `id`",
            String::new(),
        )))
    }

    fn error() -> Result<Record> {
        Err(Error::internal("cut off"))
    }

    fn selected(records: &[Result<Record>], request: &FetchRequest) -> Vec<Result<Record>> {
        select(records.iter().cloned(), request.clone()).collect()
    }

    #[test]
    fn bounds_are_excluded_and_rejected_records_count_for_nothing() {
        let records = [
            rejected(),
            entry(1),
            entry(2),
            rejected(),
            entry(3),
            entry(4),
        ];
        let between = FetchRequest::default().with_since(at(1)).with_until(at(4));
        let limited = between.clone().with_limit(1);

        assert_eq!(
            selected(&records, &between),
            [rejected(), entry(2), rejected(), entry(3)]
        );
        assert_eq!(selected(&records, &limited), [rejected(), entry(2)]);
    }

    #[test]
    fn nothing_comes_after_an_error() {
        let records = [entry(1), error(), entry(2), error()];

        let all = selected(&records, &FetchRequest::default());

        assert_eq!(all, [entry(1), error()]);
    }

    #[test]
    fn the_source_is_not_read_beyond_the_limit() {
        let mut read = 0;
        let endless = std::iter::repeat_with(|| {
            read += 1;
            entry(1)
        });
        let request = FetchRequest::default().with_limit(3);

        assert_eq!(select(endless, request).count(), 3);
        assert_eq!(read, 3);
    }

    proptest! {
        #[test]
        fn the_entries_are_the_first_wanted_ones(
            seconds in proptest::collection::vec(proptest::option::of(0i64..20), 0..30),
            since in proptest::option::of(0i64..20),
            until in proptest::option::of(0i64..20),
            limit in proptest::option::of(0usize..10),
        ) {
            let records: Vec<Result<Record>> = seconds
                .iter()
                .map(|second| second.map_or_else(rejected, entry))
                .collect();
            let request = FetchRequest::default().with_since(since.map(at)).with_until(until.map(at)).with_limit(limit);

            let is_entry = |record: &Result<Record>| matches!(record, Ok(Record::Entry(_)));
            let found: Vec<_> =
                selected(&records, &request).into_iter().filter(is_entry).collect();
            let expected: Vec<_> = seconds
                .iter()
                .flatten()
                .filter(|&&second| since.is_none_or(|since| second > since))
                .filter(|&&second| until.is_none_or(|until| second < until))
                .take(limit.unwrap_or(usize::MAX))
                .map(|&second| entry(second))
                .collect();
            prop_assert_eq!(&found, &expected);

            let of_stream = select_stream(stream::iter(records), request);
            let of_stream: Vec<_> = pollster::block_on(of_stream.filter(|r| ready(is_entry(r))).collect());
            prop_assert_eq!(of_stream, expected);
        }
    }
}
