//! The arguments of `purge`.

use clap::Args;

use super::filter::key_value;

/// Which entries are deleted: those that match every one of these.
#[derive(Args)]
pub struct PurgeArguments {
    /// Entries before this day, month or year
    #[arg(long, value_name = "DATE")]
    pub before: Option<String>,
    /// Entries of this source system
    #[arg(long, value_name = "NAME")]
    pub source: Option<String>,
    /// Entries with this value; KEY is author, logbook, tag, shift or a metadata key
    #[arg(long = "filter", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
    /// Delete what is older than `retention` in the configuration allows, also lines of logs
    #[arg(long, conflicts_with_all = ["before", "source", "filters"])]
    pub retention: bool,
    /// Show what would be deleted without deleting it
    #[arg(long)]
    pub dry_run: bool,
    /// Delete without asking
    #[arg(long)]
    pub yes: bool,
}
