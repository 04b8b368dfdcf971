//! Sources that block: files, and clients that know no `async`.

use std::thread;

use futures::SinkExt;
use futures::channel::{mpsc, oneshot};
use gannet_abi::contain::contained;

use super::select;
use gannet_api::{Error, FetchRequest, Record, RecordStream, Result};

/// How many records wait to be stored. The thread stops at so many, so that a
/// large source does not fill the memory.
const WAITING: usize = 64;

/// What a blocking source has when it is open.
pub struct Opened<I> {
    /// How many records there are, rejected ones included, where the source
    /// can tell.
    pub total: Option<u64>,
    /// The records in the order of the source.
    pub records: I,
}

/// The records of a source that blocks, as a stream that does not: `open` and
/// the iterator run on a thread of their own. What they wait for holds nobody
/// else up, and an error or panic of theirs ends the stream as an error. Those
/// that the request wants are given, as by [`select`]. When the stream is
/// dropped, the thread ends at the next record.
///
/// ```
/// use gannet_plugin::testing::Fetched;
/// use gannet_plugin::prelude::{Entry, Error, FetchRequest, Record};
/// use gannet_plugin::ingest;
///
/// let stream = ingest::from_blocking(FetchRequest::default(), || {
///     let text = std::fs::read_to_string("Cargo.toml")
///         .map_err(|error| Error::invalid_input(error.to_string()))?;
///     let lines: Vec<String> = text.lines().map(str::to_owned).collect();
///     Ok(ingest::Opened {
///         total: Some(lines.len() as u64),
///         records: (1..).zip(lines).map(|(number, line)| {
///             let entry = Entry::new(format!("line-{number}"), "log", Default::default(), line);
///             Ok(Record::Entry(Box::new(entry)))
///         }),
///     })
/// });
/// let fetched = pollster::block_on(async { Fetched::collect(stream.await?).await }).unwrap();
/// assert_eq!(fetched.entries[0].raw_text, "[package]");
/// ```
///
/// # Errors
/// What `open` fails with; [`Error::Panicked`] where it panics;
/// [`Error::Internal`] where no thread can be started.
pub async fn from_blocking<I>(
    request: FetchRequest,
    open: impl FnOnce() -> Result<Opened<I>> + Send + 'static,
) -> Result<RecordStream>
where
    I: Iterator<Item = Result<Record>>,
{
    let (opened, opening) = oneshot::channel::<Result<Option<u64>>>();
    let (mut sender, records) = mpsc::channel(WAITING);
    let work = move || {
        let mut opened = Some(opened);
        let outcome = contained(|| {
            let source = match open() {
                Ok(source) => source,
                Err(error) => return Err(error),
            };
            if tell(&mut opened, Ok(source.total)) {
                send_all(select(source.records, request), &mut sender);
            }
            Ok(())
        });
        if let Err(error) = outcome.and_then(|outcome| outcome)
            && !tell(&mut opened, Err(error.clone()))
        {
            // Nobody waits for the rest where this fails.
            let _ = pollster::block_on(sender.send(Err(error)));
        }
    };
    let started = thread::Builder::new().name("gannet-source".to_owned());
    started
        .spawn(work)
        .map_err(|error| Error::internal(format!("no thread for the source: {error}")))?;
    let gone = |_| Error::internal("the thread of the source ended");
    let total = opening.await.map_err(gone)??;
    Ok(RecordStream::new(records).with_total(total))
}

/// Says how the opening went, once; whether somebody heard it.
fn tell(
    opened: &mut Option<oneshot::Sender<Result<Option<u64>>>>,
    outcome: Result<Option<u64>>,
) -> bool {
    opened
        .take()
        .is_some_and(|opened| opened.send(outcome).is_ok())
}

/// Sends until there is nothing more, or nobody who reads.
fn send_all(
    records: impl Iterator<Item = Result<Record>>,
    sender: &mut mpsc::Sender<Result<Record>>,
) {
    for record in records {
        if pollster::block_on(sender.send(record)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::sync::mpsc as blocking;

    use futures::StreamExt;
    use pollster::block_on;

    use super::*;
    use crate::testing::Fetched;
    use gannet_api::Entry;

    fn entry(number: u64) -> Result<Record> {
        let entry = Entry::new(format!("E{number}"), "log", Default::default(), "x");
        Ok(Record::Entry(Box::new(entry)))
    }

    fn fetched<I>(open: impl FnOnce() -> Result<Opened<I>> + Send + 'static) -> Result<Fetched>
    where
        I: Iterator<Item = Result<Record>>,
    {
        block_on(async {
            let stream = from_blocking(FetchRequest::default(), open).await?;
            Fetched::collect(stream).await
        })
    }

    #[test]
    fn all_records_come_in_order_and_the_limit_holds() {
        let all = fetched(|| {
            Ok(Opened {
                total: Some(200),
                records: (0..200).map(entry),
            })
        });
        let ids = all.unwrap().ids().len();
        assert_eq!(ids, 200);

        let request = FetchRequest::default().with_limit(3);
        let endless = || {
            Ok(Opened {
                total: None,
                records: (0..).map(entry),
            })
        };
        let stream = block_on(from_blocking(request, endless)).unwrap();
        assert_eq!(stream.total, None);
        assert_eq!(block_on(stream.records.collect::<Vec<_>>()).len(), 3);
    }

    #[test]
    fn a_source_that_cannot_be_opened_or_panics_is_an_error_and_not_an_end() {
        type None = std::iter::Empty<Result<Record>>;
        let refused = fetched::<None>(|| Err(Error::invalid_input("no such file")));
        assert_eq!(refused.err().unwrap(), Error::invalid_input("no such file"));
        let panicked = fetched::<None>(|| panic!("opening"));
        assert!(matches!(panicked, Err(Error::Panicked { .. })));
        let later = fetched(|| {
            Ok(Opened {
                total: None,
                records: (0..9).map(|number| match number {
                    5 => panic!("record 5"),
                    _ => entry(number),
                }),
            })
        });
        assert!(matches!(later, Err(Error::Panicked { .. })));
    }

    #[test]
    fn a_source_that_waits_holds_nobody_up_and_ends_when_nobody_reads() {
        let (give, wanted) = blocking::channel::<u64>();
        let (ended, end) = blocking::channel::<()>();
        let open = move || {
            Ok(Opened {
                total: None,
                records: std::iter::from_fn(move || {
                    let number = wanted.recv().ok()?;
                    let _still_there = &ended;
                    Some(entry(number))
                }),
            })
        };
        let mut stream = block_on(from_blocking(FetchRequest::default(), open)).unwrap();
        assert!(futures::FutureExt::now_or_never(stream.records.next()).is_none());
        give.send(1).unwrap();
        assert!(block_on(stream.records.next()).unwrap().is_ok());
        drop(stream);
        give.send(2).unwrap();
        // The iterator is dropped with its end of the channel.
        assert!(end.recv().is_err());
    }
}
