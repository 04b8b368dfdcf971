//! Errors as a person reads them, and the exit codes.
//!
//! 0 ok (no hits too), 1 `doctor` found something that does not work, 2 usage,
//! 3 configuration or plugin, 4 store, provider or output, 5 degraded with
//! `--strict`, 6 the store's database cannot be reached, 130 and 143 stopped by
//! Ctrl-C or SIGTERM.

use std::process::ExitCode;

use crate::render::safe;
use crate::signals;
use gannet_core::api::Error as PluginError;
use gannet_core::config::{ConfigError, ConfigErrors, Loaded, Origin, without_passwords};
use gannet_core::eval::EvalError;
use gannet_core::registry::CatalogError;
use gannet_core::store::StoreError;
use gannet_core::{HostError, Stop};
use miette::{GraphicalReportHandler, LabeledSpan, MietteDiagnostic, NamedSource, Report};

/// How a command ended that did what it was asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// As asked.
    Done,
    /// A part failed, and `--strict` was given.
    Degraded,
    /// It was asked to stop before the end.
    Stopped,
    /// Something does not work, and it was asked to say so.
    Unwell,
}

impl Exit {
    /// `Done`, unless the work was asked to stop.
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

/// What sort of thing failed; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Usage,
    Configuration,
    StoreOrProvider,
    Unreachable,
}

const TRY_AGAIN: &str = "this may pass: try again in a moment";

/// Why a command could not do what it was asked.
pub struct Failure {
    sort: Sort,
    reports: Vec<Told>,
}

/// One thing that failed, and the key of the configuration that it is about.
struct Told {
    key: Option<String>,
    report: Report,
}

impl Told {
    fn new(report: Report) -> Self {
        Self { key: None, report }
    }
}

impl Failure {
    /// The caller asked for what cannot be done.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::plain(Sort::Usage, message)
    }

    /// A plugin's dylib cannot be used.
    pub fn plugin(message: impl std::fmt::Display) -> Self {
        Self::plain(Sort::Configuration, message)
    }

    /// The store is not there.
    pub fn store(message: impl std::fmt::Display) -> Self {
        Self::plain(Sort::StoreOrProvider, message)
    }

    /// What was printed did not reach its reader.
    pub fn output(error: &std::io::Error) -> Self {
        let message = format!("the standard output cannot be written: {error}");
        Self::plain(Sort::StoreOrProvider, message)
    }

    fn plain(sort: Sort, message: impl std::fmt::Display) -> Self {
        Self::with_help(sort, message, None)
    }

    fn with_help(sort: Sort, message: impl std::fmt::Display, help: Option<&str>) -> Self {
        let message = safe(&message.to_string()).into_owned();
        let diagnostic = MietteDiagnostic {
            help: help.map(str::to_owned),
            ..MietteDiagnostic::new(message)
        };
        Self {
            sort,
            reports: vec![Told::new(Report::new(diagnostic))],
        }
    }

    /// Points at the lines of the configuration that the errors name.
    pub fn located(self, loaded: &Loaded) -> Self {
        let locate = |told: Told| {
            let origin = told
                .key
                .as_deref()
                .and_then(|key| loaded.origins.locate(key));
            match origin {
                Some(origin) => Told::new(at_origin(&told.report.to_string(), None, &origin)),
                None => told,
            }
        };
        Self {
            reports: self.reports.into_iter().map(locate).collect(),
            ..self
        }
    }

    /// Prints the failure and gives its exit code.
    pub fn report(self) -> ExitCode {
        let handler = GraphicalReportHandler::new();
        for Told { report, .. } in &self.reports {
            let mut text = String::new();
            match handler.render_report(&mut text, report.as_ref()) {
                Ok(()) => errln!("{}", text.trim_end_matches('\n')),
                Err(_) => errln!("error: {report}"),
            }
        }
        ExitCode::from(match self.sort {
            Sort::Usage => 2,
            Sort::Configuration => 3,
            Sort::StoreOrProvider => 4,
            Sort::Unreachable => 6,
        })
    }
}

/// A report of a message, which may have come from a plugin.
fn report_of(message: impl std::fmt::Display) -> Report {
    Report::new(MietteDiagnostic::new(
        safe(&message.to_string()).into_owned(),
    ))
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
                without_passwords(&place.text),
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
        let report = |error: ConfigError| {
            Told::new(at_origin(
                &error.message,
                error.help.as_deref(),
                &error.origin,
            ))
        };
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
                let report = |error: CatalogError| Told {
                    key: error.key().map(str::to_owned),
                    report: report_of(&error),
                };
                return Self {
                    sort: Sort::Configuration,
                    reports: errors.into_iter().map(report).collect(),
                };
            }
            HostError::Plugin(error) => return error.into(),
            HostError::Store(error) => return error.into(),
            HostError::UnknownMode { .. } => Sort::Usage,
            _ => Sort::StoreOrProvider,
        };
        Self::plain(sort, error)
    }
}

impl From<PluginError> for Failure {
    fn from(error: PluginError) -> Self {
        if let PluginError::Configuration { key, .. } = &error {
            return Self {
                sort: Sort::Configuration,
                reports: vec![Told {
                    key: Some(key.clone()),
                    report: report_of(&error),
                }],
            };
        }
        let (sort, help) = match &error {
            PluginError::InvalidInput { .. } => (Sort::Usage, None),
            PluginError::NotFound { .. } | PluginError::Panicked { .. } => {
                (Sort::Configuration, None)
            }
            PluginError::Store {
                retryable: true, ..
            } => (Sort::StoreOrProvider, Some(TRY_AGAIN)),
            _ => (Sort::StoreOrProvider, None),
        };
        Self::with_help(sort, error, help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let help = match (error.is_unreachable(), error.is_retryable()) {
            (_, true) => Some(TRY_AGAIN),
            (true, false) => Some("`gannet doctor` looks at the database step by step"),
            (false, false) => None,
        };
        let sort = match error.is_unreachable() {
            true => Sort::Unreachable,
            false => Sort::StoreOrProvider,
        };
        Self::with_help(sort, error, help)
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
