//! What an entry says of causes, by words of English, German and French. "Due to"
//! and its like are not words of a cause by themselves: they also give the reason of
//! a report or a step.

use crate::{cues, holds_any, spaced};

/// Whether a sentence says what the cause of something was, and not that the
/// cause is thought of, looked for or unknown.
pub fn says_cause(sentence: &str) -> bool {
    let (words, cues) = (spaced(sentence), cues());
    let label = sentence.split_once(':').map(|(label, _)| spaced(label));
    let is_label = |label: String| cues.cause_labels.iter().any(|one| one == label.trim());
    let has_label = label.is_some_and(is_label);
    let is_said = has_label || cues.says(&words, &cues.cause);
    // A doubt counts anywhere: "caused by a relay, it may be".
    is_said && !holds_any(&words, &cues.not_cause) && !cues.says_open(&words)
}

/// Whether a sentence says why something happened or was done: it [says a
/// cause](says_cause), or has "due to" or the like.
pub(crate) fn gives_reason(sentence: &str) -> bool {
    says_cause(sentence) || cues().says(&spaced(sentence), &cues().gives_reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_may_be_that_of_a_step_and_is_none_where_nothing_is_given_for_it() {
        assert!(gives_reason("The trip was caused by a broken flow switch."));
        assert!(gives_reason("Beam dumped due to a water leak."));
        assert!(gives_reason("Umgeschaltet wegen Frost."));
        assert!(!gives_reason("The supply showed an earth fault."));
    }

    #[test]
    fn a_cause_is_one_that_is_known() {
        for cause in [
            "Cause: worn paddle flow switch in the return of circulator 1.",
            "The trip was caused by a broken flow switch.",
            "Ursache war ein loser Stecker.",
            "Panne causée par une fuite d'eau.",
        ] {
            assert!(says_cause(cause), "{cause}");
        }
        for other in [
            "Root-cause report: CAV1 trips of March to May",
            "The cause of the trip is under investigation.",
            "Cause: unknown.",
            "It may be caused by the relay.",
            "Die Ursache ist unklar.",
            "The trip was not caused by the flow switch.",
            "Flow switch replaced.",
            "CAV2 followed 30 us later because of the beam loss.",
        ] {
            assert!(!says_cause(other), "{other}");
        }
    }
}
