//! The arguments of `search`, `ask`, `chat` and other questions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::filter::{FilterArguments, key_value};

#[derive(Args)]
pub struct SearchArguments {
    #[command(flatten)]
    pub query: QueryArguments,
    /// Order of the entries that are found: relevance, or time with the newest
    /// first
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = SortBy::Relevance, hide_possible_values = true)]
    pub sort: SortBy,
    /// Count the values of this field over all matching entries; may be
    /// repeated. FIELD is author, source, kind, tag, shift or a metadata key
    #[arg(long = "facet", value_name = "FIELD")]
    pub facets: Vec<String>,
}

/// The order of entries.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    /// Best first
    Relevance,
    /// Newest first
    Time,
}

/// A question and what entries must be.
#[derive(Args)]
pub struct QueryArguments {
    /// The words to search for or the question; `-` reads it from standard input
    #[arg(value_name = "QUESTION", required = true)]
    pub question: Vec<String>,
    /// Search module or pipeline to use (see `gannet plugins list`)
    #[arg(long)]
    pub mode: Option<String>,
    /// Return at most this many entries
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
    #[command(flatten)]
    pub filter: FilterArguments,
    /// Set a parameter of the mode; may be repeated
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = key_value)]
    pub params: Vec<(String, String)>,
    /// Show first how the question was read: times, entities, intent; and the
    /// score and ranks of each entry
    #[arg(long)]
    pub explain: bool,
    /// Exit with code 5 when the result is partial because a component failed
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args)]
pub struct AskArguments {
    #[command(flatten)]
    pub query: QueryArguments,
    /// Put this entry first in the context of the answer; may be repeated. The
    /// title of the first one is added to the search
    #[arg(long = "pin", value_name = "ID")]
    pub pinned: Vec<String>,
    #[command(flatten)]
    pub model: ModelArguments,
}

#[derive(Args)]
pub struct AgainArguments {
    /// The id of an entry, or what happened in words; `-` reads it from standard
    /// input
    #[arg(value_name = "ENTRY|TEXT", required = true)]
    pub event: Vec<String>,
    /// List at most this many entries
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
    #[command(flatten)]
    pub filter: FilterArguments,
}

#[derive(Args)]
pub struct ThreadArguments {
    /// The id of an entry
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    /// List at most this many entries
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
}

#[derive(Args)]
pub struct DigestArguments {
    /// Only entries since the start of this time: a date, `24h`, `7d`, or words
    /// such as `last shift`; default: 24 hours before its end
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only entries until the end of this time; default: now
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Group by the values of this field; FIELD is author, source, logbook, tag, shift or a metadata key
    #[arg(long, value_name = "FIELD")]
    pub by: Option<String>,
    /// Make the scheduled digest of this name now, from the last one on, and deliver it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["since", "until", "by", "max_chars", "filters"])]
    pub deliver: Option<String>,
    /// Print at most this many characters; default: 3000
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,
    /// Only entries with this value; KEY is author, source, logbook, tag, shift or a metadata key
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
}

#[derive(Args)]
pub struct TrendArguments {
    /// The entries to count: `scrams`, `reports about leaks since 2005`; `-` reads
    /// it from standard input
    #[arg(value_name = "QUESTION", required = true)]
    pub question: Vec<String>,
    /// Count the values of this field too; FIELD is author, source, logbook, tag, shift or a metadata key
    #[arg(long, value_name = "FIELD")]
    pub by: Option<String>,
    /// Count by day, week, month or year; default: the smallest with few periods
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,
    /// Write the chart as an SVG image to this file; `-` prints only the image
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub filter: FilterArguments,
}

#[derive(Args)]
pub struct ChatArguments {
    /// Pipeline to ask; default: rag
    #[arg(long)]
    pub mode: Option<String>,
    /// Use at most this many entries per answer
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
    /// Only entries with this value; KEY is author, source, logbook, tag, shift or a metadata key
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
    #[command(flatten)]
    pub model: ModelArguments,
}

/// Which chat model phrases an answer.
#[derive(Args)]
pub struct ModelArguments {
    /// Answer with quoted sentences, without a chat model
    #[arg(long)]
    pub no_llm: bool,
    /// Use this program as the chat model: it reads the prompt from standard
    /// input and prints the answer; runs without a shell. An empty COMMAND means
    /// --no-llm
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_llm")]
    pub llm_cmd: Option<String>,
}
