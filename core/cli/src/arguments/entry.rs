//! The arguments of `entry`.

use std::path::PathBuf;

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
    /// Write a new entry
    Create(CreateArguments),
    /// Write an entry that was created here into the facility's logbook
    Publish(PublishArguments),
}

#[derive(Args)]
pub struct CreateArguments {
    /// The title
    #[arg(long, value_name = "TEXT")]
    pub subject: String,
    /// The text, or - to read it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub details: String,
    /// Who writes it
    #[arg(long, value_name = "NAME")]
    pub author: Option<String>,
    /// The logbook that it belongs to
    #[arg(long, value_name = "NAME")]
    pub logbook: Option<String>,
    /// The shift
    #[arg(long, value_name = "NAME")]
    pub shift: Option<String>,
    /// A tag; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Also write it into the facility's logbook (`ingestion.publish_to`)
    #[arg(long)]
    pub publish: bool,
    #[command(flatten)]
    pub credentials: CredentialArguments,
}

#[derive(Args)]
pub struct PublishArguments {
    /// Id of the entry
    pub id: String,
    #[command(flatten)]
    pub credentials: CredentialArguments,
}

#[derive(Args)]
pub struct CredentialArguments {
    /// User name for the logbook; default: the configured one
    #[arg(long, value_name = "NAME", requires = "password_file")]
    pub user: Option<String>,
    /// File with the password of that user
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
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
