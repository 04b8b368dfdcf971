//! Words by which entries say that something failed, was restored or changed,
//! is open, or waits for somebody; `cues/` has them by language.
//!
//! Entries are read with the words of all languages at once.

use std::ops::Range;
use std::sync::LazyLock;

use crate::answer::{holds_any, phrases_in};
use serde::Deserialize;

/// Words before a cue that may deny it: "no water leak", "will be replaced".
const WORDS_BEFORE: usize = 3;

/// The files, one for each language.
const LANGUAGES: [&str; 3] = [
    include_str!("cues/en.json"),
    include_str!("cues/de.json"),
    include_str!("cues/fr.json"),
];

/// The lists. A phrase is words in lower case with single spaces; `*` at its
/// end stands for any ending.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cues {
    /// Something does not work.
    pub fault: Vec<String>,
    /// Something works again.
    pub restored: Vec<String>,
    /// What did not work is repaired. Beside `restored`, which something is by
    /// itself too, and `changed`, which is no repair by itself.
    pub repaired: Vec<String>,
    /// A repair is under way, to come, or of another time.
    pub not_repaired: Vec<String>,
    /// What follows, or what stands before, is the cause of something.
    pub cause: Vec<String>,
    /// What stands before a colon and the cause.
    pub cause_labels: Vec<String>,
    /// What follows is why something happened, or why something was done.
    pub gives_reason: Vec<String>,
    /// A cause is not known, or is only thought of.
    pub not_cause: Vec<String>,
    /// A heading is of a text about a fault, and not of its report.
    pub retells: Vec<String>,
    /// Something is not there for the first time.
    pub again: Vec<String>,
    /// Something is in another state than before.
    pub changed: Vec<String>,
    /// Something is not done or not known.
    pub open: Vec<String>,
    /// What stands before the name of whom something waits for.
    pub waits_for: Vec<String>,
    /// Words at which such a name ends.
    pub end_of_name: Vec<String>,
    /// Words before a cue that say it is not so, or not yet.
    pub denies: Vec<String>,
    /// Words that deny any cue, also one for what is open, which often has a
    /// denial in it.
    denies_open: Vec<String>,
    /// What the heading of an update begins with.
    pub update: Vec<String>,
    /// What stands before that which a sentence denies to correct it.
    pub corrects: Vec<String>,
    /// What the values of classes without importance begin with.
    pub routine_values: Vec<String>,
    /// Words of a question that ask for a digest, and not what it is about.
    pub asking: Vec<String>,
}

/// The lists of all languages, read once.
pub fn cues() -> &'static Cues {
    static CUES: LazyLock<Cues> = LazyLock::new(|| {
        let mut all = Cues::default();
        LANGUAGES.into_iter().for_each(|file| all.add(read(file)));
        all
    });
    &CUES
}

#[expect(clippy::expect_used, reason = "compiled in, and read by every test")]
fn read(file: &str) -> Cues {
    serde_json::from_str(file).expect("it has the keys of `Cues`")
}

impl Cues {
    fn add(&mut self, other: Self) {
        self.fault.extend(other.fault);
        self.restored.extend(other.restored);
        self.repaired.extend(other.repaired);
        self.not_repaired.extend(other.not_repaired);
        self.cause.extend(other.cause);
        self.cause_labels.extend(other.cause_labels);
        self.gives_reason.extend(other.gives_reason);
        self.not_cause.extend(other.not_cause);
        self.retells.extend(other.retells);
        self.again.extend(other.again);
        self.changed.extend(other.changed);
        self.open.extend(other.open);
        self.waits_for.extend(other.waits_for);
        self.end_of_name.extend(other.end_of_name);
        self.denies.extend(other.denies);
        self.denies_open.extend(other.denies_open);
        self.update.extend(other.update);
        self.corrects.extend(other.corrects);
        self.routine_values.extend(other.routine_values);
        self.asking.extend(other.asking);
    }

    /// Whether a [`spaced`](crate::spaced) sentence says one of these
    /// phrases of something, and does not deny it.
    pub fn says(&self, spaced: &str, phrases: &[String]) -> bool {
        self.said(spaced, phrases).next().is_some()
    }

    /// Where it does, in the order of the phrases.
    pub fn said<'t>(
        &'t self,
        spaced: &'t str,
        phrases: &'t [String],
    ) -> impl Iterator<Item = Range<usize>> + 't {
        let places = phrases_in(spaced, phrases);
        places.filter(move |at| {
            let before = &spaced[..at.start];
            let is_denied = is_denied(before, &self.denies) || is_denied(before, &self.denies_open);
            !is_denied && !is_counted_as_none(spaced, at)
        })
    }

    /// Whether a sentence says that something is open: not "nothing is pending".
    pub fn says_open(&self, spaced: &str) -> bool {
        self.said_open(spaced).next().is_some()
    }

    /// Where it does, in the order of the phrases.
    pub fn said_open<'t>(&'t self, spaced: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        let places = phrases_in(spaced, &self.open);
        places.filter(move |at| !is_denied(&spaced[..at.start], &self.denies_open))
    }
}

