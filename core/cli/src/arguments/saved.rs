//! Arguments of `gannet saved`.

use clap::{Args, Subcommand};

use super::filter::key_value;

#[derive(Subcommand)]
pub enum SavedCommand {
    /// List saved searches: those of the configuration and of every user
    List,
    /// Save a search; entries that come from now on are matched against it
    Add(AddSearchArguments),
    /// Delete a saved search
    Remove {
        /// Id of the search, as `gannet saved list` shows it
        id: String,
    },
    /// Say whether an entry matches a saved search
    Test {
        /// Id of the search, or its name where only one has it
        id: String,
        /// Id of an entry in the store
        entry: String,
    },
    /// List the entries that saved searches found
    Matches {
        /// Only entries that came after the one with this number
        #[arg(long, value_name = "NUMBER", default_value_t = 0)]
        after: i64,
    },
}

#[derive(Args)]
pub struct AddSearchArguments {
    /// Query, in the query language
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    /// Name of the search; default: the query
    #[arg(long)]
    pub name: Option<String>,
    /// Only entries with this value; KEY is author, source, logbook, tag, shift or a metadata key
    #[arg(long = "filter", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
    /// What an entry has in common with the query: keyword, meaning or either
    #[arg(long, default_value = "keyword", value_parser = ["keyword", "meaning", "either"])]
    pub by: String,
    /// Least cosine similarity of a match by meaning, 0 to 1; default: 0.5
    #[arg(long, value_name = "NUMBER")]
    pub min_similarity: Option<f32>,
    /// Deliver matches to this delivery; may be repeated
    #[arg(long = "deliver-to", value_name = "NAME")]
    pub deliver_to: Vec<String>,
}
