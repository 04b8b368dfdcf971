//! The arguments of `entry`.

use clap::{Args, Subcommand};

use super::searching::key_value;

#[derive(Subcommand)]
pub enum EntryCommand {
    /// Show one entry
    Show {
        /// Id of the entry
        id: String,
    },
    /// List entries, latest first
    List(ListArguments),
    /// Delete entries
    Delete(DeleteArguments),
}

#[derive(Args)]
pub struct ListArguments {
    /// At most this many entries
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Only entries on or after this day, month or year
    #[arg(long, value_name = "DATE")]
    pub start_date: Option<String>,
    /// Only entries on or before this day, month or year
    #[arg(long, value_name = "DATE")]
    pub end_date: Option<String>,
    /// Only entries whose author contains this text
    #[arg(long)]
    pub author: Option<String>,
    /// Only entries with this value; KEY is author, source, logbook, tag, shift or a metadata key
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
}

#[derive(Args)]
pub struct DeleteArguments {
    /// Ids of the entries
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Delete without asking
    #[arg(long)]
    pub yes: bool,
}
