//! Error output and exit codes.
//!
//! 0 success (also without hits), 1 a check of `doctor` or `index verify`
//! failed, 2 usage, 3 configuration or plugin, 4 store, provider or output,
//! 5 degraded with `--strict`, 6 the database is unreachable, 130 and 143
//! interrupted by Ctrl-C or SIGTERM.

use std::path::Path;
use std::process::ExitCode;

use crate::render::safe;
use crate::report::Report;
use crate::signals;
use gannet_core::api::Error as PluginError;
use gannet_core::config::{ConfigError, ConfigErrors, Loaded};
use gannet_core::eval::EvalError;
use gannet_core::registry::CatalogError;
use gannet_core::store::StoreError;
use gannet_core::{HostError, PublishError, Stop};
use gannet_server::ServerError;
use gannet_server::auth::KeyFileError;
use gannet_server::mcp::StdioError;

/// The outcome of a command without an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Done,
    /// The result is partial, and `--strict` was given.
    Degraded,
    /// Interrupted.
    Stopped,
    /// Something does not work, and it was asked to say so.
    Unwell,
}

impl Exit {
    /// `Stopped` if the work was interrupted, otherwise `Done`.
    pub fn unless(stop: &Stop) -> Self {
        match stop.is_raised() {
            true => Self::Stopped,
            false => Self::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Degraded => Self::from(5),
            Exit::Stopped => Self::from(signals::exit_code()),
            Exit::Unwell => Self::from(1),
        }
    }
}

/// The kind of a failure; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ErrorKind {
    Usage,
    Configuration,
    StoreOrProvider,
    Unreachable,
}

const TRY_AGAIN: &str = "this may be temporary: try again in a moment";

/// The errors of a command.
pub struct Failure {
    kind: ErrorKind,
    reports: Vec<KeyedReport>,
}

/// An error, with the configuration key that it is about.
struct KeyedReport {
    key: Option<String>,
    report: Report,
}

impl KeyedReport {
    fn new(report: Report) -> Self {
        Self { key: None, report }
    }
}

impl Failure {
    /// A usage error.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::plain(ErrorKind::Usage, message)
    }

    /// A plugin file cannot be used.
    pub fn plugin(message: impl std::fmt::Display) -> Self {
        Self::plain(ErrorKind::Configuration, message)
    }

    /// The store is missing.
    pub fn store(message: impl std::fmt::Display) -> Self {
        Self::plain(ErrorKind::StoreOrProvider, message)
    }

    /// Standard output cannot be written.
    pub fn output(error: &std::io::Error) -> Self {
        let message = format!("the standard output cannot be written: {error}");
        Self::plain(ErrorKind::StoreOrProvider, message)
    }

    /// A file cannot be written.
    pub fn file(path: &Path, error: &std::io::Error) -> Self {
        let message = format!("{} cannot be written: {error}", path.display());
        Self::plain(ErrorKind::StoreOrProvider, message)
    }

    fn plain(kind: ErrorKind, message: impl std::fmt::Display) -> Self {
        Self::with_help(kind, message, None)
    }

    fn with_help(kind: ErrorKind, message: impl std::fmt::Display, help: Option<&str>) -> Self {
        Self {
            kind,
            reports: vec![KeyedReport::new(report_of(message).with_help(help))],
        }
    }

    /// Adds a help to each error.
    pub fn with_note(self, help: &str) -> Self {
        let with_help = |keyed: KeyedReport| KeyedReport {
            report: keyed.report.with_help(Some(help)),
            ..keyed
        };
        Self {
            reports: self.reports.into_iter().map(with_help).collect(),
            ..self
        }
    }

    /// Adds the configuration lines of the keys that the errors name.
    pub fn located(self, loaded: &Loaded) -> Self {
        let locate = |keyed: KeyedReport| {
            let origin = keyed
                .key
                .as_deref()
                .and_then(|key| loaded.origins.locate(key));
            match origin {
                Some(origin) => KeyedReport::new(keyed.report.at(&origin)),
                None => keyed,
            }
        };
        Self {
            reports: self.reports.into_iter().map(locate).collect(),
            ..self
        }
    }

    /// Prints the errors and returns the exit code.
    pub fn report(self) -> ExitCode {
        for KeyedReport { report, .. } in &self.reports {
            errln!("{}", report.rendered());
        }
        ExitCode::from(match self.kind {
            ErrorKind::Usage => 2,
            ErrorKind::Configuration => 3,
            ErrorKind::StoreOrProvider => 4,
            ErrorKind::Unreachable => 6,
        })
    }
}

