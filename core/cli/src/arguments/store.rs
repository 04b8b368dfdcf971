//! The arguments of `store`.

use clap::{Args, Subcommand};

use super::examples;

#[derive(Subcommand)]
pub enum StoreCommand {
    /// Copy everything of one store to another, of any kind
    #[command(after_help = examples::STORE_COPY)]
    Copy(CopyStoreArguments),
}

#[derive(Args)]
pub struct CopyStoreArguments {
    /// The store to read: a folder, a backup, a postgresql:// URL, or a
    /// configuration file that names a store
    #[arg(value_name = "FROM")]
    pub from: String,
    /// The store to fill, named in the same way; empty, or begun by this copy
    #[arg(value_name = "TO")]
    pub to: String,
}
