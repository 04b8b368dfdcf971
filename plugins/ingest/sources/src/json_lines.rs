//! Sources with one JSON record a line.

use std::io::BufReader;
use std::path::PathBuf;

use gannet_plugin::ingest::{Opened, RecordStream, RejectedRecord, open, unreadable};
use gannet_plugin::prelude::{FetchRequest, Record, Result};

use crate::{Line, Lines, count_lines, from_files};

/// The records of a file, or of every `.jsonl` and `.ndjson` file of a folder.
/// `convert` gets the position of a line, and its bytes without white space
/// around them. Blank lines are left out, and a line of more than
/// `max_line_bytes` is a rejected record; the adapter has a setting of that
/// name.
///
/// # Errors
/// Those of [`from_files`].
pub async fn from_json_lines<F>(
    request: FetchRequest,
    source: PathBuf,
    max_line_bytes: usize,
    convert: F,
) -> Result<RecordStream>
where
    F: Fn(String, &[u8]) -> Record + Clone + Send + 'static,
{
    from_files(request, source, &["jsonl", "ndjson"], move |path| {
        let total = count_lines(path)?;
        let lines = Lines::new(BufReader::new(open(path)?), max_line_bytes);
        let (path, convert) = (path.to_owned(), convert.clone());
        let records = lines.filter_map(move |line| match line {
            Ok(line) => record(&line, &convert).map(Ok),
            Err(error) => Some(Err(unreadable(&path, &error))),
        });
        Ok(Opened { total, records })
    })
    .await
}

/// The record of a line; nothing of a blank one.
fn record(line: &Line, convert: impl Fn(String, &[u8]) -> Record) -> Option<Record> {
    let position = format!("line {}", line.number);
    let bytes = line.content();
    if line.is_cut() {
        let reason = format!(
            "{} bytes, more than `max_line_bytes`; only the beginning is shown",
            line.length
        );
        let raw = String::from_utf8_lossy(bytes);
        return Some(Record::Rejected(RejectedRecord::new(position, reason, raw)));
    }
    (!bytes.is_empty()).then(|| convert(position, bytes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing::Fetched;

    use super::*;

    #[test]
    fn filled_lines_are_converted_and_those_that_are_too_long_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        std::fs::write(&path, b"\xef\xbb\xbf one \r\n\n \t\ntwo\nmuch too long\n").unwrap();
        let convert = |position: String, line: &[u8]| {
            let text = String::from_utf8(line.to_vec()).unwrap();
            Record::Entry(Box::new(Entry::new(
                position,
                "log",
                Default::default(),
                text,
            )))
        };
        let stream = from_json_lines(FetchRequest::default(), path, 10, convert);
        let fetched = pollster::block_on(async { Fetched::collect(stream.await?).await }).unwrap();

        assert_eq!(fetched.ids(), ["line 1", "line 4"]);
        let texts = fetched.entries.iter().map(|entry| entry.raw_text.as_str());
        assert_eq!(texts.collect::<Vec<_>>(), ["one", "two"]);
        assert_eq!(fetched.total, Some(3));
        let rejected = &fetched.rejected[0];
        assert_eq!(rejected.position, "line 5");
        assert!(
            rejected
                .reason
                .starts_with("13 bytes, more than `max_line_bytes`")
        );
        assert_eq!(rejected.raw, "much too l");
    }
}
