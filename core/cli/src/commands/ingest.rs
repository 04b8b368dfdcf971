//! `gannet ingest`: reads entries from a source into the store.

mod printed;
mod tables;

use std::fmt::Display;
use std::path::Path;

use gannet_core::api::{DEFAULT_TENANT, Error as PluginError, FetchRequest, TimeRange};
use gannet_core::{
    EnhanceReport, EnhanceRequest, Gannet, HostError, IngestReport, IngestRequest, RejectReason,
    RunEnd, SourcePlan, Stop,
};
use serde::Serialize;

use crate::arguments::{Common, Format, IngestArguments};
use crate::commands::enhance::{print_enhancement, refuse_useless_run};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{number, print_json, quoted};
use crate::{session, signals};

pub use printed::print;

/// Reads the source, then runs the enhancement modules on new entries.
pub async fn run(common: &Common, wanted: IngestArguments) -> Result<Exit, Failure> {
    refuse_empty_folder(common, &wanted)?;
    let gannet = session::open(common).await?;
    let request = request(&gannet, &wanted)?;
    let mut plan = match (&request.adapter, &request.fetch.source) {
        (None, Some(source)) => gannet.source_plan(source)?,
        _ => None,
    };
    let gannet = match &mut plan {
        Some(plan) => match tables::settle(common, &wanted, gannet, plan).await? {
            Some(gannet) => gannet,
            // Settings were printed, and nothing else was asked for.
            None => return Ok(Exit::Done),
        },
        None if wanted.accept || wanted.print => {
            return Err(Failure::usage(
                "`--accept` and `--print` are for a table, or a folder with tables: name a file \
                 or a folder, and no adapter",
            ));
        }
        None => gannet,
    };
    let stop = signals::stop_after("this batch");
    let enhance = !wanted.no_enhance && !wanted.dry_run;
    if let (Some(plan), Format::Table) = (&plan, common.format) {
        printed::print_plan(plan, wanted.dry_run);
    }
    let is_part = request.fetch.since.is_some() || request.fetch.until.is_some();
    let dry_run = request.dry_run;
    let report = match &plan {
        Some(plan) => ingest_planned(&gannet, request, plan, &stop).await?,
        None => ingest_configured(&gannet, request, &stop).await?,
    };
    if common.format == Format::Table {
        print(&report, dry_run);
    }
    let mut outcome = Outcome {
        ingested: report,
        plan,
        enhanced: Vec::new(),
    };
    if enhance && outcome.ingested.end == RunEnd::Finished {
        outcome.enhanced = enhance_all(&gannet, &stop).await?;
    }
    match common.format {
        Format::Table => print_enhancement(&outcome.enhanced),
        format => print_json(&outcome, format)?,
    }
    gannet.close().await?;
    // Of a part it is not known how many good records lie outside of it.
    if !is_part {
        refuse_useless_source(&outcome.ingested)?;
    }
    // The entries are stored, and were reported.
    refuse_useless_run(&outcome.enhanced)?;
    Ok(Exit::unless(&stop))
}

/// An empty folder makes no store.
fn refuse_empty_folder(common: &Common, wanted: &IngestArguments) -> Result<(), Failure> {
    let source = wanted.source.as_ref().or(wanted.named_source.as_ref());
    let Some(source) = source.filter(|source| session::is_empty_folder(Path::new(source))) else {
        return Ok(());
    };
    let loaded = session::configuration(common, &[])?;
    session::check_folder(&loaded).map_err(|_| no_files(source))
}

fn no_files(folder: impl Display) -> Failure {
    Failure::usage(format!("the folder `{folder}` has no files"))
}

/// Runs the adapter that the call or the configuration names. Where that of the
/// configuration cannot read a folder, the error says whose choice it was.
async fn ingest_configured(
    gannet: &Gannet,
    request: IngestRequest,
    stop: &Stop,
) -> Result<IngestReport, Failure> {
    let folder = request
        .fetch
        .source
        .clone()
        .filter(|source| request.adapter.is_none() && Path::new(source).is_dir());
    let report = ingest(gannet, request, stop).await;
    match folder {
        Some(folder) => report.map_err(|failure| {
            let (adapter, folder) = (&gannet.config().ingestion.adapter, quoted(&folder));
            failure.with_note(&format!(
                "`ingestion.adapter: {adapter}` in the configuration reads every folder with that \
                 adapter: name another one, `gannet ingest {folder} --adapter files`, or remove \
                 the setting, so that each file is read by the adapter of its kind"
            ))
        }),
        None => report,
    }
}

/// Runs the adapters of a plan, one after the other.
async fn ingest_planned(
    gannet: &Gannet,
    request: IngestRequest,
    plan: &SourcePlan,
    stop: &Stop,
) -> Result<IngestReport, Failure> {
    let mut whole: Option<IngestReport> = None;
    for run in &plan.runs {
        let mut request = IngestRequest {
            adapter: Some(run.adapter.clone()),
            fetch: plan.fetch(run, &request.fetch),
            ..request.clone()
        };
        if let (Some(limit), Some(whole)) = (request.fetch.limit, &whole) {
            let entries = whole.counts.read - whole.counts.rejected;
            let entries = usize::try_from(entries).unwrap_or(usize::MAX);
            request.fetch.limit = Some(limit.saturating_sub(entries));
        }
        let report = ingest(gannet, request, stop).await?;
        let ended = report.end;
        whole = Some(match whole {
            Some(whole) => whole.and(report),
            None => report,
        });
        if ended == RunEnd::Stopped {
            break;
        }
    }
    whole.ok_or_else(|| nothing_readable(plan))
}

