//! Runs the questions through modes of a host and sums up.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::index::index;
use super::{EvalError, EvalSet, Metrics, Question, measure};
use crate::{EnhanceProgress, Gannet, IngestProgress, SearchInput, Stop};

/// How deep rankings are read: Recall@100 looks no further.
const DEPTH: usize = 100;

/// What is to be measured.
#[derive(Debug, Clone)]
pub struct EvalRequest {
    /// The documents.
    pub corpus: PathBuf,
    /// The questions.
    pub queries: PathBuf,
    /// The judgements.
    pub qrels: PathBuf,
    /// The modes, side by side.
    pub modes: Vec<String>,
    /// Where the rankings are written to, in TREC's run format.
    pub run_file: Option<PathBuf>,
}

/// How far an evaluation is.
#[derive(Debug, Clone, PartialEq)]
pub enum EvalStep {
    /// Documents are read.
    Ingest(IngestProgress),
    /// Documents are enhanced.
    Enhance(EnhanceProgress),
    /// Questions are asked.
    Ask {
        /// In which mode.
        mode: String,
        /// How many were asked.
        done: usize,
        /// How many there are.
        total: usize,
    },
}

/// What one mode measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModeReport {
    /// The mode.
    pub mode: String,
    /// Questions asked.
    pub queries: usize,
    /// Mean nDCG@10.
    pub ndcg_at_10: f64,
    /// Mean Recall@10.
    pub recall_at_10: f64,
    /// Mean Recall@100.
    pub recall_at_100: f64,
    /// Mean MRR@10.
    pub mrr_at_10: f64,
    /// Mean P@10.
    pub p_at_10: f64,
    /// Median latency of a question, in milliseconds.
    pub p50_ms: f64,
    /// 95th percentile of it.
    pub p95_ms: f64,
    /// Seconds that indexing took for this mode, vectors included where it
    /// uses them.
    pub index_s: f64,
}

/// Indexes the documents into the host's store and runs each mode over all
/// questions.
///
/// # Errors
/// A set that cannot be read, a mode that is not on, a search that fails.
pub async fn evaluate(
    gannet: &Gannet,
    request: &EvalRequest,
    stop: &Stop,
    mut progress: impl FnMut(EvalStep),
) -> Result<Vec<ModeReport>, EvalError> {
    let set = EvalSet::read(&request.queries, &request.qrels)?;
    let mut run_file = request
        .run_file
        .as_deref()
        .map(RunFile::create)
        .transpose()?;
    let (corpus, modes) = (&request.corpus, &request.modes);
    let index_time = index(gannet, corpus, modes, stop, &mut progress).await?;
    let mut reports = Vec::new();
    for mode in &request.modes {
        let mut asked = Vec::new();
        for (index, question) in set.questions.iter().enumerate() {
            if stop.is_raised() {
                break;
            }
            let answer = rank(gannet, mode, question).await?;
            if let Some(file) = &mut run_file {
                file.write(&question.id, &answer, mode)?;
            }
            asked.push((
                measure(&answer.ranking, &set.grades[&question.id]),
                answer.took_ms,
            ));
            progress(EvalStep::Ask {
                mode: mode.clone(),
                done: index + 1,
                total: set.questions.len(),
            });
        }
        let index_s = index_time.of_mode(gannet, mode);
        reports.push(sum_up(mode, &asked, index_s));
    }
    if let Some(file) = run_file {
        file.finish()?;
    }
    Ok(reports)
}

/// One question's ranking.
pub(crate) struct Ranked {
    pub ranking: Vec<String>,
    took_ms: f64,
}

/// Asks a question in a mode.
pub(crate) async fn rank(
    gannet: &Gannet,
    mode: &str,
    question: &Question,
) -> Result<Ranked, EvalError> {
    let mut input = SearchInput::new(question.text.as_str());
    input.mode = Some(mode.to_owned());
    input.max_results = Some(DEPTH + question.exclude.len());
    // Rankings are measured: no model is asked to word anything.
    if gannet.mode(mode)?.descriptor.parameter("answer").is_some() {
        input.params.insert("answer".to_owned(), "entries".into());
    }
    let result = gannet.search(input).await?;
    let kept = result
        .entries
        .iter()
        .filter(|hit| !question.exclude.contains(&hit.entry.entry_id));
    Ok(Ranked {
        ranking: kept.map(|hit| hit.entry.entry_id.clone()).collect(),
        took_ms: result.took_ms,
    })
}

fn sum_up(mode: &str, asked: &[(Metrics, f64)], index_s: f64) -> ModeReport {
    let metrics: Vec<Metrics> = asked.iter().map(|(metrics, _)| *metrics).collect();
    let mut times: Vec<f64> = asked.iter().map(|(_, took_ms)| *took_ms).collect();
    times.sort_by(f64::total_cmp);
    let mean = Metrics::mean(&metrics);
    ModeReport {
        mode: mode.to_owned(),
        queries: asked.len(),
        ndcg_at_10: mean.ndcg_at_10,
        recall_at_10: mean.recall_at_10,
        recall_at_100: mean.recall_at_100,
        mrr_at_10: mean.mrr_at_10,
        p_at_10: mean.p_at_10,
        p50_ms: percentile(&times, 0.5),
        p95_ms: percentile(&times, 0.95),
        index_s,
    }
}

/// The value that this part of the sorted values does not exceed.
pub(super) fn percentile(sorted: &[f64], part: f64) -> f64 {
    let rank = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
}

/// A file in TREC's run format: question, `Q0`, document, rank, score, tag.
struct RunFile {
    path: PathBuf,
    writer: BufWriter<File>,
}

impl RunFile {
    fn create(path: &Path) -> Result<Self, EvalError> {
        match File::create(path) {
            Ok(file) => Ok(Self {
                path: path.to_owned(),
                writer: BufWriter::new(file),
            }),
            Err(source) => Err(EvalError::File {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// TREC tools sort by score; the rank's own score keeps our order where
    /// scores are equal or parts of the list are on different scales.
    fn write(&mut self, question: &str, answer: &Ranked, tag: &str) -> Result<(), EvalError> {
        let places = answer.ranking.len();
        for (index, document) in answer.ranking.iter().enumerate() {
            let (rank, score) = (index + 1, places - index);
            let line = writeln!(self.writer, "{question} Q0 {document} {rank} {score} {tag}");
            line.map_err(|source| self.failed(source))?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(), EvalError> {
        let flushed = self.writer.flush();
        flushed.map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> EvalError {
        EvalError::File {
            path: self.path.clone(),
            source,
        }
    }
}
