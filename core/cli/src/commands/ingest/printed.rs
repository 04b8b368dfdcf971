//! What `gannet ingest` prints.

use gannet_core::{IngestReport, RunEnd, SourcePlan};

use crate::render::{DIM, GOOD, WARNING, number, quoted, safe_line};

/// Files that are named in a line.
const NAMED: usize = 5;
/// Reasons of rejected records that are shown.
const REASONS: usize = 20;

/// Prints which adapter takes which files, and what is skipped. Of one file
/// only what is not as usual is said, unless nothing is stored.
pub fn print_plan(plan: &SourcePlan, dry_run: bool) {
    for run in &plan.runs {
        let undated = match run.undated {
            true => "; no record has a time: taken as documents without one",
            false => "",
        };
        if plan.is_folder || dry_run || run.undated {
            outln!(
                "{GOOD}{}{GOOD:#} reads {}: {}{undated}",
                safe_line(&run.adapter),
                number::count(run.files.len() as u64, "file", "files"),
                names(&run.files),
            );
        }
    }
    if !plan.is_folder {
        return;
    }
    for skipped in &plan.skipped {
        outln!(
            "{WARNING}skipped{WARNING:#} {}: {} {DIM}({}){DIM:#}",
            number::count(skipped.files.len() as u64, "file", "files"),
            names(&skipped.files),
            safe_line(&skipped.reason),
        );
    }
    if plan.source.join(".git").exists() {
        outln!(
            "{DIM}the folder is a git repository; `gannet ingest --adapter git {}` reads its \
             history{DIM:#}",
            quoted(&plan.source.display().to_string())
        );
    }
}

/// The first names of a list, and how many more there are.
fn names(files: &[String]) -> String {
    let shown: Vec<_> = files
        .iter()
        .take(NAMED)
        .map(|file| safe_line(file))
        .collect();
    let shown = shown.join(", ");
    match files.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {} more", number::grouped(more as u64)),
    }
}

/// Prints what an ingestion did.
pub fn print(report: &IngestReport, dry_run: bool) {
    let counts = &report.counts;
    let seconds = report.elapsed.as_secs_f64();
    if dry_run {
        let usable = counts.read - counts.rejected;
        outln!(
            "dry run: {usable} of {} can be stored; nothing was stored",
            number::count(counts.read, "record", "records")
        );
    } else {
        outln!(
            "{GOOD}ingested{GOOD:#} {} new, {} changed, {} unchanged {DIM}in {seconds:.1} s, \
             {}{DIM:#}",
            counts.added,
            counts.updated,
            counts.unchanged,
            number::rate(counts.read as f64 / seconds.max(0.001), "records"),
        );
    }
    if counts.read == 0 && report.end == RunEnd::Finished {
        outln!("{WARNING}no records{WARNING:#} were read: the source has none");
    }
    if counts.deleted > 0 {
        let deleted = number::count(counts.deleted, "entry", "entries");
        outln!("{WARNING}deleted{WARNING:#} {deleted} that the source no longer has");
    }
    if counts.rejected > 0 {
        let place = match &report.rejects {
            Some(path) => format!("; see {}", path.display()),
            None => String::new(),
        };
        outln!(
            "{WARNING}rejected{WARNING:#} {}{place}",
            number::count(counts.rejected, "record", "records")
        );
        print_reasons(report);
    }
    if report.end == RunEnd::Stopped {
        outln!("{WARNING}stopped{WARNING:#} before the end; run the command again to continue");
    }
}

/// The reasons of rejected records, the most frequent first.
fn print_reasons(report: &IngestReport) {
    for one in report.reasons.iter().take(REASONS) {
        let more = match one.count.saturating_sub(one.positions.len() as u64) {
            0 => String::new(),
            more => format!(" and {} more", number::grouped(more)),
        };
        outln!(
            "  {}: {} {DIM}({}{more}){DIM:#}",
            number::grouped(one.count),
            safe_line(&one.reason),
            safe_line(&one.positions.join("; ")),
        );
    }
    let left = report.reasons.len().saturating_sub(REASONS) as u64;
    if left > 0 {
        outln!(
            "  and {}",
            number::count(left, "more reason", "more reasons")
        );
    }
}
