//! The arguments of `entry`.

use clap::{Args, Subcommand};

use super::filter::FilterArguments;

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
    #[command(flatten)]
    pub filter: FilterArguments,
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
