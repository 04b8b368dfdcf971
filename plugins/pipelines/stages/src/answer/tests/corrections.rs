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

#[test]
fn a_later_entry_that_names_a_quoted_one_and_corrects_it_is_quoted_too() {
    let filament = entry("KSS-017", "2008-06-05", "Filament", "It ran 2210 hours.");
    let answer = |later: &str| {
        let later = entry("KSS-018", "2008-06-06", "Correction to KSS-017", later);
        let entries = [filament.clone(), later];
        texts(&chosen(&[(0, "2210 hours")], &entries, 0.9)).join(" | ")
    };
    let correction = "Correction: it had run 1910 hours, not 2210.";
    let both = format!("It ran 2210 hours. | {correction}");
    assert_eq!(answer(correction), both);
    assert_eq!(answer("The new filament is fine."), "It ran 2210 hours.");
}

#[test]
fn a_newer_value_is_quoted_beside_an_older_one_where_the_present_is_asked_for() {
    let set = "High voltage of bank 3 set to 1450 V.";
    let older = entry("B1", "2006-08-17", "Bank 3", set);
    let answer = |question: &str, newer: &str| {
        let entries = [older.clone(), entry("B2", "2009-05-05", "Detector", newer)];
        let plan = plan(question, Intent::Find);
        let reading = reading(&[(0, "1450 V")], &entries, 0.9);
        texts(&compose_answer(&input(&plan, &entries), &reading)).join(" | ")
    };
    let (back, present) = (
        "High voltage of bank 3 back to 1500 V.",
        "what is the voltage of bank 3?",
    );
    assert_eq!(answer(present, back), format!("{set} | {back}"));
    // The past, another bank, the same value, another unit.
    assert_eq!(answer("what voltage was bank 3 set to?", back), set);
    for other in [
        "High voltage of bank 4 back to 1500 V.",
        "High voltage of bank 3 still 1450 V.",
        "High voltage of bank 3 off for 20 min.",
    ] {
        assert_eq!(answer(present, other), set);
    }
}
