#![allow(clippy::unwrap_used)]

use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::{
    EntityKind, Intent, PlanEntity, PlanSource, PlanTime, Precision, QueryPlan,
};
use gannet_plugin::query::ParsedQuery;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn entry(id: &str, day: &str, title: &str, body: &str) -> Entry {
    let time = format!("{day}T10:00:00Z").parse().unwrap();
    let mut entry = Entry::new(id, "log", time, format!("{title}\n{body}"));
    entry.metadata.insert("title".to_owned(), json!(title));
    entry
}

fn plan(question: &str, intent: Intent) -> QueryPlan {
    QueryPlan::of_terms(question, ParsedQuery::default()).with_intent(intent)
}

fn answer(plan: &QueryPlan, entries: &[Entry]) -> ComposedAnswer {
    counted(plan, entries, None)
}

/// The answer where the search says that so many entries match.
fn counted(plan: &QueryPlan, entries: &[Entry], matches: Option<usize>) -> ComposedAnswer {
    compose_answer(AnswerInput {
        plan,
        entries,
        matches: matches.map(|entries| Matches {
            entries,
            ..Matches::default()
        }),
        style: CitationStyle::EntryId,
        timezone: "UTC",
        grounded_share: GROUNDED_SHARE,
    })
}

fn texts(answer: &ComposedAnswer) -> Vec<&str> {
    answer
        .quotes
        .iter()
        .map(|quote| quote.text.as_str())
        .collect()
}

fn pump() -> Entry {
    entry(
        "P1",
        "2024-03-15",
        "Cooling pump 2 stopped",
        "The cooling pump of loop 2 stopped at 04:10. Shift leader informed. The stop was due to a \
         worn coupling on the motor side. Coupling replaced and pump restarted at 07:30.",
    )
}

#[test]
fn a_cause_is_quoted_with_its_date_and_entry() {
    let answer = answer(
        &plan("why did the cooling pump stop?", Intent::Cause),
        &[pump()],
    );
    assert_eq!(answer.status, AnswerStatus::Grounded, "{answer:?}");
    assert!(answer.text.contains("worn coupling"), "{}", answer.text);
    assert!(
        answer.text.starts_with("On 2024-03-15: ") || answer.text.starts_with("- On 2024-03-15: ")
    );
    assert!(answer.text.ends_with("[#P1]"));
    assert_eq!(answer.citations, ["P1"]);
}

#[test]
fn a_repair_is_quoted_from_a_later_sentence() {
    let answer = answer(
        &plan("what fixed the cooling pump?", Intent::Fix),
        &[pump()],
    );
    assert!(answer.text.contains("Coupling replaced"), "{}", answer.text);
}

#[test]
fn neighbouring_sentences_are_one_quote() {
    let body = "Valve V7 leaked water. Its gasket had aged.";
    let entries = [entry("1", "2024-01-02", "Leak", body)];
    let question = "how many gaskets of valve V7 leaked?";
    let answer = answer(&plan(question, Intent::Count), &entries);
    assert_eq!(texts(&answer), [body]);
}

#[test]
fn an_entry_without_the_thing_that_is_asked_for_is_no_ground() {
    let answer = answer(
        &plan("why did the drone crash into the mast?", Intent::Cause),
        &[pump()],
    );
    assert_eq!(answer.status, AnswerStatus::Partial, "{answer:?}");
    assert!(answer.text.starts_with("Closest entries, not an answer:"));
}

#[test]
fn an_entry_of_another_time_is_no_ground() {
    let mut plan = plan("why did the cooling pump stop in June 2023?", Intent::Cause);
    plan.times = vec![
        PlanTime::new(Precision::Month, PlanSource::Words)
            .with_from("2023-06-01T00:00:00Z".parse().ok())
            .with_to("2023-07-01T00:00:00Z".parse().ok())
            .with_span(34..43),
    ];
    let answer = answer(&plan, &[pump()]);
    assert_eq!(answer.status, AnswerStatus::Partial);
    assert!(answer.reason.contains("time"), "{}", answer.reason);
}

#[test]
fn an_entry_of_another_author_is_no_ground() {
    let mut plan = plan("why did the cooling pump stop for Voss?", Intent::Cause);
    plan.entities = vec![
        PlanEntity::new(EntityKind::Author, "Voss", PlanSource::Words)
            .with_field(FilterField::Author)
            .with_span(34..38)
            .with_entries(3),
    ];
    assert_eq!(answer(&plan, &[pump()]).status, AnswerStatus::Partial);
    let mut by_voss = pump();
    by_voss.author = "Voss".to_owned();
    assert_eq!(answer(&plan, &[by_voss]).status, AnswerStatus::Grounded);
}

