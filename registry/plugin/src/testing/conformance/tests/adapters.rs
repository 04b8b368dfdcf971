//! Adapters: a good one, and one bad one for each check.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;

use super::*;
use crate::ingest;
use gannet_api::{
    Context, DynAdapter, Error, Example, FetchRequest, Record, RecordStream, RejectedRecord,
};

type Records = Vec<Result<Record>>;

/// Reads `TIME TEXT`, one entry a line, each step open to change.
#[derive(Clone)]
struct Lines {
    open: fn(&FetchRequest) -> Result<Vec<u8>>,
    /// The total that is said, and the records.
    read: fn(Vec<u8>) -> (u64, Records),
    wish: fn(FetchRequest) -> FetchRequest,
}

const GOOD: Lines = Lines {
    open: |request| {
        let path = ingest::source_path(request, None)?;
        let mut bytes = Vec::new();
        ingest::open(&path)?
            .read_to_end(&mut bytes)
            .map_err(|error| ingest::unreadable(&path, &error))?;
        Ok(bytes)
    },
    read: |bytes| {
        let text = String::from_utf8_lossy(&bytes);
        let records: Records = text.lines().map(|line| Ok(record(line))).collect();
        (records.len() as u64, records)
    },
    wish: |request| request,
};

fn record(line: &str) -> Record {
    let (time, text) = line.split_once(' ').unwrap_or((line, ""));
    match time.parse() {
        Ok(time) => Record::Entry(Box::new(Entry::new(line, "lines", time, text))),
        Err(_) => Record::Rejected(RejectedRecord::new("somewhere", "no time", line)),
    }
}

impl DynAdapter for Lines {
    fn fetch<'a>(
        &'a self,
        request: FetchRequest,
        _context: &'a Context,
    ) -> BoxFuture<'a, Result<RecordStream>> {
        Box::pin(async move {
            let (total, records) = (self.read)((self.open)(&request)?);
            let selected = ingest::select(records.into_iter(), (self.wish)(request));
            Ok(RecordStream::new(futures::stream::iter(selected)).with_total(total))
        })
    }
}

fn descriptor() -> Descriptor {
    let source = "2024-01-05T08:30:00Z RF tripped\nsoon\n2024-01-06T08:30:00Z RF on\n";
    let example = Example::new("reads one entry a line", source).finds([
        "2024-01-05T08:30:00Z RF tripped",
        "2024-01-06T08:30:00Z RF on",
    ]);
    Descriptor::adapter("lines", "Lines", "Reads one entry a line.").with_example(example)
}

fn adapter(lines: Lines) -> Specimen {
    specimen(descriptor(), move || {
        Plugin::Adapter(Arc::new(lines.clone()))
    })
}

#[test]
fn a_good_adapter_passes() {
    assert_passes(&adapter(GOOD));
}

#[test]
fn an_example_that_reads_something_else_tells_the_reasons_of_rejects() {
    let mut specimen = adapter(GOOD);
    specimen.descriptor.examples[0].input = "tomorrow RF on".to_owned();

    let reason = reason(&specimen, "examples");

    assert!(reason.contains("it reads [] and not"), "{reason}");
    assert!(reason.ends_with("rejected: [\"no time\"]"), "{reason}");
}

#[test]
fn entries_from_an_empty_source_are_caught() {
    let bad = adapter(Lines {
        read: |bytes| match bytes.is_empty() {
            true => (1, vec![Ok(record("2024-01-05T08:30:00Z made up"))]),
            false => (GOOD.read)(bytes),
        },
        ..GOOD
    });

    assert_eq!(failed(&bad), ["empty_source"]);
}

#[test]
fn a_missing_source_is_an_error_that_names_it() {
    let silent = adapter(Lines {
        open: |request| Ok((GOOD.open)(request).unwrap_or_default()),
        ..GOOD
    });
    let vague = adapter(Lines {
        open: |request| (GOOD.open)(request).map_err(|_| Error::invalid_input("no file")),
        ..GOOD
    });

    assert!(reason(&silent, "missing_source").contains("is read without an error"));
    assert!(reason(&vague, "missing_source").contains("does not name the source: no file"));
}

#[test]
fn bytes_that_make_it_panic_are_caught() {
    let bad = adapter(Lines {
        read: |bytes| {
            assert!(std::str::from_utf8(&bytes).is_ok(), "no UTF-8");
            (GOOD.read)(bytes)
        },
        ..GOOD
    });

    assert_eq!(failed(&bad), ["hostile_sources"]);
    assert!(reason(&bad, "hostile_sources").contains("panicked: no UTF-8"));
}

#[test]
fn lost_records_are_caught() {
    let bad = adapter(Lines {
        read: |bytes| {
            let (total, mut records) = (GOOD.read)(bytes);
            records.retain(|record| matches!(record, Ok(Record::Entry(_))));
            (total, records)
        },
        ..GOOD
    });

    let reason = reason(&bad, "examples");

    assert!(
        reason.contains("it said that there are 3 records, and gave 2"),
        "{reason}"
    );
}

#[test]
fn a_reject_without_a_reason_and_an_entry_without_an_id_are_caught() {
    let mute = adapter(Lines {
        read: |bytes| {
            let (total, mut records) = (GOOD.read)(bytes);
            for record in &mut records {
                if let Ok(Record::Rejected(rejected)) = record {
                    rejected.reason.clear();
                }
            }
            (total, records)
        },
        ..GOOD
    });
    let nameless = adapter(Lines {
        read: |bytes| {
            let (total, mut records) = (GOOD.read)(bytes);
            for record in &mut records {
                if let Ok(Record::Entry(entry)) = record {
                    entry.entry_id.clear();
                }
            }
            (total, records)
        },
        ..GOOD
    });

    assert!(reason(&mute, "examples").contains("does not say where it stands and why"));
    assert!(reason(&nameless, "examples").contains("an entry has no id"));
}

#[test]
fn a_limit_that_is_not_kept_is_caught() {
    let bad = adapter(Lines {
        wish: |request| request.with_limit(None),
        ..GOOD
    });

    assert_eq!(failed(&bad), ["limit"]);
}

#[test]
fn times_that_are_not_kept_to_are_caught() {
    let bad = adapter(Lines {
        wish: |request| request.with_since(None),
        ..GOOD
    });

    assert_eq!(failed(&bad), ["times"]);
}

#[test]
fn a_source_that_reads_otherwise_each_time_is_caught() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let bad = adapter(Lines {
        read: |bytes| {
            let (total, mut records) = (GOOD.read)(bytes);
            let count = COUNT.fetch_add(1, Ordering::Relaxed).to_string();
            if let Some(Ok(Record::Entry(entry))) = records.first_mut() {
                entry.author = count;
            }
            (total, records)
        },
        ..GOOD
    });

    assert!(failed(&bad).contains(&"repetition"));
    assert!(failed(&bad).contains(&"two_at_once"));
    assert!(failed(&bad).contains(&"cancellation"));
}

#[test]
fn no_file_is_left_behind() {
    let source = source::TemporaryFile::of(b"x").unwrap();
    let path = source.path();

    assert_eq!(std::fs::read(&path).unwrap(), b"x");
    drop(source);

    assert!(!path.parent().unwrap().exists());
}
