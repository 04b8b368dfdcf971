//! Which names a text holds, and which of them are PVs and devices.

use std::collections::{BTreeSet, HashSet};

use gannet_plugin::prelude::{Error, Result};
use regex::{Regex, RegexBuilder};

use crate::Settings;

/// Names that are kept of one entry: a longer list is a dump, not a log.
const MOST_NAMES: usize = 500;
/// Bytes of a name at most.
const LONGEST_NAME: usize = 200;
/// Bytes that the compiled patterns may take; this bounds the time too.
const COMPILED_SIZE: usize = 1 << 20;

/// The names of one text, sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) devices: BTreeSet<String>,
    pub(crate) pvs: BTreeSet<String>,
}

/// What tells names from words.
#[derive(Debug)]
pub(crate) struct Patterns {
    devices: Regex,
    pvs: Regex,
    ignored: HashSet<String>,
}

impl Patterns {
    /// # Errors
    /// [`Error::Setting`] for a pattern that does not compile, under the
    /// setting's name.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let read = |key: &str, patterns: &[String]| {
            any_of(patterns).map_err(|message| Error::setting(key, message))
        };
        Ok(Self {
            devices: read("device_patterns", &settings.device_patterns)?,
            pvs: read("pv_patterns", &settings.pv_patterns)?,
            ignored: settings.ignore.iter().cloned().collect(),
        })
    }

    /// The PVs and devices of a text. A part of a PV that is a device's name
    /// is that device: `SR03C:RF:CAV1:FWD_PWR` is about `CAV1`.
    pub(crate) fn names_in(&self, text: &str) -> Names {
        let mut names = Names::default();
        for name in runs(text).filter(|name| !self.ignored.contains(*name)) {
            if names.pvs.len() + names.devices.len() >= MOST_NAMES {
                break;
            }
            if self.is_device(name) {
                names.devices.insert(name.to_owned());
            } else if self.pvs.is_match(name) {
                names.pvs.insert(name.to_owned());
                let parts = name.split(':').filter(|part| self.is_device(part));
                names.devices.extend(parts.map(str::to_owned));
            }
        }
        names
    }

    fn is_device(&self, name: &str) -> bool {
        self.devices.is_match(name) && !self.ignored.contains(name)
    }
}

/// Runs of letters, digits and `_ : - .`, without the punctuation of the
/// sentence at their ends.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '-' | '.'))
        .map(|run| run.trim_matches(['.', ':', '-']))
        .filter(|run| (1..=LONGEST_NAME).contains(&run.len()))
}

/// One expression that matches a whole name by any of the patterns; without a
/// pattern, none.
fn any_of(patterns: &[String]) -> std::result::Result<Regex, String> {
    for pattern in patterns {
        // Alone first: a stray parenthesis must not close the group around it.
        compile(pattern).map_err(|error| format!("`{pattern}` is not a valid pattern: {error}"))?;
    }
    match patterns {
        [] => compile("$.^"),
        patterns => compile(&format!("^(?:(?:{}))$", patterns.join(")|(?:"))),
    }
    .map_err(|error| format!("the patterns together are too large: {error}"))
}

fn compile(pattern: &str) -> std::result::Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(COMPILED_SIZE).build()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> (Vec<String>, Vec<String>) {
        let patterns = Patterns::new(&Settings::default()).unwrap();
        let names = patterns.names_in(text);
        (
            names.devices.into_iter().collect(),
            names.pvs.into_iter().collect(),
        )
    }

    fn devices(text: &str) -> Vec<String> {
        found(text).0
    }

    fn pvs(text: &str) -> Vec<String> {
        found(text).1
    }

    #[test]
    fn devices_are_capitals_and_a_number() {
        let text =
            "Quench of CAV1, TP-3 and CAV1 off. QD02A (SR07) ok; cav2, K3, CAVITIES1, AB1234";
        assert_eq!(devices(text), ["CAV1", "QD02A", "SR07", "TP-3"]);
    }

    #[test]
    fn chemistry_and_clocks_are_no_devices() {
        assert_eq!(
            devices("SF6 at 2 bar, CO2, UTC-5, 12:30, 10^-9, 5e-10"),
            [""; 0]
        );
        assert_eq!(
            pvs("at 12:30:00 see http://x.org NOTE:check Dose:2"),
            [""; 0]
        );
    }

    #[test]
    fn pvs_are_parts_joined_by_colons_and_name_their_devices() {
        let (devices, pvs) = found("SR01:BPM3:X=0.3, (LI:GUN:HV). BR:QF1 RF:KLY2:FIL_CURRENT: on");
        assert_eq!(
            pvs,
            ["BR:QF1", "LI:GUN:HV", "RF:KLY2:FIL_CURRENT", "SR01:BPM3:X"]
        );
        assert_eq!(devices, ["BPM3", "KLY2", "QF1", "SR01"]);
    }

    #[test]
    fn letters_of_any_script_belong_to_the_name_around_them() {
        assert_eq!(devices("ÜCAV1 CAV1ß"), [""; 0]);
        assert_eq!(devices("Öl an CAV1, 真空CAV2 TP-3。"), ["CAV1", "TP-3"]);
    }

    #[test]
    fn a_dump_of_names_is_cut() {
        let dump: String = (0..2000).map(|n| format!("SR:X{n}:V ")).collect();
        assert!(pvs(&dump).len() <= MOST_NAMES);
    }

    #[test]
    fn a_pattern_that_does_not_compile_names_its_setting() {
        for pattern in ["(", "a)|(b", "\\pL{900}{900}"] {
            let settings = Settings {
                pv_patterns: vec![pattern.to_owned()],
                ..Settings::default()
            };
            let error = Patterns::new(&settings).unwrap_err().to_string();
            assert!(error.starts_with("setting `pv_patterns`: `"), "{error}");
        }
        let none = Settings {
            pv_patterns: Vec::new(),
            ..Settings::default()
        };
        let patterns = Patterns::new(&none).unwrap();
        assert!(patterns.names_in("SR01:BPM3:X").pvs.is_empty());
    }

    proptest! {
        #[test]
        fn every_name_stands_in_the_text(text in "\\PC{0,60}|[A-Z0-9:. -]{0,60}") {
            let (devices, pvs) = found(&text);
            for name in devices.iter().chain(&pvs) {
                prop_assert!(text.contains(name.as_str()));
            }
        }
    }
}
