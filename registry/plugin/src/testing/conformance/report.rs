//! What came of an examination.

use std::fmt;

use serde::Serialize;

use gannet_api::{Descriptor, PluginKind};

/// How much of a reason is kept: plugins may quote a long question in it.
const REASON_CHARS: usize = 600;

/// What the examination of one plugin came to. Its `Display` has a line for
/// the plugin and one for each check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The plugin's name.
    pub plugin: String,
    /// What sort of plugin it is.
    pub kind: PluginKind,
    /// The checks, in the order in which they ran.
    pub checks: Vec<Check>,
}

/// One check of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Which check; the page of [`conformance`](super::conformance) has all.
    pub name: &'static str,
    /// What it came to.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", content = "reason", rename_all = "snake_case")]
pub enum Outcome {
    /// The plugin does what it should.
    Passed,
    /// It does not: what was done, and what came of it.
    Failed(String),
    /// The check has no meaning for this plugin: why.
    Skipped(String),
}

/// Why a check is not passed.
#[derive(Debug, PartialEq)]
pub(super) enum Objection {
    Fails(String),
    DoesNotApply(String),
}

/// What a check comes to while it runs, so that `?` ends it.
pub(super) type Verdict = Result<(), Objection>;

impl From<String> for Objection {
    fn from(reason: String) -> Self {
        Self::Fails(reason)
    }
}

/// The check has no meaning for the plugin.
pub(super) fn does_not_apply(reason: &str) -> Verdict {
    Err(Objection::DoesNotApply(reason.to_owned()))
}

impl Report {
    pub(super) fn of(descriptor: &Descriptor) -> Self {
        Self {
            plugin: descriptor.name.clone(),
            kind: descriptor.kind,
            checks: Vec::new(),
        }
    }

    /// Whether no check failed.
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        let failed = |check: &&Check| matches!(check.outcome, Outcome::Failed(_));
        self.checks.iter().filter(failed)
    }

    pub(super) fn add(&mut self, name: &'static str, verdict: Verdict) {
        let outcome = match verdict {
            Ok(()) => Outcome::Passed,
            Err(Objection::Fails(reason)) => Outcome::Failed(one_line(&reason)),
            Err(Objection::DoesNotApply(reason)) => Outcome::Skipped(reason),
        };
        self.checks.push(Check { name, outcome });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() {
            "conforms"
        } else {
            "does not conform"
        };
        let plugin = one_line(&self.plugin);
        writeln!(f, "{} `{plugin}` {verdict}", self.kind.label())?;
        for check in &self.checks {
            writeln!(f, "  {check}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Passed => write!(f, "passed   {}", self.name),
            Outcome::Failed(reason) => write!(f, "FAILED   {}: {reason}", self.name),
            Outcome::Skipped(reason) => write!(f, "skipped  {}: {reason}", self.name),
        }
    }
}

/// A text of any origin as it can be shown in one line of a terminal.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars().take(REASON_CHARS) {
        match c {
            '\n' => line.push(' '),
            c if c.is_control() || is_invisible(c) => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
    }
    if text.chars().nth(REASON_CHARS).is_some() {
        line.push('…');
    }
    line
}

/// Characters that change how the ones around them are shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text in a reason: quoted, escaped and not too long.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}… ({} bytes)", &text[..end], text.len()),
    }
}
