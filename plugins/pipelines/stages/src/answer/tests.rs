#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::{Provenance, ScoreKind};
use proptest::prelude::*;

use super::*;

fn entry(id: &str, time: &str, author: &str, text: &str) -> Entry {
    let mut entry = Entry::new(id, "log", time.parse().unwrap(), text);
    entry.author = author.to_owned();
    entry
}

fn logbook() -> Vec<Entry> {
    vec![
        entry(
            "R1",
            "2024-05-02T08:00:00Z",
            "M. Okafor",
            "Klystron 3 fault in the linac. The modulator of klystron 3 tripped at 05:12. The trip \
             was traced to a failed thyratron. Thyratron was replaced and the modulator was reset. \
             Canteen closed on Friday.",
        ),
        entry(
            "R2",
            "2024-06-20T21:30:00Z",
            "L. Petrov",
            "Klystron 3 modulator tripped again, this time on low oil flow. Oil pump restarted.",
        ),
        entry(
            "V1",
            "2024-04-11T10:00:00Z",
            "S. Ito",
            "Vacuum leak at the gate valve of sector 9. Leak rate 3.2e-8 mbar l/s. Flange was \
             tightened and the leak stopped.",
        ),
    ]
}

fn ask(question: &str, entries: &[Entry]) -> ComposedAnswer {
    compose_answer(AnswerInput {
        question,
        entries,
        hits: &[],
        style: CitationStyle::EntryId,
        timezone: "UTC",
    })
}

#[test]
fn a_question_for_the_cause_gets_the_sentence_that_names_it() {
    let answer = ask(
        "What caused the klystron 3 modulator trip?",
        &logbook()[..1],
    );
    assert_eq!(answer.status, AnswerStatus::Grounded);
    assert!(
        answer
            .text
            .contains("The trip was traced to a failed thyratron. [#R1]")
    );
    assert!(!answer.text.contains("Canteen"));
}

#[test]
fn a_question_for_the_repair_gets_what_was_done() {
    let answer = ask(
        "How was the leak at the gate valve of sector 9 fixed?",
        &logbook(),
    );
    assert!(
        answer
            .text
            .contains("Flange was tightened and the leak stopped. [#V1]"),
        "{}",
        answer.text
    );
}

#[test]
fn a_question_for_the_last_time_takes_the_newest_entry_and_its_time() {
    let answer = ask("When did the klystron 3 modulator last trip?", &logbook());
    assert!(
        answer.sentences[0]
            .lead_in
            .starts_with("On 2024-06-20 21:30 (L. Petrov): "),
        "{}",
        answer.text
    );
}

#[test]
fn days_are_days_of_the_facility() {
    let answer = compose_answer(AnswerInput {
        question: "oil flow of klystron 3",
        entries: &logbook()[1..2],
        hits: &[],
        style: CitationStyle::Number,
        timezone: "Asia/Tokyo",
    });
    assert!(
        answer.text.starts_with("On 2024-06-21 (L. Petrov): "),
        "{}",
        answer.text
    );
    assert!(answer.text.ends_with("[1]"));
}

#[test]
fn a_question_that_no_entry_is_about_is_not_answered() {
    let answer = ask("What is the chemical composition of the moon?", &logbook());
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert_eq!(answer.citations, Vec::<String>::new());
    assert!(
        answer.reason.contains("no entry is about the question"),
        "{}",
        answer.reason
    );
}

#[test]
fn a_near_meaning_is_enough_when_no_word_is_shared() {
    let entries = [entry(
        "B1",
        "2024-01-01T00:00:00Z",
        "",
        "A raccoon bridged two phases.",
    )];
    let mut hit = Hit::new("B1", "logbook", 0.03, ScoreKind::Rrf);
    hit.provenance.push(Provenance {
        module: "semantic".to_owned(),
        rank: 1,
        score: 0.6,
        score_kind: ScoreKind::Cosine,
    });
    let answer = compose_answer(AnswerInput {
        question: "animal caused a short circuit",
        entries: &entries,
        hits: &[hit],
        style: CitationStyle::EntryId,
        timezone: "UTC",
    });
    assert_eq!(answer.status, AnswerStatus::Grounded);
    assert_eq!(answer.citations, ["B1"]);
}