/// Whether the last words before a cue deny it.
fn is_denied(before: &str, denies: &[String]) -> bool {
    let words: Vec<&str> = before.split_whitespace().collect();
    let first = words.len().saturating_sub(WORDS_BEFORE);
    // "No. 2 pump tripped": what stands before a number is a name.
    let is_name = |at: usize| words.get(at + 1).is_some_and(|next| is_number(next));
    let last = (first..words.len()).filter(|at| !is_name(*at));
    let last: Vec<&str> = last.map(|at| words[at]).collect();
    holds_any(&format!(" {} ", last.join(" ")), denies)
}

/// Whether something is counted, and there is none of it: "0 trips", "trips: 0",
/// "trips: none".
fn is_counted_as_none(spaced: &str, at: &Range<usize>) -> bool {
    let (before, from_cue) = spaced.split_at(at.start);
    let (rest, is_none) = (&spaced[at.end..], |word: &str| matches!(word, "0" | "none"));
    let rest = &rest[rest.find(' ').unwrap_or_default()..];
    let cue = &from_cue[..from_cue.len() - rest.len()];
    let mut after = rest.split_whitespace();
    // "Trips 0.5 s later": words are told apart at the point.
    let is_none_after = after.next().is_some_and(is_none) && !after.next().is_some_and(is_number);
    let last = before.split_whitespace().next_back();
    cue.ends_with('s') && (last.is_some_and(is_none) || is_none_after)
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a [`spaced`](crate::spaced) text begins with one of these
/// phrases.
pub fn begins_with(spaced: &str, phrases: &[String]) -> bool {
    phrases_in(spaced, phrases).any(|at| at.start == 1)
}

#[cfg(test)]
mod tests {
    use crate::spaced;

    use super::*;

    fn says(text: &str, phrases: &[String]) -> bool {
        cues().says(&spaced(text), phrases)
    }

    #[test]
    fn what_is_denied_or_to_come_is_not_said() {
        let fault = &cues().fault;
        assert!(says("CAV1 tripped on reflected power.", fault));
        assert!(!says("No water leak was found.", fault));
        assert!(!says("The pump could fail any day.", fault));
        assert!(says("No. 2 pump tripped.", fault) && says("May 2: RF3 tripped.", fault));
        assert!(says("CAN bus failed.", fault) && says("SI pump failed.", fault));
        assert!(says("Valve V-7 sticks.", fault) && says("V-7 does not close.", fault));
        assert!(says("The seal drips.", fault) && !says("Summer time: nothing broke.", fault));
        for none in [
            "Night: 0 trips.",
            "Trips: 0 (last week 2)",
            "0 failures",
            "Encoder faults: none on ID06",
        ] {
            assert!(!says(none, fault), "{none}");
        }
        for some in [
            "10 trips.",
            "RF-0 tripped.",
            "CAV1 trips 0.5 s later",
            "Trips: 12",
        ] {
            assert!(says(some, fault), "{some}");
        }
        for general in [
            "Mean time between failures 50 h",
            "Waiting for 10 minutes is needed after a quench.",
        ] {
            assert!(!says(general, fault), "{general}");
        }
        let changed = &cues().changed;
        assert!(says("Gasket replaced.", changed));
        assert!(!says("The gasket is to be replaced.", changed));
    }

    #[test]
    fn what_is_denied_is_not_open() {
        let is_open = |text: &str| cues().says_open(&spaced(text));
        assert!(is_open("Repair of P-2 is pending.") && is_open("Not yet repaired."));
        assert!(!is_open("Nothing is pending.") && !is_open("The valve is no longer on order."));
        assert!(!is_open("Es steht nichts aus, nichts ist ausstehend."));
        assert!(!is_open(
            "Swap on 8 July instead of waiting for the shutdown."
        ));
    }

    #[test]
    fn other_languages_are_read_too() {
        assert!(says("Pumpe P2 ist ausgefallen.", &cues().fault));
        assert!(says("La vanne a été remplacée.", &cues().changed));
    }

    #[test]
    fn the_heading_of_an_update_begins_with_a_word_for_it() {
        let update = &cues().update;
        assert!(begins_with(&spaced("UPDATE ON 6/23/99"), update));
        assert!(!begins_with(&spaced("the last update"), update));
    }
}
