//! Logs go to standard error, so that standard output holds data only.

use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::EnvFilter;

use crate::arguments::LogFormat;
use crate::json_log::{JsonFields, JsonLines};

/// Libraries whose lines are left out below this level: they log each statement
/// and session, outside of the request that it belongs to.
const QUIET: &str = "sqlx=warn,tantivy=warn,rmcp=warn";

/// Whether the log is read by programs.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Tells the person at the terminal something, by a line of the log where
/// programs read that.
pub fn tell(text: &str) {
    match IS_JSON.load(Ordering::Relaxed) {
        true => tracing::warn!("{text}"),
        false => errln!("{text}"),
    }
}

/// Starts the log. `RUST_LOG` takes precedence over `-v`.
pub fn start(verbose: u8, format: LogFormat) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("{level},{QUIET}")));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    IS_JSON.store(format == LogFormat::Json, Ordering::Relaxed);
    match format {
        LogFormat::Text => {
            let is_colored = AutoStream::choice(&std::io::stderr()) != ColorChoice::Never;
            log.with_ansi(is_colored).init();
        }
        LogFormat::Json => log
            .with_ansi(false)
            .fmt_fields(JsonFields)
            .event_format(JsonLines)
            .init(),
    }
}