#[test]
fn a_number_that_no_quote_has_is_no_ground() {
    let body = "Oil spilt from the hydraulic unit. The floor was cleaned.";
    let entries = [entry("1", "2024-01-02", "Oil spill", body)];
    let how_many = plan(
        "how many litres of oil spilt from the hydraulic unit?",
        Intent::Count,
    );
    assert_eq!(answer(&how_many, &entries).status, AnswerStatus::Partial);
    let body = "About 40 litres of oil spilt from the hydraulic unit. The floor was cleaned.";
    let entries = [entry("1", "2024-01-02", "Oil spill", body)];
    let answer = answer(&how_many, &entries);
    assert_eq!(answer.status, AnswerStatus::Grounded, "{answer:?}");
    assert!(answer.text.contains("40 litres"));
}

#[test]
fn the_number_of_another_thing_is_no_ground() {
    let entry = entry(
        "1",
        "2024-03-14",
        "Window arcs",
        "CAV1 had no window arc in two hours.",
    );
    let entries = [entry];
    let status = |question| answer(&plan(question, Intent::Count), &entries).status;
    assert_eq!(
        status("how many CAV1 window arcs were there?"),
        AnswerStatus::Partial
    );
    assert_eq!(
        status("how many hours had CAV1 no window arc?"),
        AnswerStatus::Grounded
    );
}

#[test]
fn a_denial_of_something_else_is_no_ground() {
    let entry = entry(
        "1",
        "2024-03-14",
        "Visit",
        "No visitors came to the cooling tower.",
    );
    let entries = [entry];
    let status = |question| answer(&plan(question, Intent::YesNo), &entries).status;
    let exploded = status("did the cooling tower fan explode and break its gear box?");
    assert_eq!(exploded, AnswerStatus::Partial);
    assert_eq!(
        status("did visitors come to the cooling tower?"),
        AnswerStatus::Grounded
    );
}

#[test]
fn the_pump_of_another_number_is_no_ground() {
    let entry = entry(
        "1",
        "2024-03-14",
        "Feed pump 3",
        "Feed pump 3 was replaced because of wear.",
    );
    let entries = [entry];
    let status = |question| answer(&plan(question, Intent::Cause), &entries).status;
    assert_eq!(
        status("why was feed pump 4 replaced?"),
        AnswerStatus::Partial
    );
    assert_eq!(
        status("why was feed pump 3 replaced?"),
        AnswerStatus::Grounded
    );
}

#[test]
fn a_retraction_is_shown_with_what_it_takes_back() {
    let body = "A fire was reported in the pump room. The brigade was called. Lunch was late. \
                The report is retracted: a false alarm, welding set off the detector.";
    let entries = [entry("1", "2024-01-02", "Fire in the pump room", body)];
    let answer = answer(
        &plan("was there a fire in the pump room?", Intent::YesNo),
        &entries,
    );
    assert!(answer.text.contains("false alarm"), "{}", answer.text);
}

#[test]
fn an_update_that_retracts_the_report_is_shown_with_its_first_quotes() {
    let retracted = |update: &str| {
        let text = format!(
            "The spray pump was declared inoperable due to low flow. Repairs are under way.\n\
             * * * UPDATE ON 3/4/2024 FROM LEE TO DOE * * *\n{update}"
        );
        let entries = [entry("LOG-7", "2024-01-02", "Spray pump inoperable", &text)];
        answer(
            &plan("why was the spray pump inoperable?", Intent::Cause),
            &entries,
        )
        .text
    };
    let shown = retracted("The plant is retracting this report: the gauge was wrong. It ran well.");
    assert!(shown.contains("due to low flow"), "{shown}");
    assert!(shown.contains("retracting this report"), "{shown}");
    // A thing that moves back takes no report back.
    let shown = retracted("The probe was retracted and cleaned.");
    assert!(!shown.contains("retracted"), "{shown}");
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
    let plan = plan("was there a fire in the pump room?", Intent::YesNo);
    let shown = answer(&plan, &entries);
    assert!(shown.text.contains("false alarm"), "{}", shown.text);
    let cites_it = |entries: &[Entry]| answer(&plan, entries).citations.contains(&"LOG-9".into());
    assert!(cites_it(&entries));
    // Of another entry, or from before, it retracts nothing of what is quoted.
    entries[2].raw_text = "Concerns LOG-77. It was a false alarm.".to_owned();
    assert!(!cites_it(&entries));
    entries[2].raw_text = "Concerns LOG-7. It was a false alarm.".to_owned();
    entries[2].timestamp = "2024-01-01T10:00:00Z".parse().unwrap();
    assert!(!cites_it(&entries));
}

