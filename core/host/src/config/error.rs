//! What is wrong with a configuration, and where.

use super::origin::Origin;

/// Everything that is wrong with a configuration: all of it, not the first.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// One thing that is wrong with a configuration.
///
/// Shown as `FILE:LINE:COLUMN: MESSAGE; HELP`. [`Origin::place`] has the text
/// and the span for a richer picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{origin}: {message}{}", with_separator(.help))]
pub struct ConfigError {
    /// What sort of mistake it is.
    pub kind: ConfigErrorKind,
    /// The key, dotted, as it stands in its source. Empty when the source as
    /// a whole is meant.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it was set.
    pub origin: Origin,
}

/// The sorts of mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// A file cannot be read.
    Unreadable,
    /// A file is no YAML, or YAML that a configuration has no use for.
    Syntax,
    /// A file is larger, deeper or grows larger than any configuration.
    TooLarge,
    /// There is no such key.
    UnknownKey,
    /// The value is of another type.
    WrongType,
    /// The value is of the right type, but not one of those allowed.
    InvalidValue,
    /// The value names something that does not exist or is off.
    UnknownName,
}

impl ConfigErrors {
    /// The errors in the order of the layers that they stand in.
    pub fn iter(&self) -> impl Iterator<Item = &ConfigError> {
        self.0.iter()
    }
}

/// `did you mean` and the nearest name, otherwise the names that there are.
pub(crate) fn suggestion(nearest: Option<&str>, known: &[&str]) -> Option<String> {
    match nearest {
        Some(name) => Some(format!("did you mean `{name}`?")),
        None if known.is_empty() => None,
        None => Some(format!("there is {}", quoted_list(known))),
    }
}

/// Names in backquotes, with commas between.
pub(crate) fn quoted_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn lines(errors: &[ConfigError]) -> String {
    let lines: Vec<String> = errors.iter().map(ConfigError::to_string).collect();
    lines.join("\n")
}

fn with_separator(help: &Option<String>) -> String {
    help.as_ref()
        .map(|help| format!("; {help}"))
        .unwrap_or_default()
}
