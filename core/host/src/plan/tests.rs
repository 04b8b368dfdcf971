#![allow(clippy::unwrap_used, clippy::panic)]

mod exclusions;
mod misspelt;
mod months;
mod numbered;
mod plurals;
mod set_excluded;
mod set_measures;
mod set_nouns;
mod set_unread;
mod set_values;
mod sets;
mod value_forms;
mod wanted;

use gannet_api::{EntityKind, Filter, FilterField, Intent, QueryPlan, QuerySyntax};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::{KnownField, Lexicon, PlanSettings, WordCounts, plan};
use crate::config::DateOrder;

fn settings() -> PlanSettings {
    PlanSettings {
        now: "2026-05-20T15:30:00Z".parse().unwrap(),
        timezone: TimeZone::get("Europe/Berlin").unwrap(),
        date_order: DateOrder::Mdy,
        max_chars: 1000,
    }
}

fn field(name: &str, values: &[(&str, u64)]) -> KnownField {
    let values = values.iter();
    KnownField {
        field: FilterField::from_name(name),
        values: values
            .map(|(value, count)| ((*value).to_owned(), *count))
            .collect(),
    }
}

/// Persons, plants, and a field of ordinary words.
fn lexicon() -> Lexicon {
    let fields = [
        field(
            "author",
            &[
                ("voss, a.", 12),
                ("maria lindqvist", 9),
                ("browns ferry", 400),
                ("harbour generating station", 300),
                ("north point", 150),
                ("south point", 150),
                ("hatch", 30),
            ],
        ),
        field("shift", &[("owl", 500), ("day", 800)]),
        field(
            "meta.system",
            &[("rf", 90), ("vacuum", 110), ("may", 3), ("fixed", 8)],
        ),
        field("meta.status", &[("the", 40), ("1", 3), ("42", 2)]),
    ];
    let counts = [
        ("voss", 13),
        ("lindqvist", 9),
        ("maria", 9),
        ("browns", 401),
        ("ferry", 420),
    ];
    let others = [
        ("harbour", 310),
        ("generating", 700),
        ("station", 900),
        ("north", 600),
        ("south", 500),
        ("point", 800),
        ("hatch", 90),
        ("vacuum", 200),
        ("owl", 510),
    ];
    let with_word = counts.into_iter().chain(others);
    let counts = WordCounts {
        entries: 10_000,
        with_word: with_word
            .map(|(word, count)| (word.to_owned(), count))
            .collect(),
    };
    Lexicon::of(&fields, &counts)
}

fn planned(text: &str) -> QueryPlan {
    planned_with(text, &Filter::none())
}

fn planned_with(text: &str, filter: &Filter) -> QueryPlan {
    plan(
        text,
        QuerySyntax::Operators,
        filter,
        &settings(),
        &lexicon(),
    )
}

/// The entities as `words = field value`.
fn entities(text: &str) -> Vec<String> {
    let plan = planned(text);
    let entities = plan.entities.iter().map(|entity| {
        let words = entity.span.clone().map_or("", |span| &plan.text[span]);
        let field = entity.field.as_ref().map(FilterField::query_name);
        let field = field.unwrap_or_else(|| format!("{:?}", entity.kind).to_lowercase());
        format!("{words} = {field} {}", entity.value)
    });
    entities.collect()
}

#[test]
fn authors_are_found_by_their_name_or_its_distinctive_part() {
    for (text, expected) in [
        ("what did Voss write?", "Voss = author voss, a."),
        ("entries of A. Voss", "Voss = author voss, a."),
        ("Voss's entries", "Voss's = author voss, a."),
        (
            "lindqvist on the leak",
            "lindqvist = author maria lindqvist",
        ),
        (
            "Maria Lindqvist",
            "Maria Lindqvist = author maria lindqvist",
        ),
        (
            "trips at browns ferry",
            "browns ferry = author browns ferry",
        ),
        (
            "trips at Browns Ferry 2",
            "Browns Ferry = author browns ferry",
        ),
        (
            "leak at Harbour in 2019",
            "Harbour = author harbour generating station",
        ),
        (
            "Harbour Generating",
            "Harbour Generating = author harbour generating station",
        ),
        ("trip at North Point", "North Point = author north point"),
    ] {
        assert_eq!(entities(text), [expected], "{text}");
    }
}

