//! The text index against the records.

use std::path::Path;

use super::NAMED;
use crate::embedded::records::{IndexedRows, Records};
use crate::error::StoreError;
use crate::finding::{Finding, counted};
use gannet_index::{Bitmap, BrokenSegment, Contents, Depth, IndexError, TextEngine};

const CHECK: &str = "text index";
const REBUILD: &str = "run `gannet index rebuild`";
/// Rows above the greatest one that are not taken for damage: entries may be
/// added while an index is read.
const MARGIN: usize = 1 << 20;

/// What is found of the text index. `deep` also reads every byte of it.
pub(super) async fn verify(
    records: &Records,
    engine: &'static dyn TextEngine,
    folder: &Path,
    deep: bool,
) -> Result<Vec<Finding>, StoreError> {
    if !folder.exists() {
        return Ok(vec![match records.count_all().await? {
            0 => Finding::ok(CHECK, "0 entries"),
            entries => fail(format!(
                "it is missing, and so are its {}",
                counted(entries, "entry", "entries")
            )),
        }]);
    }
    let highest = usize::try_from(records.highest_row().await?).unwrap_or(usize::MAX);
    let (path, depth) = (folder.to_path_buf(), Depth::of(deep));
    let highest = highest.saturating_add(MARGIN);
    let read = tokio::task::spawn_blocking(move || engine.contents(&path, depth, highest));
    let contents = match read.await.map_err(|_| StoreError::Closed)? {
        Ok(contents) => contents,
        Err(error @ IndexError::Unsupported { .. }) => {
            return Ok(vec![Finding::ok(CHECK, error.to_string())]);
        }
        Err(error) => return Ok(vec![unreadable(&error)]),
    };
    let mut findings: Vec<Finding> = contents.broken.iter().map(damaged).collect();
    let Some(position) = &contents.position else {
        findings.push(not_begun(records.sequence().await?));
        return Ok(findings);
    };
    if position.origin != records.origin().await? {
        findings.push(fail("it belongs to another database".to_owned()));
        return Ok(findings);
    }
    if position.is_incomplete {
        findings.push(fail(
            "a damaged part was taken out, and its entries are not back yet".to_owned(),
        ));
    }
    let applied = position.applied;
    let expected = records.indexed_rows(applied).await?;
    if applied > expected.sequence {
        findings.push(fail(format!(
            "it is at change {applied}, where the records end at {}",
            expected.sequence
        )));
        return Ok(findings);
    }
    if !records.has_history(applied, position.mark).await? {
        findings.push(fail(
            "the records were reset to an earlier state since it followed them".to_owned(),
        ));
        return Ok(findings);
    }
    findings.extend(missing(records, &contents, &expected).await?);
    findings.extend(superfluous(&contents, &expected));
    if findings.is_empty() {
        findings.push(sound(&contents, &expected, deep));
    }
    Ok(findings)
}

fn unreadable(error: &IndexError) -> Finding {
    if error.is_suspicious() {
        return fail(error.to_string());
    }
    let advice = "make its files readable, or try again; it is not damaged as far as can be seen";
    Finding::fail(CHECK, error.to_string(), advice)
}

fn not_begun(sequence: i64) -> Finding {
    match sequence {
        0 => Finding::ok(CHECK, "0 entries"),
        _ => Finding::warn(
            CHECK,
            "no entry was taken over yet",
            "nothing: they follow at the next start",
        ),
    }
}

fn damaged(segment: &BrokenSegment) -> Finding {
    let files = segment.files.iter();
    let files: Vec<String> = files
        .map(|file| format!("{}: {}", file.name.display(), file.reason))
        .collect();
    fail(format!(
        "segment {} with {} is damaged ({})",
        segment.name,
        counted(u64::from(segment.documents), "entry", "entries"),
        files.join("; ")
    ))
}

/// Entries that cannot be found though the index claims to have them.
async fn missing(
    records: &Records,
    contents: &Contents,
    expected: &IndexedRows,
) -> Result<Option<Finding>, StoreError> {
    let missing = expected.missing_from(&contents.rows);
    if missing.is_empty() {
        return Ok(None);
    }
    let named: Vec<i64> = missing.iter().take(NAMED).copied().collect();
    let entries = records.rows(&named).await?;
    let names: Vec<String> = entries
        .iter()
        .map(|row| match row.entry.tenant.as_str() {
            "default" => format!("`{}`", row.entry.entry_id),
            tenant => format!("`{}` of `{tenant}`", row.entry.entry_id),
        })
        .collect();
    Ok(Some(fail(format!(
        "{} of {} cannot be found, among them {}",
        missing.len(),
        counted(expected.settled.len() as u64, "entry", "entries"),
        names.join(", ")
    ))))
}

/// Documents of entries that are gone, or twice.
fn superfluous(contents: &Contents, expected: &IndexedRows) -> Option<Finding> {
    let mut known = Bitmap::new(contents.rows.len());
    for doc in expected.settled.iter().chain(&expected.changed_later) {
        known.set(usize::try_from(*doc).unwrap_or(usize::MAX));
    }
    let rows = contents.rows.ones();
    let gone = rows.filter(|row| !known.get(*row)).count() as u64 + contents.unknown;
    (gone + contents.repeated > 0).then(|| {
        fail(format!(
            "{} can still be found, and {} twice",
            counted(gone, "deleted entry", "deleted entries"),
            counted(contents.repeated, "entry", "entries")
        ))
    })
}

fn sound(contents: &Contents, expected: &IndexedRows, deep: bool) -> Finding {
    let checked = match deep {
        true => ", every checksum right",
        false => "",
    };
    let held = counted(contents.documents, "entry", "entries");
    let message = match expected.changed_later.len() {
        0 => format!("{held} matching the records{checked}"),
        later => format!(
            "{held} matching the records{checked}; {later} changed or deleted since and \
             follow"
        ),
    };
    Finding::ok(CHECK, message)
}

fn fail(message: String) -> Finding {
    Finding::fail(CHECK, message, REBUILD)
}
