//! Where values come from.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a value comes from.
///
/// Shown as `FILE:LINE:COLUMN` for files, otherwise by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Which source.
    pub source: Source,
    /// The place in its text, where it has one.
    pub place: Option<Place>,
}

/// A source of values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// The `config.yml` that is compiled in.
    BuiltIn,
    /// A configuration file.
    File(PathBuf),
    /// A variable in a `.env` file.
    EnvFile {
        /// The file.
        path: PathBuf,
        /// The variable's name.
        variable: String,
    },
    /// An environment variable, by name.
    Variable(String),
    /// The command line, by the key that it sets.
    CommandLine(String),
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The place in bytes of `text`.
    pub span: Range<usize>,
    /// The whole text of the source.
    pub text: Arc<str>,
}

impl Origin {
    /// For sorting by place.
    pub(crate) fn start(&self) -> usize {
        self.place.as_ref().map_or(0, |place| place.span.start)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str("built-in config.yml"),
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::EnvFile { path, .. } => write!(formatter, "{}", path.display()),
            Self::Variable(name) => write!(formatter, "environment variable {name}"),
            Self::CommandLine(key) => write!(formatter, "command line, `{key}`"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.source)?;
        if let Some(place) = &self.place {
            write!(formatter, ":{}:{}", place.line, place.column)?;
        }
        if let Source::EnvFile { variable, .. } = &self.source {
            write!(formatter, " ({variable})")?;
        }
        Ok(())
    }
}