#[test]
fn a_bare_question_that_fits_several_events_is_asked_back() {
    let entries = [
        entry(
            "1",
            "2024-01-01T00:00:00Z",
            "",
            "Trip of the north chiller, fan belt broken.",
        ),
        entry(
            "2",
            "2024-02-01T00:00:00Z",
            "",
            "Quadrupole supply trip on ground fault.",
        ),
        entry(
            "3",
            "2024-03-01T00:00:00Z",
            "",
            "Beam trip after a lightning strike.",
        ),
    ];
    let answer = ask("What caused the trip?", &entries);
    assert_eq!(answer.status, AnswerStatus::Clarify);
    assert_eq!(answer.citations, ["1", "2", "3"]);
}

#[test]
fn without_entries_nothing_is_answered() {
    let answer = ask("What tripped?", &[]);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert_eq!(answer.sentences, []);
}

#[test]
fn a_question_of_two_parts_gets_both() {
    let answer = ask(
        "what caused the klystron 3 modulator trip and what fixed it?",
        &logbook(),
    );
    for part in [
        "The trip was traced to a failed thyratron. [#R1]",
        "Thyratron was replaced and the modulator was reset. [#R1]",
    ] {
        let mut lines = answer.text.lines();
        assert!(
            lines.any(|line| line.starts_with("- ") && line.ends_with(part)),
            "{}",
            answer.text
        );
    }
}

#[test]
fn an_entry_of_the_season_asked_for_comes_first() {
    let text = "Chiller pump 4 tripped on low oil level.";
    let other = "Chiller pump 4 tripped when its motor was too hot.";
    let entries = [
        entry("W", "2024-12-02T00:00:00Z", "", text),
        entry("S", "2024-04-02T00:00:00Z", "", other),
    ];
    let answer = ask("chiller pump 4 trip in spring", &entries);
    assert_eq!(answer.citations.first().map(String::as_str), Some("S"));
}

#[test]
fn a_misspelt_word_is_understood() {
    let answer = ask("leek at the gate valv of sector 9", &logbook());
    assert!(answer.citations.contains(&"V1".to_owned()));
}

#[test]
fn marks_in_an_entry_are_no_citations_of_the_answer() {
    let forged = [entry(
        "1",
        "2024-01-01T00:00:00Z",
        "",
        "Pump oil level low, see also [#2] and [#3].",
    )];
    let answer = ask("pump oil level", &forged);
    assert_eq!(answer.citations, ["1"]);
    assert!(!answer.text.contains("[#2]"));
}

#[test]
fn the_same_text_in_two_entries_is_said_once() {
    let text = "Corrector magnet 5 lost its cooling water.";
    let twins = [
        entry("1", "2024-01-01T00:00:00Z", "", text),
        entry("2", "2024-01-02T00:00:00Z", "", text),
    ];
    assert_eq!(
        ask("corrector magnet cooling water", &twins)
            .sentences
            .len(),
        1
    );
}

#[test]
fn a_name_with_dots_and_colons_is_one_sentence() {
    let text = "Readback of SR03C:RF:CAV1:FWD_PWR.VAL is 2.5 kW. OK since.";
    assert_eq!(
        sentences(text),
        [
            "Readback of SR03C:RF:CAV1:FWD_PWR.VAL is 2.5 kW.",
            "OK since."
        ]
    );
}

#[test]
fn a_letter_that_names_a_device_ends_a_sentence() {
    assert_eq!(
        sentences("Started pump B. The spare is off."),
        ["Started pump B.", "The spare is off."]
    );
}

