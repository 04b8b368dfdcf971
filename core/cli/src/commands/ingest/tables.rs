//! Tables: which adapter has their columns, and the settings for those of
//! which none has.

use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;

use gannet_core::api::{Entry, Record, Setup};
use gannet_core::config::{AdapterConfig, with_adapter};
use gannet_core::{Gannet, PlannedRun, SourcePlan};
use gannet_csv::{ColumnMap, Csv, Proposal, Settings, Table};

use crate::arguments::{Common, Format, IngestArguments};
use crate::commands::config_file::{config_file, rewrite};
use crate::commands::confirm;
use crate::failure::Failure;
use crate::render::{ACCENT, DIM, number, quoted, safe, safe_line};
use crate::session;

/// The plugin of tables, and its first instance.
const CSV: &str = "csv";
/// Entries that are shown before settings are accepted.
const SHOWN: usize = 3;

/// A table that no adapter has the columns of.
struct Unmapped {
    file: String,
    path: PathBuf,
    proposal: Proposal,
}

/// Gives each table of a plan to the adapter that has its columns. For the
/// others settings are proposed: shown, asked for, or written as the options
/// say. The host is opened again when the configuration changed, and not given
/// back when settings were only to be printed.
pub async fn settle(
    common: &Common,
    wanted: &IngestArguments,
    gannet: Gannet,
    plan: &mut SourcePlan,
) -> Result<Option<Gannet>, Failure> {
    let mut instances = Instances::of(&gannet);
    let unmapped = take_tables(&gannet, &instances, plan, common.format)?;
    if wanted.print {
        print_only(&gannet, &instances, &unmapped)?;
        gannet.close().await?;
        return Ok(None);
    }
    // Its own columns have tables of the folder.
    instances.is_used = plan.runs.iter().any(|run| run.adapter == CSV);
    let (mut accepted, mut written) = (Vec::new(), Vec::new());
    for table in unmapped {
        // One that was accepted before may have the same columns.
        if let Some(name) = instances.fitting(&Table::open(&table.path, None, None)?, &gannet)? {
            accepted.push((name, table.file));
            continue;
        }
        if plan.is_folder
            && let Some(reason) = unreadable(&gannet, &table)
        {
            plan.skip(table.file, reason);
            continue;
        }
        let (name, lines) = instances.lines_for(&table);
        if accepts(&gannet, wanted, common, &table)? {
            written.push(lines);
            instances.add(&name, &table.proposal);
            accepted.push((name, table.file));
        } else if plan.is_folder {
            let folder = quoted(&plan.source.display().to_string());
            let reason = format!(
                "no columns are configured for it: `gannet ingest {folder} --accept` proposes and \
                 writes them"
            );
            plan.skip(table.file, reason);
        } else {
            return Err(unmapped_table(&table, &lines));
        }
    }
    if accepted.is_empty() {
        return Ok(Some(gannet));
    }
    if !written.is_empty() {
        let lines = written.concat().join("\n");
        let by_hand = format!("write these lines under `ingestion.adapters` by hand:\n\n{lines}");
        rewrite(common, "the columns", &by_hand, |text| {
            let mut adapters = written.iter();
            adapters.try_fold(text, |text, lines| with_adapter(&text, lines))
        })?;
    }
    for (name, file) in accepted {
        match plan.runs.iter_mut().find(|run| run.adapter == name) {
            Some(run) => run.files.push(file),
            None => plan.runs.push(run_of(&name, file)),
        }
    }
    gannet.close().await?;
    session::open(common).await.map(Some)
}

/// The error of a table that is named alone and that no adapter has the columns
/// of.
fn unmapped_table(table: &Unmapped, lines: &[String]) -> Failure {
    let path = quoted(&table.path.display().to_string());
    Failure::usage(format!(
        "no columns are configured for `{}`: `gannet ingest {path} --accept` writes what fits \
         into the configuration. This fits its header and its first records; check it:\n\n\
         ingestion:\n  adapters:\n    {}",
        table.file,
        lines.join("\n    "),
    ))
}

