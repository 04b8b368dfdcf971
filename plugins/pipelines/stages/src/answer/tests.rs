#![allow(clippy::unwrap_used)]

use gannet_plugin::plan::{Intent, QueryPlan};
use gannet_plugin::provider::ReadSpan;
use gannet_plugin::query::ParsedQuery;
use serde_json::json;

use super::*;

mod corrections;
mod properties;
mod statuses;

fn entry(id: &str, day: &str, title: &str, body: &str) -> Entry {
    let time = format!("{day}T10:00:00Z").parse().unwrap();
    let mut entry = Entry::new(id, "log", time, format!("{title}\n{body}"));
    entry.metadata.insert("title".to_owned(), json!(title));
    entry
}

fn plan(question: &str, intent: Intent) -> QueryPlan {
    QueryPlan::of_terms(question, ParsedQuery::default()).with_intent(intent)
}

fn input<'a>(plan: &'a QueryPlan, entries: &'a [Entry]) -> AnswerInput<'a> {
    AnswerInput {
        plan,
        entries,
        scores: &[],
        matches: None,
        style: CitationStyle::EntryId,
        timezone: "UTC",
        reader: None,
        grounded_probability: GROUNDED_PROBABILITY,
    }
}

/// A reading of these parts, each of the entry at a place, by their words.
fn reading(parts: &[(usize, &str)], entries: &[Entry], probability: f64) -> Reading {
    let span = |(place, words): &(usize, &str)| {
        let start = entries[*place].raw_text.find(words).unwrap();
        let range = start..start + words.len();
        ReadSpan::new(*place, range.clone(), probability).with_answers(vec![range])
    };
    Reading::new(parts.iter().map(span).collect(), 1.0 - probability)
}

/// The answer to any question where a reader chose these parts.
fn chosen(parts: &[(usize, &str)], entries: &[Entry], probability: f64) -> ComposedAnswer {
    let plan = plan("what about the pump?", Intent::Find);
    compose_answer(
        &input(&plan, entries),
        &reading(parts, entries, probability),
    )
}

fn texts(answer: &ComposedAnswer) -> Vec<&str> {
    let quotes = answer.quotes.iter();
    quotes.map(|quote| quote.text.as_str()).collect()
}

fn marked(answer: &ComposedAnswer) -> Vec<&str> {
    let highlights = answer.highlights.iter();
    highlights
        .map(|range| &answer.text[range.clone()])
        .collect()
}

const PUMP: &str = "The cooling pump of loop 2 stopped at 04:10. Shift leader informed. The stop was \
                    due to a worn coupling on the motor side. Coupling replaced at 07:30.";

fn pump() -> Entry {
    entry("P1", "2024-03-15", "Cooling pump 2 stopped", PUMP)
}

#[test]
fn what_the_reader_chose_is_quoted_with_its_date_entry_and_probability() {
    let answer = chosen(&[(0, "a worn coupling")], &[pump()], 0.9);
    assert_eq!(answer.status, AnswerStatus::Grounded);
    assert_eq!(
        answer.text,
        "On 2024-03-15: The stop was due to a worn coupling on the motor side. [#P1]"
    );
    assert_eq!(marked(&answer), ["a worn coupling"]);
    assert_eq!(answer.citations, ["P1"]);
    assert_eq!(answer.confidence, Some(0.9));
    let reason = "the reader gives it a probability of 0.90 to be right";
    assert_eq!(answer.reason, reason);
    assert!(!answer.is_unread);
}

