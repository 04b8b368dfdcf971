//! `gannet`: search for the logbooks and documents of a facility.
//!
//! The binary parses arguments and renders results; everything else is
//! `gannet-core`. The plugins that are built in are those of
//! `gannet-builtin`.

#[macro_use]
mod output;

mod arguments;
mod chat;
mod commands;
mod crash;
mod failure;
mod hangups;
mod json_log;
mod logging;
mod mode_help;
mod progress;
mod render;
mod report;
#[cfg_attr(not(unix), allow(dead_code))]
mod running_service;
mod scaffold;
mod session;
mod signals;

use std::process::ExitCode;

use clap::Parser;
// Linked so that the registrations of its plugins are there.
use gannet_builtin as _;
use gannet_core::registry::exit_guard;
use tokio::runtime::{Builder, Runtime};

use crate::arguments::Arguments;
use crate::failure::Failure;

/// Threads that plugins can block without holding the rest.
const SPARE_THREADS: usize = 8;

fn main() -> ExitCode {
    crash::report_panics();
    exit_guard::install();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // A closed pipe has nobody who reads the help.
            let _ = error.print();
            mode_help::print(&error);
            std::process::exit(error.exit_code());
        }
    };
    render::choose_color(arguments.common.color);
    logging::start(arguments.common.verbose, arguments.common.log_format);
    signals::watch();
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::from(error).report(),
    };
    let code = match runtime.block_on(commands::run(arguments)) {
        Ok(exit) => output::failure().map_or(exit.into(), Failure::report),
        Err(failure) => failure.report(),
    };
    // Programs that were asked as models do not end by themselves.
    gannet_command::end_all();
    signals::bound_exit();
    exit_guard::expect_exit();
    // A plugin may hold a thread for ever; the program does not wait for it.
    runtime.shutdown_background();
    code
}

/// More threads than processors: while plugins block some of them, deadlines
/// are still kept by the others.
fn runtime() -> std::io::Result<Runtime> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Builder::new_multi_thread()
        .worker_threads(processors + SPARE_THREADS)
        .enable_all()
        .build()
}
