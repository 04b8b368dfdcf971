//! Errors as a person reads them, and the exit codes.
//!
//! 0 ok (no hits too), 2 usage, 3 configuration or plugin, 4 store or
//! provider, 5 degraded with `--strict`.

use std::process::ExitCode;

use gannet_core::HostError;
use gannet_core::api::Error as PluginError;
use gannet_core::config::{ConfigError, ConfigErrors, Loaded, Origin};
use gannet_core::eval::EvalError;
use gannet_core::store::StoreError;
use miette::{GraphicalReportHandler, LabeledSpan, MietteDiagnostic, NamedSource, Report};

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// As asked.
    Done,
    /// A part failed, and `--strict` was given.
    Degraded,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => Self::SUCCESS,
            Exit::Degraded => Self::from(5),
        }
    }
}

/// What sort of thing failed; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Usage,
    Configuration,
    StoreOrProvider,
}

/// Why a command could not do what it was asked.
pub struct Failure {
    sort: Sort,
    reports: Vec<Report>,
}

impl Failure {
    /// The caller asked for what cannot be done.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::plain(Sort::Usage, message)
    }

    fn plain(sort: Sort, message: impl std::fmt::Display) -> Self {
        Self {
            sort,
            reports: vec![Report::new(MietteDiagnostic::new(message.to_string()))],
        }
    }

    /// Points at the lines of the configuration that the errors name.
    pub fn located(self, loaded: &Loaded) -> Self {
        let locate = |report: Report| {
            let text = report.to_string();
            // The key stands first in backquotes: `search_modules.x.settings`.
            let key = text.split('`').nth(1).unwrap_or_default();
            match loaded.origins.locate(key) {
                Some(origin) => at_origin(&text, None, &origin),
                None => report,
            }
        };
        match self.sort {
            Sort::Configuration => Self {
                reports: self.reports.into_iter().map(locate).collect(),
                ..self
            },
            _ => self,
        }
    }

    /// Prints the failure and gives its exit code.
    pub fn report(self) -> ExitCode {
        let handler = GraphicalReportHandler::new();
        for report in &self.reports {
            let mut text = String::new();
            match handler.render_report(&mut text, report.as_ref()) {
                Ok(()) => anstream::eprint!("{text}"),
                Err(_) => eprintln!("error: {report}"),
            }
        }
        ExitCode::from(match self.sort {
            Sort::Usage => 2,
            Sort::Configuration => 3,
            Sort::StoreOrProvider => 4,
        })
    }
}

/// A report that shows the line that is meant, or names where it comes from.
fn at_origin(message: &str, help: Option<&str>, origin: &Origin) -> Report {
    let mut diagnostic = MietteDiagnostic::new(message);
    if let Some(help) = help {
        diagnostic = diagnostic.with_help(help);
    }
    match &origin.place {
        Some(place) => {
            let label = LabeledSpan::underline(place.span.clone());
            Report::new(diagnostic.with_label(label)).with_source_code(NamedSource::new(
                origin.source.to_string(),
                place.text.to_string(),
            ))
        }
        None => {
            let message = format!("{message} ({})", origin.source);
            Report::new(MietteDiagnostic {
                message,
                ..diagnostic
            })
        }
    }
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Self {
        let report =
            |error: ConfigError| at_origin(&error.message, error.help.as_deref(), &error.origin);
        Self {
            sort: Sort::Configuration,
            reports: errors.0.into_iter().map(report).collect(),
        }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        let sort = match error {
            HostError::Configuration(errors) => return errors.into(),
            HostError::Catalog(errors) => {
                let report = |error| Report::new(MietteDiagnostic::new(format!("{error}")));
                return Self {
                    sort: Sort::Configuration,
                    reports: errors.into_iter().map(report).collect(),
                };
            }
            HostError::Plugin(error) => return error.into(),
            HostError::UnknownMode { .. } => Sort::Usage,
            _ => Sort::StoreOrProvider,
        };
        Self::plain(sort, error)
    }
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        let sort = match error {
            PluginError::InvalidInput { .. } => Sort::Usage,
            PluginError::NotFound { .. }
            | PluginError::Configuration { .. }
            | PluginError::Panicked { .. } => Sort::Configuration,
            _ => Sort::StoreOrProvider,
        };
        Self::plain(sort, error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::plain(Sort::StoreOrProvider, error)
    }
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        match error {
            EvalError::Host(error) => error.into(),
            other => Self::plain(Sort::Usage, other),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::plain(Sort::StoreOrProvider, error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::plain(Sort::StoreOrProvider, error)
    }
}