#[test]
fn the_closest_entries_are_listed_where_nothing_answers() {
    let entries = ["1", "2", "3", "4"].map(|id| {
        let title = format!("Valve {id} leaked");
        entry(id, "2024-01-02", &title, "Its gasket had aged.")
    });
    let expected = "No entry answers this. Closest:\n\
                    - On 2024-01-02: Valve 1 leaked [#1]\n\
                    - On 2024-01-02: Valve 2 leaked [#2]\n\
                    - On 2024-01-02: Valve 3 leaked [#3]";
    let unlikely = chosen(&[(3, "aged")], &entries, 0.25);
    assert_eq!(unlikely.text, expected);
    assert_eq!(unlikely.status, AnswerStatus::Insufficient);
    assert_eq!(unlikely.confidence, Some(0.25));
    assert_eq!(unlikely.citations, ["1", "2", "3"]);
    assert!(unlikely.highlights.is_empty());
    // A reader that chose nothing is not believed to be sure.
    let nothing = chosen(&[], &entries, 1.0);
    assert_eq!(
        (nothing.text.as_str(), nothing.confidence),
        (expected, Some(0.0))
    );
}

#[test]
fn a_probability_that_is_no_number_counts_as_none() {
    let entries = [pump()];
    let plan = plan("why?", Intent::Cause);
    let reading = Reading::new(vec![ReadSpan::new(0, 0..9, f64::NAN)], f64::NAN);
    let answer = compose_answer(&input(&plan, &entries), &reading);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert_eq!(answer.confidence, Some(0.0));
}

#[test]
fn neighbouring_sentences_are_one_quote() {
    let entries = [entry(
        "1",
        "2024-01-02",
        "Leak",
        "V7 leaked. Its seal aged. Reset. Dried.",
    )];
    let answer = chosen(&[(0, "seal"), (0, "leaked"), (0, "Dried")], &entries, 0.9);
    assert_eq!(texts(&answer), ["V7 leaked. Its seal aged.", "Dried."]);
    assert_eq!(
        answer.text,
        "- On 2024-01-02: V7 leaked. Its seal aged. [#1]\n- Dried. [#1]"
    );
    assert_eq!(marked(&answer), ["leaked", "seal", "Dried"]);
    assert_eq!(answer.citations, ["1"]);
}

#[test]
fn quotes_come_in_the_order_of_the_reading_entry_by_entry() {
    let entries = [
        entry(
            "1",
            "2024-01-02",
            "Leak",
            "V7 leaked. Reset. Its seal aged.",
        ),
        entry("2", "2024-01-03", "Seal", "Seal of V7 exchanged."),
    ];
    let answer = chosen(
        &[(1, "exchanged"), (0, "aged"), (0, "leaked")],
        &entries,
        0.9,
    );
    let expected = ["Seal of V7 exchanged.", "V7 leaked.", "Its seal aged."];
    assert_eq!(texts(&answer), expected);
    assert_eq!(answer.citations, ["2", "1"]);
}

#[test]
fn a_row_of_a_table_is_quoted_with_its_columns() {
    let table = "| pump | current |\n|---|---|\n| P1 | 9.1 A |\n| P2 | 9.8 A |";
    let entries = [entry("1", "2024-01-02", "Pumps", table)];
    let answer = chosen(&[(0, "9.8 A")], &entries, 0.9);
    assert_eq!(texts(&answer), ["pump: P2; current: 9.8 A"]);
    assert_eq!(marked(&answer), ["9.8 A"]);
}

fn update(update: &str) -> ComposedAnswer {
    let text = format!(
        "The spray pump was declared inoperable due to low flow. Repairs are under way. \
         {}\n* * * UPDATE ON 3/4/2024 FROM LEE TO DOE * * *\n{update}",
        "Nothing else is known at this time. ".repeat(9)
    );
    let entries = [entry("LOG-7", "2024-01-02", "Spray pump", &text)];
    chosen(&[(0, "due to low flow"), (0, "Repairs")], &entries, 0.9)
}

#[test]
fn an_update_that_retracts_the_report_is_shown_with_its_quotes() {
    let shown = update("The plant is retracting this report: the gauge was wrong. It ran well.");
    let expected = [
        "The spray pump was declared inoperable due to low flow. Repairs are under way.",
        "The plant is retracting this report: the gauge was wrong.",
    ];
    assert_eq!(texts(&shown), expected);
    // A thing that moves back takes no report back.
    let shown = update("The probe was retracted and cleaned.");
    assert_eq!(texts(&shown), expected[..1]);
    // A heading counts where no sentence says it.
    let shown = update("EVENT RETRACTION");
    assert_eq!(texts(&shown), [expected[0], "EVENT RETRACTION"]);
}

