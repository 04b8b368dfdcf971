//! `gannet`: search for the logbooks and documents of a facility.
//!
//! The binary parses arguments and renders results; everything else is
//! `gannet-core`. The plugins that are built in are linked by [`builtin`].

mod arguments;
mod builtin;
mod commands;
mod failure;
mod logging;
mod progress;
mod render;
mod scaffold;
mod session;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::failure::Failure;

fn main() -> ExitCode {
    human_panic::setup_panic!();
    let arguments = Arguments::parse();
    logging::start(arguments.common.verbose);
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::from)
        .and_then(|runtime| runtime.block_on(commands::run(arguments)));
    match outcome {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}