#[test]
fn wrapped_lines_are_joined_and_short_ones_are_not() {
    let text = "Shift summary\nThe beam was steady all night and the orbit feedback stayed on for\n\
                the whole shift.\nNo trips";
    assert_eq!(
        sentences(text),
        [
            "Shift summary",
            "The beam was steady all night and the orbit feedback stayed on for the whole shift.",
            "No trips",
        ]
    );
}

proptest! {
    #[test]
    fn sentences_drop_no_word(text in "[A-Z][a-z0-9.,:;!? \n\"()-]{0,300}") {
        let kept = sentences(&text).join(" ");
        for word in words(&text) {
            prop_assert!(words(&kept).contains(&word), "{word} of {text:?} is lost");
        }
    }

    /// Every sentence is an entry's own, and ends in the citation of an entry
    /// that was given.
    #[test]
    fn every_sentence_cites_an_entry_that_says_it(
        texts in prop::collection::vec("([A-Z][a-z]{1,6}( (pump|valve|trip|leak|7|\\[#9\\]|[a-z]{2,6})){0,9}[.!?] ?){0,6}", 0..5),
        question in "(what caused|when did|how was|) ?(the pump|valve 7|leak|trip)( last| fixed)?\\??",
        numbered: bool,
    ) {
        let entries: Vec<Entry> = texts
            .iter()
            .enumerate()
            .map(|(i, text)| entry(&format!("E{i}"), "2024-01-01T00:00:00Z", "", text))
            .collect();
        let style = if numbered { CitationStyle::Number } else { CitationStyle::EntryId };
        let answer = compose_answer(AnswerInput {
            question: &question,
            entries: &entries,
            hits: &[],
            style,
            timezone: "UTC",
        });
        let given: Vec<String> = entries.iter().map(|e| e.entry_id.clone()).collect();
        for sentence in &answer.sentences {
            let source = entries.iter().find(|e| e.entry_id == sentence.entry_id).unwrap();
            let text = crate::neutral(&source.raw_text);
            prop_assert!(text.contains(&sentence.quote));
            prop_assert!(sentence.text().ends_with(&style.mark(&sentence.entry_id, &given)));
            prop_assert!(answer.text.contains(&sentence.text()));
        }
        let checked = crate::check_citations(&answer.text, &given, style);
        prop_assert_eq!(checked.citations, answer.citations);
        prop_assert_eq!(checked.unknown, 0);
        if answer.status == AnswerStatus::Grounded {
            let texts: Vec<String> = answer.sentences.iter().map(AnswerSentence::text).collect();
            let expected = match texts.as_slice() {
                [only] => only.clone(),
                several => format!("- {}", several.join("\n- ")),
            };
            prop_assert_eq!(expected, answer.text);
        }
    }
}

#[test]
fn a_title_that_names_a_cause_does_not_stand_for_it() {
    let mut report = entry(
        "R",
        "2024-06-05T10:00:00Z",
        "",
        "Root-cause report: pump trips of May\nThe group met twice. Cause: worn bearing on the \
         motor side. Remedy: bearing replaced, no trip since then.",
    );
    let title = "Root-cause report: pump trips of May".into();
    report.metadata.insert("title".to_owned(), title);
    let answer = ask(
        "What caused the pump trips, and what fixed them?",
        &[report],
    );
    assert!(
        answer.text.contains("Cause: worn bearing"),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("Remedy: bearing replaced"),
        "{}",
        answer.text
    );
    assert!(!answer.text.contains("report"), "{}", answer.text);
}

#[test]
fn what_was_done_stands_before_what_is_to_be_done() {
    let entries = [
        entry(
            "P",
            "2024-06-05T10:00:00Z",
            "",
            "The seal of the booster pump should be replaced on the maintenance day.",
        ),
        entry(
            "D",
            "2024-06-06T10:00:00Z",
            "",
            "The seal of the booster pump was replaced and the flow is back to normal.",
        ),
    ];
    let answer = ask("What fixed the seal of the booster pump?", &entries);
    assert_eq!(answer.citations[0], "D", "{}", answer.text);
}
