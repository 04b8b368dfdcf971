//! What was counted, as comma-separated values.

use csv::Writer;
use gannet_core::SearchResult;

use super::counts::Counts;
use super::safe::safe;
use crate::failure::Failure;
use crate::output;

/// Prints the rows of the counts of a question about a set of entries, or else
/// the entries that it lists.
///
/// # Errors
/// A usage error for a question that asks of no set.
pub fn print_csv(result: &SearchResult) -> Result<(), Failure> {
    let Some(counts) = Counts::of(result) else {
        return Err(Failure::usage(
            "`--format csv` needs a question about a set of entries, such as \"how many trips per \
             month\", and a mode that counts, such as `rag`; use `--format jsonl` for other \
             questions",
        ));
    };
    if !counts.is_exact {
        errln!(
            "the count is approximate: a condition was guessed, or members are entries that are \
             probably about the topic"
        );
    }
    let mut lines = Writer::from_writer(Vec::new());
    match counts.rows.is_empty() {
        false => write_rows(&counts, &mut lines)?,
        true => write_entries(result, &counts, &mut lines)?,
    }
    let text = lines.into_inner().map_err(|error| error.into_error())?;
    output::write_all(safe(&String::from_utf8_lossy(&text)).as_bytes());
    Ok(())
}

fn write_rows(counts: &Counts, lines: &mut Writer<Vec<u8>>) -> Result<(), Failure> {
    lines.write_record(["value", "count"]).map_err(failed)?;
    for row in &counts.rows {
        let count = row.count.to_string();
        lines.write_record([&row.value, &count]).map_err(failed)?;
    }
    Ok(())
}

fn write_entries(
    result: &SearchResult,
    counts: &Counts,
    lines: &mut Writer<Vec<u8>>,
) -> Result<(), Failure> {
    let header = ["entry_id", "timestamp", "author", "title"];
    lines.write_record(header).map_err(failed)?;
    // An empty set has the entry that is nearest to it, which is no member.
    let members = usize::try_from(counts.count).unwrap_or(usize::MAX);
    for hit in result.entries.iter().take(members) {
        let entry = &hit.entry;
        let time = entry.timestamp.to_string();
        let title = entry.title().unwrap_or_default();
        let record = [entry.entry_id.as_str(), &time, &entry.author, title];
        lines.write_record(record).map_err(failed)?;
    }
    let listed = result.entries.len().min(members);
    let is_end = ["first", "last"].contains(&counts.operation.as_str());
    if listed < members && !is_end {
        errln!("{listed} of {members} entries are listed; use --max-results for more");
    }
    Ok(())
}

fn failed(error: csv::Error) -> Failure {
    std::io::Error::from(error).into()
}