/// A report of a message, which may have come from a plugin.
fn report_of(message: impl std::fmt::Display) -> Report {
    Report::new(safe(&message.to_string()))
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Self {
        let report = |error: ConfigError| {
            let report = Report::new(error.message).with_help(error.help.as_deref());
            KeyedReport::new(report.at(&error.origin))
        };
        Self {
            kind: ErrorKind::Configuration,
            reports: errors.0.into_iter().map(report).collect(),
        }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let kind = match error {
            HostError::Configuration(errors) => return errors.into(),
            HostError::Catalog(errors) => {
                let report = |error: CatalogError| KeyedReport {
                    key: error.key().map(str::to_owned),
                    report: report_of(&error),
                };
                return Self {
                    kind: ErrorKind::Configuration,
                    reports: errors.into_iter().map(report).collect(),
                };
            }
            HostError::Plugin(error) => return error.into(),
            HostError::Store(error) => return error.into(),
            HostError::UnknownMode { .. }
            | HostError::Publish(
                PublishError::UnknownEntry(_) | PublishError::NotWrittenHere { .. },
            ) => ErrorKind::Usage,
            HostError::Publish(PublishError::NotConfigured) => ErrorKind::Configuration,
            _ => ErrorKind::StoreOrProvider,
        };
        Self::plain(kind, error)
    }
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        if let PluginError::Configuration { key, .. } = &error {
            return Self {
                kind: ErrorKind::Configuration,
                reports: vec![KeyedReport {
                    key: Some(key.clone()),
                    report: report_of(&error),
                }],
            };
        }
        let (kind, help) = match &error {
            PluginError::InvalidInput { .. } => (ErrorKind::Usage, None),
            PluginError::NotFound { .. } | PluginError::Panicked { .. } => {
                (ErrorKind::Configuration, None)
            }
            PluginError::Store {
                retryable: true, ..
            } => (ErrorKind::StoreOrProvider, Some(TRY_AGAIN)),
            _ => (ErrorKind::StoreOrProvider, None),
        };
        Self::with_help(kind, error, help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let help = match (error.is_unreachable(), error.is_retryable()) {
            (_, true) => Some(TRY_AGAIN),
            (true, false) => Some("run `gannet doctor` to check the database step by step"),
            (false, false) => None,
        };
        let kind = match error.is_unreachable() {
            true => ErrorKind::Unreachable,
            false => ErrorKind::StoreOrProvider,
        };
        Self::with_help(kind, error, help)
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        let kind = match error {
            ServerError::Exposed { .. } | ServerError::Log { .. } => ErrorKind::Configuration,
            _ => ErrorKind::StoreOrProvider,
        };
        Self::plain(kind, error)
    }
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Host(error) => error.into(),
            other => Self::plain(ErrorKind::Usage, other),
        }
    }
}

impl From<KeyFileError> for Failure {
    fn from(error: KeyFileError) -> Self {
        let kind = match error {
            KeyFileError::UnknownId { .. } => ErrorKind::Usage,
            _ => ErrorKind::StoreOrProvider,
        };
        Self::plain(kind, error)
    }
}

impl From<StdioError> for Failure {
    fn from(error: StdioError) -> Self {
        Self::plain(ErrorKind::StoreOrProvider, error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::plain(ErrorKind::StoreOrProvider, error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::plain(ErrorKind::StoreOrProvider, error)
    }
}