#[test]
fn a_named_entry_is_quoted_from_its_beginning() {
    let entries = [entry("LOG-1", "2024-01-02", "Other", "Nothing."), {
        let mut pump = pump();
        pump.entry_id = "LOG-7".to_owned();
        pump
    }];
    let answer = answer(&plan("LOG-7", Intent::Find), &entries);
    assert_eq!(answer.citations, ["LOG-7"]);
    assert_eq!(answer.status, AnswerStatus::Grounded);
}

#[test]
fn a_list_names_the_entries_in_the_order_of_time() {
    let entries = [
        entry("B", "2024-05-02", "Pump 2 tripped again", "Reset."),
        entry("A", "2024-03-02", "Pump 2 tripped", "Reset."),
        entry("C", "2024-06-02", "Vacuum leak", "Flange."),
    ];
    let plan = plan("list the trips of pump 2", Intent::List);
    let listed = counted(&plan, &entries, Some(2));
    assert_eq!(
        listed.text,
        "2 entries match:\n- On 2024-03-02: Pump 2 tripped [#A]\n- On 2024-05-02: Pump 2 tripped again [#B]"
    );
    let none = counted(&plan, &entries, Some(0));
    assert_eq!(none.status, AnswerStatus::Insufficient);
}

#[test]
fn a_number_of_the_newest_is_listed_from_the_newest_on() {
    let entries = [
        entry("B", "2024-05-02", "Pump 2 tripped again", "Reset."),
        entry("A", "2024-03-02", "Pump 2 tripped", "Reset."),
        entry("C", "2024-01-02", "Pump 2 tripped at night", "Reset."),
    ];
    let plan = plan("the last two trips of pump 2", Intent::Latest).with_entries_wanted(2);
    let listed = counted(&plan, &entries, Some(2));
    let lines: Vec<&str> = listed.text.lines().collect();
    assert_eq!(lines[0], "The newest 2 entries that match:");
    assert_eq!(listed.citations, ["B", "A"]);
    assert_eq!(lines.len(), 3, "{}", listed.text);
}

#[test]
fn a_question_that_names_nothing_is_asked_back() {
    let answer = answer(&plan("why?", Intent::Cause), &[pump()]);
    assert_eq!(answer.status, AnswerStatus::Clarify);
    assert_eq!(texts(&answer), ["Cooling pump 2 stopped"]);
}

#[test]
fn nothing_found_is_insufficient() {
    let answer = answer(&plan("why?", Intent::Cause), &[]);
    assert_eq!(answer.status, AnswerStatus::Insufficient);
    assert!(answer.quotes.is_empty());
}

#[test]
fn dates_are_days_of_the_facilitys_zone() {
    let mut late = pump();
    late.timestamp = "2024-03-15T03:00:00Z".parse().unwrap();
    let plan = plan("why did the cooling pump stop?", Intent::Cause);
    let answer = compose_answer(AnswerInput {
        plan: &plan,
        entries: &[late],
        matches: None,
        style: CitationStyle::EntryId,
        timezone: "America/Los_Angeles",
        grounded_share: GROUNDED_SHARE,
    });
    assert!(answer.text.contains("On 2024-03-14: "), "{}", answer.text);
}

fn letters_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    /// The words of a quote stand in its entry in the same order.
    #[test]
    fn no_quote_holds_text_that_is_not_in_its_entry(
        question in "[a-z ]{0,40}",
        bodies in prop::collection::vec("([A-Za-z0-9]{1,8}[ .,!?\n*-]{1,2}){0,60}", 1..4),
    ) {
        let entries: Vec<Entry> = (0..).zip(&bodies).map(|(number, body)| {
            entry(&format!("E{number}"), "2024-01-02", "Title", body)
        }).collect();
        let plan = plan(&question, Intent::Find);
        let answer = answer(&plan, &entries);
        let chars: usize = answer.quotes.iter().map(|quote| quote.text.chars().count()).sum();
        prop_assert!(answer.quotes.len() <= QUOTES_AT_MOST);
        prop_assert!(chars <= QUOTED_CHARS_AT_MOST + 2 * QUOTES_AT_MOST * 6);
        for quote in &answer.quotes {
            let of = entries.iter().find(|entry| entry.entry_id == quote.entry_id).unwrap();
            let whole = letters_of(&of.raw_text);
            for sentence in sentences(&quote.text) {
                prop_assert!(whole.contains(&letters_of(&sentence)), "{}", quote.text);
            }
        }
    }

    #[test]
    fn any_text_is_answered_without_a_panic(question in ".{0,60}", body in "\\PC{0,200}") {
        let plan = plan(&question, Intent::YesNo);
        let entries = [entry("1", "2024-01-02", "T", &body)];
        let answer = answer(&plan, &entries);
        prop_assert!(!answer.text.is_empty());
    }
}