/// Why columns cannot be told from a table: its first record cannot be read, or
/// there is none.
fn unreadable(gannet: &Gannet, table: &Unmapped) -> Option<String> {
    let settings = table.proposal.settings.clone();
    match Csv::preview(&table.path, settings, &setup(gannet), 1) {
        Ok(records) if records.is_empty() => Some("a table without records".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
}

fn run_of(adapter: &str, file: String) -> PlannedRun {
    PlannedRun {
        adapter: adapter.to_owned(),
        undated: false,
        files: vec![file],
    }
}

/// Takes the tables out of the plan, and puts those back that an adapter has
/// the columns of.
fn take_tables(
    gannet: &Gannet,
    instances: &Instances,
    plan: &mut SourcePlan,
    format: Format,
) -> Result<Vec<Unmapped>, Failure> {
    let is_table = |run: &PlannedRun| run.adapter == CSV;
    let (tables, others) = plan.runs.drain(..).partition(is_table);
    plan.runs = others;
    let mut unmapped = Vec::new();
    for file in tables.into_iter().flat_map(|run: PlannedRun| run.files) {
        let path = plan.path_of(&file);
        let table = match Table::open(&path, None, None) {
            Ok(table) => table,
            Err(error) if plan.is_folder => {
                plan.skip(file, error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if plan.is_folder && table.has_no_records() {
            plan.skip(
                file,
                "no records: a header line and nothing below it".to_owned(),
            );
            continue;
        }
        if let (Some(note), Format::Table) = (table.encoding_note(), format) {
            outln!("{DIM}{} is read as {note}{DIM:#}", safe_line(&file));
        }
        let fitting = instances.fitting(&table, gannet)?;
        if fitting.is_none() && !table.has_header() && format == Format::Table {
            outln!(
                "{DIM}{} has no line with the names of its columns: they are called by their \
                 numbers{DIM:#}",
                safe_line(&file)
            );
        }
        match fitting {
            Some(name) => match plan.runs.iter_mut().find(|run| run.adapter == name) {
                Some(run) => run.files.push(file),
                None => plan.runs.push(run_of(&name, file)),
            },
            None if table.header().len() > 1 => unmapped.push(Unmapped {
                proposal: table.proposal(),
                file,
                path,
            }),
            None if plan.is_folder => {
                plan.skip(
                    file,
                    "not a table: no delimiter is in its first line".to_owned(),
                );
            }
            None => plan.runs.push(run_of(CSV, file)),
        }
    }
    Ok(unmapped)
}

/// The adapters for tables, and their settings.
struct Instances {
    tables: Vec<(String, Settings)>,
    taken: Vec<String>,
    /// Whether tables are read with the columns that the plugin has by itself.
    is_used: bool,
}

impl Instances {
    fn of(gannet: &Gannet) -> Self {
        let adapters = &gannet.config().ingestion.adapters;
        let is_csv = |name: &str, adapter: &AdapterConfig| {
            adapter.enabled && adapter.plugin.as_deref().unwrap_or(name) == CSV
        };
        let tables = adapters
            .iter()
            .filter(|(name, adapter)| is_csv(name, adapter));
        let tables = tables.filter_map(|(name, adapter)| {
            let settings = adapter.settings.clone().into();
            Some((name.clone(), serde_json::from_value(settings).ok()?))
        });
        Self {
            tables: tables.collect(),
            taken: adapters.keys().cloned().collect(),
            is_used: false,
        }
    }

    /// The first adapter that has the columns of a table.
    fn fitting(&self, table: &Table, gannet: &Gannet) -> Result<Option<String>, Failure> {
        for (name, settings) in &self.tables {
            if Csv::fits(table, settings.clone(), &setup(gannet))? {
                return Ok(Some(name.clone()));
            }
        }
        Ok(None)
    }

    /// The name of the adapter for a table, and its lines in the configuration:
    /// `csv` while that has no columns and reads no other table, else one named
    /// after the file.
    fn lines_for(&self, table: &Unmapped) -> (String, Vec<String>) {
        let is_free = |(name, settings): &(String, Settings)| {
            name == CSV && settings.columns == ColumnMap::default()
        };
        if !self.is_used && self.tables.iter().any(is_free) {
            let lines = table.proposal.lines_under(CSV, None);
            return (CSV.to_owned(), lines);
        }
        let stem = table.path.file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().to_lowercase();
        let letters = stem.chars().map(|one| match one.is_ascii_alphanumeric() {
            true => one,
            false => '_',
        });
        let stem = format!("table_{}", letters.collect::<String>());
        let numbered = (2..).map(|number| format!("{stem}_{number}"));
        let mut names = std::iter::once(stem.clone()).chain(numbered);
        let is_new = |name: &String| !self.taken.contains(name);
        let name = names.find(is_new).unwrap_or(stem);
        let lines = table.proposal.lines_under(&name, Some(CSV));
        (name, lines)
    }

    fn add(&mut self, name: &str, proposal: &Proposal) {
        self.tables.retain(|(own, _)| own != name);
        self.tables
            .push((name.to_owned(), proposal.settings.clone()));
        self.taken.push(name.to_owned());
    }
}

fn setup(gannet: &Gannet) -> Setup {
    Setup::default()
        .with_instance(CSV)
        .with_timezone(&gannet.config().timezone)
}

/// Prints the settings of tables instead of reading anything.
fn print_only(
    gannet: &Gannet,
    instances: &Instances,
    unmapped: &[Unmapped],
) -> Result<(), Failure> {
    if unmapped.is_empty() {
        return Err(Failure::usage(
            "there is no table without settings: `gannet ingest` without `--print` reads it",
        ));
    }
    for table in unmapped {
        show(gannet, table)?;
        let (_, lines) = instances.lines_for(table);
        outln!("ingestion:\n  adapters:");
        for line in lines {
            outln!("    {}", safe(&line));
        }
    }
    Ok(())
}

/// Whether the settings of a table are to be written: with `--accept`, or as
/// somebody at a terminal says.
fn accepts(
    gannet: &Gannet,
    wanted: &IngestArguments,
    common: &Common,
    table: &Unmapped,
) -> Result<bool, Failure> {
    let is_asked = stdin().is_terminal() && stdout().is_terminal() && !wanted.dry_run;
    if common.format != Format::Table || !(wanted.accept || is_asked) {
        return Ok(wanted.accept);
    }
    show(gannet, table)?;
    if wanted.accept {
        return Ok(true);
    }
    out!("{}", safe(&table.proposal.yaml(CSV)));
    confirm::confirm(&format!(
        "Write this into {} and read the file?",
        config_file(common).display()
    ))
}

/// Shows the first records of a table as the entries that they become.
fn show(gannet: &Gannet, table: &Unmapped) -> Result<(), Failure> {
    let settings = table.proposal.settings.clone();
    let records = Csv::preview(&table.path, settings, &setup(gannet), SHOWN)?;
    errln!("The first entries of {} would be:", safe_line(&table.file));
    for record in records {
        match record {
            Record::Entry(entry) => show_entry(&entry),
            Record::Rejected(rejected) => {
                let (place, reason) = (&rejected.position, &rejected.reason);
                errln!("  rejected, {}: {}", safe_line(place), safe_line(reason));
            }
            _ => {}
        }
    }
    Ok(())
}

fn show_entry(entry: &Entry) {
    let text = safe(&entry.raw_text).replace('\n', " ");
    let text: String = text.chars().take(70).collect();
    let more = number::count(entry.metadata.len() as u64, "other field", "other fields");
    errln!(
        "  {ACCENT}{}{ACCENT:#} {} {}: {} {DIM}({more}){DIM:#}",
        safe_line(&entry.entry_id),
        entry.timestamp,
        safe_line(&entry.author),
        safe_line(&text),
    );
}