#[test]
fn the_least_probable_quotes_give_way_to_a_retraction() {
    let long = "The report is retracted as the gauge was wrong".to_owned() + &", also".repeat(45);
    let body = format!(
        "A pump {0}stopped. A valve {0}leaked. {long}.",
        "of the loop ".repeat(18)
    );
    let entries = [entry("LOG-7", "2024-01-02", "Loop", &body)];
    let plan = plan("why?", Intent::Cause);
    for (pump, valve, kept) in [(0.9, 0.5, "A pump"), (0.5, 0.9, "A valve")] {
        let mut reading = reading(&[(0, "stopped"), (0, "leaked")], &entries, 0.9);
        reading.spans[0].probability = pump;
        reading.spans[1].probability = valve;
        let answer = compose_answer(&input(&plan, &entries), &reading);
        assert!(answer.text.contains(kept), "{}", answer.text);
        assert!(answer.text.contains("is retracted"), "{}", answer.text);
        let chars: usize = texts(&answer).iter().map(|text| text.chars().count()).sum();
        assert!(chars <= QUOTED_CHARS_AT_MOST, "{}", answer.text);
        assert!(!(answer.text.contains("A pump") && answer.text.contains("A valve")));
    }
}

#[test]
fn a_retraction_is_one_of_the_quotes_that_an_answer_may_have() {
    let body = "Pump off. Why? Valve shut. Why? Fan off. Why? The report is retracted.";
    let entries = [entry("LOG-7", "2024-01-02", "Loop", body)];
    let answer = chosen(&[(0, "Pump"), (0, "Valve"), (0, "Fan")], &entries, 0.9);
    let expected = ["Pump off.", "Valve shut.", "The report is retracted."];
    assert_eq!(texts(&answer), expected);
}

#[test]
fn a_later_entry_that_retracts_a_quoted_one_is_shown_with_it() {
    let fire = "A fire was reported in the pump room at 04:10. The brigade was called.";
    let mut entries = vec![
        entry("LOG-7", "2024-01-02", "Fire in the pump room", fire),
        entry("LOG-8", "2024-01-02", "Lunch", "The canteen was closed."),
        entry(
            "LOG-9",
            "2024-01-03",
            "Follow-up",
            "Concerns LOG-7. It was a false alarm: welding set off the detector.",
        ),
    ];
    let answer = |entries: &[Entry]| chosen(&[(0, "fire was reported")], entries, 0.9);
    let shown = answer(&entries);
    assert!(shown.text.contains("false alarm"), "{}", shown.text);
    assert_eq!(shown.citations, ["LOG-7", "LOG-9"]);
    // Of another entry, or from before, it retracts nothing of what is quoted.
    entries[2].raw_text = "Concerns LOG-77. It was a false alarm.".to_owned();
    assert_eq!(answer(&entries).citations, ["LOG-7"]);
    entries[2].raw_text = "Concerns LOG-7. It was a false alarm.".to_owned();
    entries[2].timestamp = "2024-01-01T10:00:00Z".parse().unwrap();
    assert_eq!(answer(&entries).citations, ["LOG-7"]);
}

#[test]
fn dates_are_days_of_the_facilitys_zone() {
    let mut late = pump();
    late.timestamp = "2024-03-15T03:00:00Z".parse().unwrap();
    let entries = [late];
    let reading = reading(&[(0, "a worn coupling")], &entries, 0.9);
    let cause = plan("why did the cooling pump stop?", Intent::Cause);
    let input = AnswerInput {
        timezone: "America/Los_Angeles",
        ..input(&cause, &entries)
    };
    let text = compose_answer(&input, &reading).text;
    assert!(text.starts_with("On 2024-03-14: "), "{text}");
    // A question for a time gets the time of day.
    let when = plan("when did the cooling pump stop?", Intent::When);
    let text = compose_answer(
        &AnswerInput {
            plan: &when,
            ..input
        },
        &reading,
    )
    .text;
    assert!(text.starts_with("On 2024-03-14 20:00: "), "{text}");
}

