//! Intent: what a question wants to be done with what is found.

use gannet_plugin::plan::{Intent as HostIntent, QueryPlan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a question wants.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To find out what is wrong, why, or what helps.
    Troubleshoot,
    /// To compare things.
    Compare,
    /// To know a fact: when, how many, whether, which value.
    Lookup,
    /// To be told how something is done.
    HowTo,
    /// To see what there is.
    Browse,
}

impl Intent {
    /// Its name in results and in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Troubleshoot => "troubleshoot",
            Self::Compare => "compare",
            Self::Lookup => "lookup",
            Self::HowTo => "how_to",
            Self::Browse => "browse",
        }
    }
}

/// Words that ask how something is done, in English, German and French.
const HOW_TO: [&str; 20] = [
    "how to",
    "how is",
    "how are",
    "how do",
    "how can",
    "how should",
    "how must",
    "what steps",
    "which steps",
    "steps to",
    "steps for",
    "procedure",
    "instructions",
    "checklist",
    "in what order",
    "must be done",
    "wie kann",
    "wie wird",
    "comment faire",
    "anleitung",
];
/// Words that say that something is wrong.
const TROUBLE: [&str; 31] = [
    "alarm",
    "broke",
    "broken",
    "crash",
    "crashed",
    "error",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "fault",
    "faults",
    "interlock",
    "leak",
    "leaking",
    "leaks",
    "lost",
    "problem",
    "quench",
    "quenched",
    "stuck",
    "trip",
    "tripped",
    "tripping",
    "trips",
    "unstable",
    "wrong",
    "störung",
    "ausfall",
    "panne",
];
/// Words that ask to see what there is.
const BROWSE: [&str; 6] = [
    "show",
    "list",
    "browse",
    "everything about",
    "all about",
    "zeige",
];

/// The intent of a question and the reason.
pub(crate) fn intent_of(plan: &QueryPlan) -> (Intent, String) {
    let words = format!(" {} ", gannet_stages::words(&plan.text).join(" "));
    let has = |phrases: &[&'static str]| {
        let mut phrases = phrases.iter();
        phrases
            .find(|phrase| words.contains(&format!(" {phrase} ")))
            .copied()
    };
    if plan.intent == HostIntent::Compare {
        return (Intent::Compare, by_words(plan));
    }
    if let Some(phrase) = has(&HOW_TO) {
        return (Intent::HowTo, format!("`{phrase}`"));
    }
    match plan.intent {
        HostIntent::Cause | HostIntent::Fix => (Intent::Troubleshoot, by_words(plan)),
        HostIntent::When
        | HostIntent::Latest
        | HostIntent::First
        | HostIntent::Count
        | HostIntent::YesNo => (Intent::Lookup, by_words(plan)),
        HostIntent::List => (Intent::Browse, by_words(plan)),
        _ if plan.text.trim().is_empty() => (Intent::Browse, "the question is blank".to_owned()),
        _ => match (has(&TROUBLE), has(&BROWSE)) {
            (Some(word), _) => (Intent::Troubleshoot, format!("`{word}`")),
            (None, Some(word)) => (Intent::Browse, format!("`{word}`")),
            (None, None) => {
                let reason = "no word asks for anything else".to_owned();
                (Intent::Lookup, reason)
            }
        },
    }
}

fn by_words(plan: &QueryPlan) -> String {
    match plan.intent_words.is_empty() {
        true => "by the words of the question".to_owned(),
        false => format!("`{}`", plan.intent_words.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(text: &str, host: HostIntent) -> Intent {
        let plan = QueryPlan::of_terms(text, Default::default()).with_intent(host);
        intent_of(&plan).0
    }

    #[test]
    fn a_question_wants_one_thing() {
        for (text, host, expected) in [
            (
                "why did CAV1 trip?",
                HostIntent::Cause,
                Intent::Troubleshoot,
            ),
            (
                "CAV1 reflected power trip",
                HostIntent::Find,
                Intent::Troubleshoot,
            ),
            ("compare the quenches", HostIntent::Compare, Intent::Compare),
            ("when was K3 changed?", HostIntent::When, Intent::Lookup),
            (
                "how do I restart the klystron?",
                HostIntent::Find,
                Intent::HowTo,
            ),
            ("procedure for a bakeout", HostIntent::Fix, Intent::HowTo),
            ("show vacuum work", HostIntent::Find, Intent::Browse),
            ("which pumps were changed", HostIntent::List, Intent::Browse),
            ("flow of the circulator", HostIntent::Find, Intent::Lookup),
            ("", HostIntent::Find, Intent::Browse),
        ] {
            assert_eq!(intent(text, host), expected, "{text}");
        }
    }
}