/// The error of a source without a file that an adapter reads.
fn nothing_readable(plan: &SourcePlan) -> Failure {
    let source = plan.source.display();
    match (plan.is_folder, plan.skipped.first()) {
        (false, Some(skipped)) => Failure::usage(format!("`{source}`: {}", skipped.reason)),
        (true, Some(_)) => Failure::usage(format!("no file of `{source}` can be read")),
        (_, None) => no_files(source),
    }
}

/// A source of which nothing can be used is the wrong one, or was read by the
/// wrong adapter.
fn refuse_useless_source(report: &IngestReport) -> Result<(), Failure> {
    let counts = &report.counts;
    if counts.read == 0 || counts.rejected < counts.read {
        return Ok(());
    }
    let reason = |one: &RejectReason| format!("{} ({})", one.reason, number::grouped(one.count));
    let reasons: Vec<String> = report.reasons.iter().take(3).map(reason).collect();
    Err(Failure::usage(format!(
        "{} rejected: {}; check the source, or name another adapter with `--adapter`",
        match counts.read {
            1 => "the only record was".to_owned(),
            read => format!("all {} records were", number::grouped(read)),
        },
        reasons.join("; ")
    )))
}

/// The output with `--format json`.
#[derive(Serialize)]
struct Outcome {
    ingested: IngestReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<SourcePlan>,
    enhanced: Vec<EnhanceReport>,
}

/// Ingests with a progress bar.
pub async fn ingest(
    gannet: &Gannet,
    request: IngestRequest,
    stop: &Stop,
) -> Result<IngestReport, Failure> {
    let bar = Bar::new("records");
    Ok(gannet
        .ingest(request, stop, |step| bar.ingest(step))
        .await?)
}

/// Runs all enhancement modules with a progress bar.
pub async fn enhance_all(gannet: &Gannet, stop: &Stop) -> Result<Vec<EnhanceReport>, Failure> {
    let bar = Bar::new("entries");
    let everything = EnhanceRequest {
        only_due: true,
        ..EnhanceRequest::default()
    };
    let reports = gannet.enhance(everything, stop, |step| bar.enhance(&step));
    Ok(reports.await?)
}

fn request(gannet: &Gannet, wanted: &IngestArguments) -> Result<IngestRequest, Failure> {
    let first = |flag: &str, text: &Option<String>| {
        let range = text.as_deref().map(|text| instant(gannet, flag, text));
        Ok::<_, Failure>(range.transpose()?.and_then(|range| range.from))
    };
    let since = first("--since", &wanted.since)?;
    let until = first("--until", &wanted.until)?;
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(Failure::usage(format!(
            "--since ({since}) is not before --until ({until}): no record is between them"
        )));
    }
    let source = wanted.source.clone().or(wanted.named_source.clone());
    Ok(IngestRequest {
        adapter: wanted.adapter.clone(),
        fetch: FetchRequest::default()
            .with_source(source)
            .with_since(since)
            .with_until(until)
            .with_limit(wanted.limit)
            .with_default_timestamp(first("--default-timestamp", &wanted.default_timestamp)?),
        tenant: DEFAULT_TENANT.to_owned(),
        dry_run: wanted.dry_run,
        from_start: wanted.from_start,
        cursor_at_end: false,
        delete_missing: false,
    })
}

fn instant(gannet: &Gannet, flag: &str, text: &str) -> Result<TimeRange, Failure> {
    gannet.time_span(text).ok_or_else(|| {
        Failure::usage(format!(
            "{flag}: `{text}` is not a valid date; example: 2024-06-12"
        ))
    })
}

/// The only adapter of a file or a folder that is followed; several are an
/// error that names them.
pub fn only_adapter(gannet: &Gannet, source: &str) -> Result<Option<String>, HostError> {
    let plan = gannet.source_plan(source)?;
    let runs = plan.map(|plan| plan.runs).unwrap_or_default();
    let mut names: Vec<&str> = runs.iter().map(|run| run.adapter.as_str()).collect();
    names.dedup();
    match &names[..] {
        [] => Ok(None),
        [only] => Ok(Some((*only).to_owned())),
        names => Err(PluginError::invalid_input(format!(
            "several adapters read the files of `{source}`: follow it once for each, with \
             `--adapter {}`",
            names.join("`, `--adapter ")
        ))
        .into()),
    }
}

/// Whether the name of a source is that of a file with records.
pub fn has_records_ending(source: &str) -> bool {
    let ending = Path::new(source)
        .extension()
        .and_then(|ending| ending.to_str());
    let known = ["jsonl", "ndjson", "json", "csv", "tsv"];
    ending.is_some_and(|ending| known.iter().any(|one| ending.eq_ignore_ascii_case(one)))
}
