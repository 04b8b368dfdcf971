//! The arguments of `eval`.

use std::path::PathBuf;

use clap::Args;
use gannet_core::eval::ABSTAINING;

#[derive(Args)]
pub struct EvalArguments {
    /// Folder with corpus.jsonl, questions and judgements
    #[arg(value_name = "DIR")]
    pub set: PathBuf,
    /// Questions file, in DIR or by path
    #[arg(long, value_name = "FILE", default_value = "queries.jsonl")]
    pub queries: PathBuf,
    /// Judgements file, in DIR or by path
    #[arg(long, value_name = "FILE", default_value = "qrels.tsv")]
    pub qrels: PathBuf,
    /// Measure answers: file of questions with known answers, in DIR or by path
    #[arg(long, value_name = "FILE", group = "known", conflicts_with_all = ["queries", "qrels", "run"])]
    pub qa: Option<PathBuf>,
    /// Measure answers about sets of entries: file of questions with complete
    /// golds, in DIR or by path; asks those whose `collection` is the name of DIR
    #[arg(long, value_name = "FILE", group = "known", conflicts_with_all = ["queries", "qrels", "run"])]
    pub sets: Option<PathBuf>,
    /// Modes to compare; default: keyword,semantic,rag, and with --qa and --sets
    /// the default mode
    #[arg(long = "mode", value_name = "MODES", value_delimiter = ',')]
    pub modes: Vec<String>,
    /// Use this PostgreSQL database instead of a folder; it must be empty
    #[arg(long, value_name = "URI", conflicts_with = "data")]
    pub store: Option<String>,
    /// Write the rankings to this file in TREC run format
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Write the answers of one mode to this file as JSON Lines
    #[arg(long, value_name = "FILE", requires = "known")]
    pub answers: Option<PathBuf>,
    /// Print the questions whose answer is not right on standard error
    #[arg(long, requires = "known")]
    pub show: bool,
    /// Answer statuses that mean that no answer is given
    #[arg(long, value_name = "STATUSES", value_delimiter = ',', default_values = ABSTAINING, hide_default_value = true, requires = "qa")]
    pub abstain: Vec<String>,
}
