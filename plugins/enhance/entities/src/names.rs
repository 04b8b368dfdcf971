//! The names in a text, by their form.

use std::collections::{BTreeSet, HashSet};

use gannet_plugin::prelude::{Error, Result};
use regex::{Regex, RegexBuilder};

use crate::Settings;

/// Names of each kind that are kept of one entry: a longer list is a dump, and
/// no log.
const MOST_NAMES: usize = 200;
/// Bytes of a name at most.
const LONGEST_NAME: usize = 200;
/// Bytes of a text in which people are looked for.
const LONGEST_TEXT: usize = 256 << 10;
/// Bytes that the compiled patterns of a kind may take; this bounds the time
/// too.
const COMPILED_SIZE: usize = 4 << 20;

/// The names of one text, each once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) pvs: BTreeSet<String>,
    pub(crate) devices: BTreeSet<String>,
    pub(crate) people: BTreeSet<String>,
}

/// What tells names from words. `None` where there is no pattern of a kind.
#[derive(Debug)]
pub(crate) struct Patterns {
    pvs: Option<Regex>,
    devices: Option<Regex>,
    people: Option<Regex>,
    ignored: HashSet<String>,
}

impl Patterns {
    /// # Errors
    /// [`Error::Setting`] for a pattern that is not valid.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let whole = |key, patterns: &[String]| any_of(key, patterns, ("^(?:", ")$"));
        Ok(Self {
            pvs: whole("pv_patterns", &settings.pv_patterns)?,
            devices: whole("device_patterns", &settings.device_patterns)?,
            people: any_of("person_patterns", &settings.person_patterns, ("(?:", ")"))?,
            ignored: settings.ignore.iter().cloned().collect(),
        })
    }

    /// The names of a text. A part of a PV that is the name of a device is
    /// that device: `SR03C:RF:CAV1:FWD_PWR` is about `CAV1`.
    pub(crate) fn names_in(&self, text: &str) -> Names {
        let mut names = Names::default();
        for name in runs(text) {
            if self.is(&self.pvs, name) {
                add(&mut names.pvs, name);
                let parts = name.split(':').filter(|part| self.is(&self.devices, part));
                parts.for_each(|part| add(&mut names.devices, part));
            } else if self.is(&self.devices, name) {
                add(&mut names.devices, name);
            }
        }
        self.add_people(text, &mut names.people);
        names
    }

    fn add_people(&self, text: &str, people: &mut BTreeSet<String>) {
        let Some(pattern) = &self.people else {
            return;
        };
        let end = text.floor_char_boundary(LONGEST_TEXT);
        let found = pattern.find_iter(&text[..end]).map(|name| name.as_str());
        let is_name = |name: &&str| name.len() <= LONGEST_NAME && !self.ignored.contains(*name);
        found.filter(is_name).for_each(|name| add(people, name));
    }

    fn is(&self, pattern: &Option<Regex>, name: &str) -> bool {
        let pattern = pattern.as_ref();
        pattern.is_some_and(|pattern| pattern.is_match(name)) && !self.ignored.contains(name)
    }
}

fn add(names: &mut BTreeSet<String>, name: &str) {
    if names.len() < MOST_NAMES {
        names.insert(name.to_owned());
    }
}

/// Runs of letters, digits and `_ : - .`, without the punctuation of the
/// sentence at their ends.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '-' | '.'))
        .map(|run| run.trim_matches(['.', ':', '-']))
        .filter(|run| (1..=LONGEST_NAME).contains(&run.len()))
}

/// One expression for all patterns, each between two parts of an expression.
fn any_of(key: &str, patterns: &[String], (before, after): (&str, &str)) -> Result<Option<Regex>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |error: regex::Error| Error::setting(key, error.to_string());
    // Each by itself, so that an error shows the pattern as it was written.
    for pattern in patterns {
        Regex::new(pattern).map_err(wrong)?;
    }
    let all: Vec<String> = patterns.iter().map(|one| format!("(?:{one})")).collect();
    let all = format!("{before}{}{after}", all.join("|"));
    let mut builder = RegexBuilder::new(&all);
    let pattern = builder.size_limit(COMPILED_SIZE).build().map_err(wrong)?;
    Ok(Some(pattern))
}