#[test]
fn ordinary_words_name_nothing() {
    for text in [
        "at this point the generating station tripped",
        "how was it fixed in May?",
        "may the pump run?",
        "42 and 1",
        "what is the status",
        "every day",
        "rf trip",
    ] {
        assert_eq!(entities(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn values_of_fields_are_found_whole() {
    assert_eq!(entities("RF trip"), ["RF = meta.system rf"]);
    assert_eq!(entities("owl shift leak"), ["owl = shift owl"]);
    let plan = planned("vacuum leak of Voss");
    assert_eq!(plan.entities[0].kind, EntityKind::System);
    assert_eq!(plan.entities[0].entries, Some(110));
    assert_eq!(plan.residual(), "leak of");
    assert_eq!(
        plan.notes,
        [
            "`vacuum` is a value of `system` (110 entries)",
            "`Voss` names the author `voss, a.` (12 entries)"
        ]
    );
}

#[test]
fn devices_are_found_by_the_form_of_their_names() {
    assert_eq!(
        entities("did SR01C:BPM1 or TP-3 trip CAV1?"),
        [
            "SR01C:BPM1 = pv SR01C:BPM1",
            "TP-3 = device TP-3",
            "CAV1 = device CAV1"
        ]
    );
}

#[test]
fn the_words_of_a_time_ask_for_nothing() {
    let plan = planned("leaks last week");
    assert_eq!((plan.intent, plan.times.len()), (Intent::Find, 1));
    let plan = planned("last leak last week");
    assert_eq!(plan.intent, Intent::Latest);
    assert_eq!(plan.intent_words, ["last"]);
    assert_eq!(plan.content_terms(), ["leak"]);
}

#[test]
fn what_is_left_of_a_question_is_what_is_asked_about() {
    let plan = planned("Why did the pump trip at Browns Ferry in March 2025?");
    assert_eq!(plan.intent, Intent::Cause);
    assert_eq!(plan.content_terms(), ["pump", "trip"]);
    assert_eq!(
        plan.terms,
        ["pump", "trip", "Browns", "Ferry", "March", "2025"]
    );
    assert_eq!(plan.language.as_deref(), Some("en"));
}

#[test]
fn a_text_in_no_known_language_has_its_dates_and_names_read() {
    let plan = planned("2025-11-26 真空ポンプ CAV1");
    assert_eq!(plan.language, None);
    assert_eq!((plan.times.len(), plan.entities.len()), (1, 1));
}

#[test]
fn a_time_without_a_year_is_the_latest_of_which_there_are_entries() {
    let newest = "2025-12-19T10:00:00Z".parse().ok();
    let lexicon = lexicon().with_newest(newest);
    let from = |text: &str| {
        let plan = plan(
            text,
            QuerySyntax::Operators,
            &Filter::none(),
            &settings(),
            &lexicon,
        );
        let from = plan.times.first().and_then(|time| time.from);
        from.unwrap_or_else(|| panic!("{plan:?}")).to_string()
    };
    assert_eq!(
        from("why did the wiggler quench in June?"),
        "2025-05-31T22:00:00Z"
    );
    assert_eq!(from("what tripped last month?"), "2026-03-31T22:00:00Z");
    assert_eq!(from("trips in June 2019"), "2019-05-31T22:00:00Z");
}

#[test]
fn what_a_pasted_text_names_is_not_asked_for() {
    let plan = planned("PUMP TRIP AT BROWNS FERRY IN MARCH 2019");
    assert!(
        plan.times.is_empty() && plan.entities.is_empty(),
        "{plan:?}"
    );
    assert_eq!(plan.intent, Intent::Find);
    let asked = planned("WHEN DID BROWNS FERRY LAST TRIP IN MARCH 2019?");
    assert_eq!((asked.times.len(), asked.entities.len()), (1, 1));
    let lines = planned("Pump tripped at Browns Ferry.\nRestarted in March 2019. author:voss");
    assert!(lines.soft_times().next().is_none() && lines.soft_entities().next().is_none());
}

#[test]
fn a_long_text_is_cut() {
    let plan = planned(&format!("{} 2025-11-26", "leak ".repeat(20_000)));
    assert_eq!(plan.text.chars().count(), 1000);
    assert!(plan.times.is_empty());
}

/// Words that rules look at, and what stands between them.
fn pieces() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "since",
        "before",
        "between",
        "and",
        "from",
        "to",
        "the",
        "in",
        "of",
        "last",
        "this",
        "week",
        "night",
        "ago",
        "two",
        "May",
        "march",
        "2019",
        "26",
        "26th",
        "11/26",
        "2025-11-26",
        "9999-12-31",
        "6-Mar-2025",
        "30-Feb-2025",
        "20250306",
        "30 Feb",
        "Feb 30",
        "5-7",
        "5 and 7",
        "1900",
        "early",
        "end of",
        "spring",
        "Q1",
        "monday",
        "first",
        "day",
        "99",
        "1000",
        "years",
        "hours",
        "shift",
        "Voss",
        "Browns Ferry",
        "vacuum",
        "SR01C:BPM1",
        "date:2024",
        "author:\"x",
        "\"",
        "why",
        "how many",
        "seit",
        "depuis",
        "été",
        "vor",
        "真空",
        "İ",
        "ß",
        "\u{301}",
        "–",
        "…",
        "\n",
        ":",
        "/",
    ]);
    let anything = "\\PC{0,6}";
    let piece = prop_oneof![9 => word.prop_map(str::to_owned), 1 => anything];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn any_text_has_a_sound_plan(text in prop_oneof![pieces(), any::<String>()]) {
        let plan = planned(&text);
        let spans = plan.times.iter().filter_map(|time| time.span.clone());
        let spans = spans.chain(plan.entities.iter().filter_map(|entity| entity.span.clone()));
        for span in spans {
            prop_assert!(span.start < span.end);
            prop_assert!(plan.text.get(span).is_some());
        }
        for time in &plan.times {
            let bounds = (time.from, time.to);
            prop_assert!(time.strict || bounds != (None, None));
            if let (Some(from), Some(to)) = bounds {
                prop_assert!(time.strict || from < to, "{from} {to}");
            }
        }
        prop_assert!(plan.residual().len() <= plan.text.len());
        let json = serde_json::to_string(&plan).unwrap();
        prop_assert_eq!(serde_json::from_str::<QueryPlan>(&json).unwrap(), plan);
    }

    #[test]
    fn the_same_text_has_the_same_plan(text in pieces()) {
        prop_assert_eq!(planned(&text), planned(&text));
    }
}
