//! Sentences of an entry that correct what is quoted of it.

use super::*;

#[test]
fn a_sentence_that_corrects_a_quoted_one_is_shown_with_it() {
    let answer = |body: &str| {
        let entries = [entry("LOG-7", "2024-01-02", "Valve W3", body)];
        let answer = chosen(&[(0, "by the cleaners")], &entries, 0.9);
        assert_eq!(answer.status, AnswerStatus::Grounded);
        texts(&answer).join(" | ")
    };
    let quote = "The valve was left open by the cleaners.";
    for (rest, shown) in [
        (
            " Not the cleaners, the actuator lost air. All well.",
            " Not the cleaners, the actuator lost air.",
        ),
        (
            "\nUpdate at 15:00: not the cleaners, the actuator.",
            " Update at 15:00: not the cleaners, the actuator.",
        ),
        (
            " It was shut.\n* * * UPDATE ON 3/4/2024 * * *\nA relay had failed, not the valve.",
            " | A relay had failed, not the valve.",
        ),
        (
            " It was shut. UPDATE: the valve leaks.",
            " | UPDATE: the valve leaks.",
        ),
        // Nothing that was quoted is corrected.
        (" Not the usual day. UPDATE: lunch is over.", ""),
        (" It was shut. Not the cleaners, the actuator.", ""),
    ] {
        assert_eq!(answer(&[quote, rest].concat()), [quote, shown].concat());
    }
}
