//! The arguments of `index`.

use clap::{Subcommand, ValueEnum};

#[derive(Subcommand)]
pub enum IndexCommand {
    /// Compare the indexes with the records, without changing anything
    Verify {
        /// Read every byte of the indexes and of the database
        #[arg(long)]
        deep: bool,
    },
    /// Rebuild indexes from the records
    Rebuild {
        /// Which index
        #[arg(value_enum, default_value_t = IndexPart::All)]
        part: IndexPart,
    },
}

/// An index of the store.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IndexPart {
    /// The index of the texts
    Text,
    /// The indexes of the vectors
    Vectors,
    /// All of them
    All,
}
