//! `gannet purge`: deletes entries for good.

use gannet_core::api::{DEFAULT_TENANT, Entry, Filter};
use gannet_core::store::ListRequest;
use gannet_core::{EntryListInput, Gannet, Purged, RetentionReport};
use gannet_server::auth::AuditEvent;
use jiff::Timestamp;
use serde_json::json;

use super::audit::audit;
use super::confirm::{confirm, refuse_without_terminal};
use crate::arguments::{Common, Format, PurgeArguments};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, GOOD, number, print_json, safe_line, title};
use crate::session;

/// Entries that are shown before the question.
const SHOWN: usize = 10;

/// Deletes the entries that match, or what is older than the configuration
/// allows.
pub async fn run(common: &Common, wanted: &PurgeArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let done = match wanted.retention {
        true => apply_retention(&gannet, common.format, wanted).await,
        false => purge(&gannet, common.format, wanted).await,
    };
    gannet.close().await?;
    done
}

async fn purge(gannet: &Gannet, format: Format, wanted: &PurgeArguments) -> Result<Exit, Failure> {
    let filter = filter(gannet, wanted)?;
    // Entries that were just written are counted too.
    gannet.store().flush().await?;
    if wanted.dry_run {
        let due = gannet.would_purge(DEFAULT_TENANT, &filter).await?;
        return would_purge(&latest(gannet, &filter).await?, due, format);
    }
    if !wanted.yes && !is_confirmed(gannet, &filter).await? {
        return Ok(Exit::Done);
    }
    let purged = gannet.purge(DEFAULT_TENANT, &filter).await?;
    audit(gannet.config(), &AuditEvent::purged(purged));
    match format {
        Format::Table => print(purged),
        format => print_json(&purged, format)?,
    }
    Ok(Exit::Done)
}

fn filter(gannet: &Gannet, wanted: &PurgeArguments) -> Result<Filter, Failure> {
    let mut pairs = wanted.filters.clone();
    if let Some(source) = &wanted.source {
        pairs.push(("source".to_owned(), source.clone()));
    }
    let mut filter = gannet.filter(&pairs)?;
    if let Some(text) = &wanted.before {
        let span = gannet.time_span(text);
        let start = span.and_then(|span| span.from).ok_or_else(|| {
            Failure::usage(format!(
                "--before: `{text}` is not a valid date; write 2015, 2015-07 or 2015-07-31"
            ))
        })?;
        filter.clauses.push(Gannet::before(start));
    }
    match filter.is_empty() {
        false => Ok(filter),
        true => Err(Failure::usage(
            "name the entries to delete with `--before`, `--source` or `--filter`; \
             to delete all of them, delete the store",
        )),
    }
}

/// Whether the user wants to delete what would be deleted, if anything would.
async fn is_confirmed(gannet: &Gannet, filter: &Filter) -> Result<bool, Failure> {
    let due = gannet.would_purge(DEFAULT_TENANT, filter).await?;
    if due == Purged::default() {
        return Ok(true);
    }
    refuse_without_terminal()?;
    show(&latest(gannet, filter).await?, due.entries);
    confirm(&format!("purge {}?", counted(due)))
}

/// The latest entries that match.
async fn latest(gannet: &Gannet, filter: &Filter) -> Result<Vec<Entry>, Failure> {
    let request = ListRequest::newest(SHOWN);
    let input = EntryListInput {
        filter: filter.clone(),
        offset: 0,
        limit: request.limit,
        after: None,
        newest_first: true,
    };
    Ok(gannet.list(DEFAULT_TENANT, input).await?.entries)
}

fn would_purge(first: &[Entry], due: Purged, format: Format) -> Result<Exit, Failure> {
    match format {
        Format::Table => {
            show(first, due.entries);
            outln!("would purge {}", counted(due));
        }
        format => {
            let ids: Vec<&str> = first.iter().map(|entry| entry.entry_id.as_str()).collect();
            let report = json!({
                "entries": due.entries,
                "attachments": due.attachments,
                "unnamed_attachments": due.unnamed_attachments,
                "latest": ids,
            });
            print_json(&report, format)?;
        }
    }
    Ok(Exit::Done)
}

fn show(first: &[Entry], total: u64) {
    for entry in first {
        outln!("{}  {}", safe_line(&entry.entry_id), title(entry));
    }
    let more = total.saturating_sub(first.len() as u64);
    if more > 0 {
        outln!("{DIM}and {more} more{DIM:#}");
    }
}

fn print(purged: Purged) {
    if purged == Purged::default() {
        outln!("no entry matches; nothing was deleted");
        return;
    }
    outln!("{GOOD}purged{GOOD:#} {}", counted(purged));
}

/// Entries and files in words.
fn counted(purged: Purged) -> String {
    let entries = number::count(purged.entries, "entry", "entries");
    let files = number::count(purged.attachments, "uploaded file", "uploaded files");
    match purged.unnamed_attachments {
        0 => format!("{entries}, {files}"),
        unnamed => {
            let unnamed = number::count(unnamed, "uploaded file", "uploaded files");
            format!("{entries}, {files}, {unnamed} that no entry names")
        }
    }
}

async fn apply_retention(
    gannet: &Gannet,
    format: Format,
    wanted: &PurgeArguments,
) -> Result<Exit, Failure> {
    if !gannet.config().retention.is_set() {
        return Err(Failure::usage(
            "the section `retention` of the configuration sets no limit",
        ));
    }
    if wanted.dry_run {
        let report = gannet.beyond_retention(Timestamp::now()).await?;
        match format {
            Format::Table => print_due(report),
            format => print_json(&report, format)?,
        }
        return Ok(Exit::Done);
    }
    if !wanted.yes && !confirm("delete what is older than `retention` allows?")? {
        return Ok(Exit::Done);
    }
    let report = gannet.apply_retention(Timestamp::now()).await?;
    audit(gannet.config(), &AuditEvent::retention(&report));
    match format {
        Format::Table => print_report(report),
        format => print_json(&report, format)?,
    }
    Ok(Exit::Done)
}

fn print_report(report: RetentionReport) {
    print(report.purged);
    for (log, lines) in logs(report) {
        outln!("{GOOD}deleted{GOOD:#} {lines} of the {log}");
    }
    if report.feedback > 0 {
        outln!("{GOOD}deleted{GOOD:#} feedback: {}", report.feedback);
    }
}

/// What a report says that deleted nothing.
fn print_due(report: RetentionReport) {
    outln!("would purge {}", counted(report.purged));
    for (log, lines) in logs(report) {
        outln!("would delete {lines} of the {log}");
    }
    if report.feedback > 0 {
        outln!("would delete feedback: {}", report.feedback);
    }
}

/// The logs of which lines are too old, and how many.
fn logs(report: RetentionReport) -> impl Iterator<Item = (&'static str, String)> {
    let logs = [
        ("query log", report.query_log_lines),
        ("audit log", report.audit_log_lines),
        ("question log", report.question_log_lines),
    ];
    let with_lines = logs.into_iter().filter(|(_, lines)| *lines > 0);
    with_lines.map(|(log, lines)| (log, number::count(lines, "line", "lines")))
}
