//! The arguments of `export`.

use std::path::PathBuf;

use clap::Args;

use super::filter::FilterArguments;

#[derive(Args)]
pub struct ExportArguments {
    /// File to write; default: the standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Export this entry with its files as an RO-Crate archive (.eln); may be
    /// repeated
    #[arg(long = "eln", value_name = "ID", requires = "output", conflicts_with_all = ["start_date", "end_date", "author", "filters"])]
    pub eln: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArguments,
}
