//! The commands, one module each.

mod again;
mod audit;
mod backup;
mod chat;
mod completions;
mod config;
mod config_file;
mod confirm;
mod digest;
mod doctor;
mod enhance;
mod entry;
mod eval;
mod export;
mod feedback;
mod index;
mod ingest;
mod keys;
mod man;
mod mcp;
mod migrate;
mod models;
mod plugins;
mod purge;
mod quickstart;
#[cfg(unix)]
mod reload;
mod saved;
mod search;
mod serve;
mod status;
mod store;
mod thread;
mod trend;
mod tune;
mod vocabulary;
mod watch;

use crate::arguments::{Arguments, Command, Format};
use crate::failure::{Exit, Failure};

/// Runs the command.
pub async fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let counts = matches!(
        arguments.command,
        Command::Search(_) | Command::Ask(_) | Command::Trend(_)
    );
    if common.format == Format::Csv && !counts {
        return Err(Failure::usage(
            "`--format csv` applies to `gannet ask`, `gannet search` and `gannet trend`; use `--format jsonl`",
        ));
    }
    match arguments.command {
        Command::Quickstart(wanted) => quickstart::run(common, wanted).await,
        Command::Search(arguments) => search::search(common, arguments).await,
        Command::Ask(arguments) => search::ask(common, arguments).await,
        Command::Again(wanted) => again::run(common, wanted).await,
        Command::Digest(wanted) => digest::run(common, wanted).await,
        Command::Thread(wanted) => thread::run(common, wanted).await,
        Command::Trend(wanted) => trend::run(common, wanted).await,
        Command::Saved(command) => saved::run(common, command).await,
        Command::Chat(wanted) => chat::run(common, wanted).await,
        Command::Ingest(wanted) => ingest::run(common, wanted).await,
        Command::Watch(wanted) => watch::run(common, wanted).await,
        Command::Enhance(wanted) => enhance::run(common, wanted).await,
        Command::Entry(command) => entry::run(common, command).await,
        Command::Export(wanted) => export::run(common, wanted).await,
        Command::Vocabulary(command) => vocabulary::run(common, command),
        Command::Serve(wanted) => serve::run(common, &wanted).await,
        #[cfg(unix)]
        Command::Reload => reload::run(common).await,
        Command::Index(command) => index::run(common, command).await,
        Command::Backup(wanted) => backup::create(common, &wanted).await,
        Command::Restore(wanted) => backup::restore(common, &wanted).await,
        Command::Store(command) => store::run(common, command).await,
        Command::Purge(wanted) => purge::run(common, &wanted).await,
        Command::Status => status::run(common).await,
        Command::Doctor(wanted) => doctor::run(common, &wanted).await,
        Command::Keys(command) => keys::run(common, command),
        Command::Mcp => mcp::run(common).await,
        Command::Migrate(wanted) => migrate::run(common, &wanted).await,
        Command::Plugins(command) => plugins::run(common, command).await,
        Command::Config(command) => config::run(common, command),
        Command::Eval(wanted) => eval::run(common, wanted).await,
        Command::Feedback(command) => feedback::run(common, command).await,
        Command::Tune(wanted) => tune::run(common, wanted).await,
        Command::Models(command) => models::run(common, command.command).await,
        Command::Completions { shell } => Ok(completions::run(shell)),
        Command::Man { folder } => man::run(folder.as_deref()),
    }
}