/// The answer of the search alone, where so many entries match.
fn unasked(plan: &QueryPlan, entries: &[Entry], matches: Option<usize>) -> ComposedAnswer {
    let matches = matches.map(|entries| Matches {
        entries,
        ..Matches::default()
    });
    let input = AnswerInput {
        matches,
        ..input(plan, entries)
    };
    without_reader(&input).unwrap()
}

#[test]
fn a_named_entry_is_quoted_from_its_beginning() {
    let mut pump = pump();
    pump.entry_id = "LOG-7".to_owned();
    let entries = [entry("LOG-1", "2024-01-02", "Other", "Nothing."), pump];
    let answer = unasked(&plan("LOG-7", Intent::Find), &entries, None);
    assert_eq!(answer.citations, ["LOG-7"]);
    assert_eq!(answer.status, AnswerStatus::Grounded);
    assert_eq!(answer.confidence, None);
    let start =
        "On 2024-03-15: Cooling pump 2 stopped The cooling pump of loop 2 stopped at 04:10.";
    assert!(answer.text.starts_with(start), "{}", answer.text);
}

fn trips() -> [Entry; 3] {
    [
        entry("B", "2024-05-02", "Pump 2 tripped again", "Reset."),
        entry("A", "2024-03-02", "Pump 2 tripped", "Reset."),
        entry("C", "2024-06-02", "Vacuum leak", "Flange."),
    ]
}

#[test]
fn a_list_names_the_entries_in_the_order_of_time() {
    let plan = plan("list the trips of pump 2", Intent::List);
    let listed = unasked(&plan, &trips(), Some(2));
    assert_eq!(
        listed.text,
        "2 entries match:\n- On 2024-03-02: Pump 2 tripped [#A]\n- On 2024-05-02: Pump 2 tripped again [#B]"
    );
    let none = unasked(&plan, &trips(), Some(0));
    assert_eq!(none.status, AnswerStatus::Insufficient);
}

#[test]
fn a_number_of_the_newest_is_listed_from_the_newest_on() {
    let plan = plan("the last two trips of pump 2", Intent::Latest).with_entries_wanted(2);
    let listed = unasked(&plan, &trips(), Some(2));
    let lines: Vec<&str> = listed.text.lines().collect();
    assert_eq!(lines[0], "The newest 2 entries that match:");
    assert_eq!(listed.citations, ["B", "A"]);
    assert_eq!(lines.len(), 3, "{}", listed.text);
}

#[test]
fn what_is_excluded_is_said_to_be_not_answered_and_nothing_matches() {
    let plan = plan("how many trips not in 2024", Intent::Count)
        .with_unread(vec!["not in 2024".to_owned()]);
    let answer = unasked(&plan, &trips(), Some(3));
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    let start = "Not answered of the question: `not in 2024`. Closest entries, not an answer:";
    assert!(answer.text.starts_with(start), "{}", answer.text);
}

#[test]
fn a_question_that_names_nothing_is_asked_back() {
    let answer = unasked(&plan("why?", Intent::Cause), &[pump()], None);
    assert_eq!(answer.status, AnswerStatus::Clarify);
    assert_eq!(texts(&answer), ["Cooling pump 2 stopped"]);
}

#[test]
fn nothing_found_is_insufficient() {
    let answer = unasked(&plan("why did the pump stop?", Intent::Cause), &[], None);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert!(answer.quotes.is_empty());
}

#[test]
fn a_question_about_something_is_for_the_reader() {
    let plan = plan("why did the cooling pump stop?", Intent::Cause);
    assert_eq!(without_reader(&input(&plan, &[pump()])), None);
}
