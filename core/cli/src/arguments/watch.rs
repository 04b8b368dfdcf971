//! The arguments of `watch`.

use clap::Args;

#[derive(Args)]
pub struct WatchArguments {
    /// Sources of the configuration by name, or a file, folder or address;
    /// default: all of the configuration
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Adapter for a SOURCE that is not a name; default: by the file name
    /// extension
    #[arg(long)]
    pub adapter: Option<String>,
    /// Time between two polls, in seconds; default: by the configuration
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub interval: Option<u64>,
    /// Poll each source once
    #[arg(long)]
    pub once: bool,
    /// Poll each source once without storing anything
    #[arg(long)]
    pub dry_run: bool,
    /// Skip enhancement; run `gannet enhance` later
    #[arg(long)]
    pub no_enhance: bool,
}
