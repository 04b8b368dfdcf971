//! Logs go to standard error, so that standard output holds data only.

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::EnvFilter;

/// Starts the log. `RUST_LOG` takes precedence over `-v`.
pub fn start(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("{level},sqlx=warn,tantivy=warn")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(AutoStream::choice(&std::io::stderr()) != ColorChoice::Never)
        .with_target(false)
        .init();
}
