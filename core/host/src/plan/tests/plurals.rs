//! Values that a question names in the other number.

use gannet_api::{Filter, QueryPlan, QuerySyntax};

use super::{Lexicon, WordCounts, field, plan, settings};

/// Classes of events, categories, a tag, a plant, and an operator.
fn lexicon() -> Lexicon {
    let fields = [
        field(
            "meta.event_class",
            &[
                ("alert", 69),
                ("unusual event", 455),
                ("site area emergency", 1),
                ("gas", 3),
                ("bass", 2),
                ("last", 2),
                ("start", 2),
                ("störung", 7),
            ],
        ),
        field("meta.category", &[("valves", 40), ("pump", 8_000)]),
        field("meta.tags", &[("trip", 40)]),
        field("meta.plant", &[("hatch", 30)]),
        field("author", &[("hatch", 30), ("ann voss", 12)]),
    ];
    let with_word = [("pump", 8_000), ("voss", 13), ("ann", 12)];
    let counts = WordCounts {
        entries: 10_000,
        with_word: with_word
            .map(|(word, count)| (word.to_owned(), count))
            .into(),
    };
    Lexicon::of(&fields, &counts)
}

fn planned(text: &str) -> QueryPlan {
    let syntax = QuerySyntax::Operators;
    plan(text, syntax, &Filter::none(), &settings(), &lexicon())
}

/// The values that a text names.
fn named(text: &str) -> Vec<String> {
    let entities = planned(text).entities.into_iter();
    entities.map(|entity| entity.value).collect()
}

#[test]
fn a_value_is_named_by_its_plural_or_its_singular() {
    for (text, expected) in [
        ("list all site area emergencies", "site area emergency"),
        ("how many unusual events in 2011", "unusual event"),
        ("unusual-events of May 2011", "unusual event"),
        ("how many alerts in 2005?", "alert"),
        ("the alert in 2005", "alert"),
        ("which valve was replaced?", "valves"),
        ("wie viele Alerts gab es im Mai 2011?", "alert"),
        ("wie viele Störungen gab es?", "störung"),
        ("combien de alerts en 2011 ?", "alert"),
        ("two basses", "bass"),
    ] {
        assert_eq!(named(text), [expected], "{text}");
    }
}

#[test]
fn words_that_are_no_other_number_of_a_value_name_nothing() {
    for text in [
        // Names of persons and places have no plural.
        "the hatches were left open",
        "reports of vosses",
        // Tags are things, which entries name.
        "what caused the trips?",
        // The word before the last does not change.
        "the sites area emergency",
        // Too common, a word of questions, and no plurals.
        "which pumps ran?",
        "how long the leak lasts",
        "ga turbine",
        "wann wurde das Starten verboten?",
    ] {
        assert_eq!(named(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn the_value_as_it_is_written_comes_first_and_the_note_names_it() {
    let fields = [field("meta.category", &[("pump", 8), ("pumps", 40)])];
    let lexicon = Lexicon::of(&fields, &WordCounts::default());
    let syntax = QuerySyntax::Operators;
    let plan = plan("pumps", syntax, &Filter::none(), &settings(), &lexicon);
    assert_eq!(plan.entities.len(), 1);
    assert_eq!(plan.entities[0].value, "pumps");

    let plan = planned("how many unusual events in 2011");
    let note = "`unusual events` names the event_class `unusual event` (455 entries)";
    assert!(plan.notes.iter().any(|one| one == note), "{:?}", plan.notes);
    assert!(plan.entities[0].field.is_some() && !plan.entities[0].strict);
    assert_eq!(plan.content_terms(), Vec::<String>::new());
}
