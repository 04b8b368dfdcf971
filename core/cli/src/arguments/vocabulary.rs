//! The arguments of `vocabulary`.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Subcommand)]
pub enum VocabularyCommand {
    /// Say what is wrong with a vocabulary, and what is odd
    Check {
        /// The file
        path: PathBuf,
    },
}
