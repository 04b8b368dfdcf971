//! `gannet eval`: search quality on a set of judged questions.

mod answered;
mod answers;
mod sets;

use std::path::{Path, PathBuf};

use gannet_core::Gannet;
use gannet_core::config::StoreConfig;
use gannet_core::eval::{
    AnswerRequest, EvalRequest, EvalStep, ModeReport, Scorer, SetsRequest, evaluate,
    evaluate_answers, evaluate_sets,
};

use crate::arguments::{Common, EvalArguments, Format};
use crate::failure::{Exit, Failure};
use crate::progress::Bar;
use crate::render::{print_json_list, table};
use crate::{session, signals};

/// The modes whose rankings are compared when none is named.
const RANKING_MODES: [&str; 3] = ["keyword", "semantic", "rag"];

/// Indexes the set and runs the modes side by side. The store is a scratch
/// one, unless `--data` names one to keep or `--store` a database.
pub async fn run(common: &Common, wanted: EvalArguments) -> Result<Exit, Failure> {
    let scratch = tempfile::tempdir()?;
    let folder = match &common.data {
        Some(folder) => folder.clone(),
        None => scratch.path().join("store"),
    };
    let gannet = open(common, &wanted, folder).await?;
    let bar = Bar::new("steps");
    let stop = signals::stop_after("this step");
    let step = |step| show(&bar, step);
    match (&wanted.qa, &wanted.sets) {
        (Some(questions), _) => {
            let request = answer_request(&gannet, &wanted, questions)?;
            let reports = evaluate_answers(&gannet, &request, &stop, step).await?;
            drop(bar);
            answers::print(&reports, &wanted, common.format)?;
        }
        (None, Some(questions)) => {
            let request = sets_request(&gannet, &wanted, questions)?;
            let reports = evaluate_sets(&gannet, &request, &stop, step).await?;
            drop(bar);
            sets::print(&reports, &wanted, common.format)?;
        }
        (None, None) => {
            let request = request(&wanted);
            let reports = evaluate(&gannet, &request, &stop, step).await?;
            drop(bar);
            print(&reports, common.format)?;
        }
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

async fn open(common: &Common, wanted: &EvalArguments, folder: PathBuf) -> Result<Gannet, Failure> {
    let mut settings = vec![
        // Document collections often have no dates; here they need none.
        (
            "ingestion.adapters.jsonl.settings.default_timestamp",
            "1970-01-01T00:00:00Z".to_owned(),
        ),
    ];
    if let Some(uri) = &wanted.store {
        settings.extend(session::in_database(uri));
    }
    let mut loaded = session::configuration(common, &settings)?;
    // Whatever the configuration says: not among a facility's entries.
    match wanted.store {
        Some(_) => loaded.config.store.path = folder,
        None => loaded.config.store = in_folder(&loaded.config.store, folder),
    }
    let gannet = session::open_as(loaded).await?;
    if wanted.store.is_some() {
        refuse_entries(&gannet).await?;
    }
    Ok(gannet)
}

fn request(wanted: &EvalArguments) -> EvalRequest {
    let modes = match wanted.modes.is_empty() {
        true => RANKING_MODES.map(str::to_owned).to_vec(),
        false => wanted.modes.clone(),
    };
    EvalRequest {
        corpus: wanted.set.join("corpus.jsonl"),
        queries: in_set(&wanted.set, &wanted.queries),
        qrels: in_set(&wanted.set, &wanted.qrels),
        modes,
        run_file: wanted.run.clone(),
    }
}

fn answer_request(
    gannet: &Gannet,
    wanted: &EvalArguments,
    questions: &Path,
) -> Result<AnswerRequest, Failure> {
    Ok(AnswerRequest {
        corpus: wanted.set.join("corpus.jsonl"),
        questions: in_set(&wanted.set, questions),
        modes: answering_modes(gannet, wanted)?,
        scorer: Scorer::new(&wanted.abstain),
    })
}

fn sets_request(
    gannet: &Gannet,
    wanted: &EvalArguments,
    questions: &Path,
) -> Result<SetsRequest, Failure> {
    // The folder may be given as `.`.
    let folder = std::fs::canonicalize(&wanted.set).unwrap_or_else(|_| wanted.set.clone());
    let name = folder.file_name().unwrap_or_default();
    Ok(SetsRequest {
        corpus: wanted.set.join("corpus.jsonl"),
        collection: name.to_string_lossy().into_owned(),
        questions: in_set(&wanted.set, questions),
        modes: answering_modes(gannet, wanted)?,
    })
}

/// The modes whose answers are measured.
fn answering_modes(gannet: &Gannet, wanted: &EvalArguments) -> Result<Vec<String>, Failure> {
    let modes = match wanted.modes.is_empty() {
        true => vec![gannet.default_mode().to_owned()],
        false => wanted.modes.clone(),
    };
    if wanted.answers.is_some() && modes.len() > 1 {
        return Err(Failure::usage(
            "--answers writes the answers of one mode; name one with --mode",
        ));
    }
    Ok(modes)
}

/// A file in the folder of the set or, if it is not there, by its path.
fn in_set(set: &Path, file: &Path) -> PathBuf {
    let inside = set.join(file);
    match !inside.exists() && file.exists() {
        true => file.to_owned(),
        false => inside,
    }
}

fn in_folder(configured: &StoreConfig, path: PathBuf) -> StoreConfig {
    StoreConfig {
        path,
        synchronous: configured.synchronous,
        field_weights: configured.field_weights,
        late_interaction: configured.late_interaction,
        ..StoreConfig::default()
    }
}

async fn refuse_entries(gannet: &Gannet) -> Result<(), Failure> {
    match gannet.store().stats().await?.entries {
        0 => Ok(()),
        entries => Err(Failure::usage(format!(
            "{} is not empty (entries: {entries}); name an empty database",
            gannet.store_place()
        ))),
    }
}

fn show(bar: &Bar, step: EvalStep) {
    match step {
        EvalStep::Ingest(progress) => bar.ingest(progress),
        EvalStep::Enhance(progress) => bar.enhance(&progress),
        EvalStep::Ask { mode, done, total } => bar.show(&mode, done as u64, Some(total as u64)),
    }
}

fn print(reports: &[ModeReport], format: Format) -> Result<(), Failure> {
    match format {
        Format::Table => {
            let header = [
                "mode", "queries", "nDCG@10", "R@10", "R@100", "MRR@10", "P@10", "p50 ms",
                "p95 ms", "index s",
            ];
            outln!("{}", table(&header, reports.iter().map(row)));
            Ok(())
        }
        format => print_json_list(reports, format),
    }
}

fn row(report: &ModeReport) -> Vec<String> {
    let mut row = vec![report.mode.clone(), report.queries.to_string()];
    row.extend(
        [
            report.ndcg_at_10,
            report.recall_at_10,
            report.recall_at_100,
            report.mrr_at_10,
            report.p_at_10,
        ]
        .map(|value| format!("{value:.4}")),
    );
    row.extend([report.p50_ms, report.p95_ms].map(|value| format!("{value:.2}")));
    row.push(format!("{:.1}", report.index_s));
    row
}
