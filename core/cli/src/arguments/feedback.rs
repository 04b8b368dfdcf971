//! Arguments of `gannet feedback` and `gannet tune`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub enum FeedbackCommand {
    /// List what users said of answers and entries
    List,
    /// Say of an entry whether it answers a question
    Add(AddFeedbackArguments),
    /// Write the judged questions as an evaluation set for `gannet eval`
    Export {
        /// Folder, made when missing: corpus.jsonl, queries.jsonl and qrels.tsv
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Delete all that users said
    Delete {
        /// Delete without asking
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub struct AddFeedbackArguments {
    /// The question
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// Id of the entry
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// The entry does not answer the question
    #[arg(long)]
    pub not_helpful: bool,
}

#[derive(Args)]
pub struct TuneArguments {
    /// Questions file to tune on, instead of feedback
    #[arg(long, value_name = "FILE", requires = "qrels")]
    pub queries: Option<PathBuf>,
    /// Judgements file of these questions
    #[arg(long, value_name = "FILE", requires = "queries")]
    pub qrels: Option<PathBuf>,
    /// Pipeline to tune; default: the default mode
    #[arg(long, value_name = "MODE")]
    pub mode: Option<String>,
    /// Write the settings that gain into the configuration file
    #[arg(long)]
    pub apply: bool,
}
