//! Values that a question names with a word that is misspelt.

use gannet_api::{Filter, QueryPlan, QuerySyntax};

use super::{Lexicon, WordCounts, field, lexicon, plan, planned, settings};
use crate::ignored_words::IgnoredWords;
use crate::plan::{add_misspelt, add_set, misspelt_in};

/// The plan of a text, none of whose words near a value is in any entry.
fn corrected(text: &str) -> QueryPlan {
    let mut plan = planned(text);
    for misspelt in misspelt_in(&plan, &lexicon()) {
        add_misspelt(&mut plan, misspelt);
    }
    plan
}

/// The entities as `words = value`.
fn named(text: &str) -> Vec<String> {
    let plan = corrected(text);
    let entities = plan.entities.iter().map(|entity| {
        let words = entity.span.clone().map_or("", |span| &plan.text[span]);
        format!("{words} = {}", entity.value)
    });
    entities.collect()
}

#[test]
fn a_value_is_named_with_one_of_its_words_misspelt() {
    for (text, expected) in [
        ("trips at Brwns Ferry", "Brwns Ferry = browns ferry"),
        ("trips at Browns Ferrry", "Browns Ferrry = browns ferry"),
        ("what did Lindqvst write?", "Lindqvst = maria lindqvist"),
        ("trip at North Piont in a pump", "North Piont = north point"),
        ("vacuuum leak", "vacuuum = vacuum"),
    ] {
        assert_eq!(named(text), [expected], "{text}");
    }
}

#[test]
fn a_misspelt_value_is_soft_and_noted() {
    let plan = corrected("last trip at Brwns Ferry");
    assert!(plan.entities.iter().all(|entity| !entity.strict));
    let note = "`Brwns Ferry` is read as `browns ferry`: `Brwns` is in no entry";
    assert!(plan.notes.iter().any(|one| one == note), "{:?}", plan.notes);
    assert_eq!(plan.content_terms(), ["trip"]);
}

#[test]
fn a_misspelt_thing_is_looked_for_in_a_set_as_it_is_read() {
    let mut plan = corrected("vacuuum trips in 2024");
    add_set(&mut plan, &lexicon(), true, &IgnoredWords::new(&[]));
    let set = plan.set.unwrap();
    assert_eq!(set.topic, ["trips", "vacuum"]);
    assert!(set.is_assumed);
}

#[test]
fn words_that_are_right_excluded_or_far_from_a_value_are_left_alone() {
    for text in [
        "trips at Browns Ferry",
        "trip at Nroth Piont",
        "owk shift",
        "leak -Brwns",
        "leak NOT Lindqvst",
        "author:lindqvst leak",
        "VACUUUM LEAK AT LINDQVST IN MAY",
    ] {
        let plan = planned(text);
        assert_eq!(misspelt_in(&plan, &lexicon()), [], "{text}");
    }
}

#[test]
fn a_word_near_to_several_values_names_none() {
    let fields = [field("meta.plant", &[("milton", 8), ("mileon", 40)])];
    let lexicon = Lexicon::of(&fields, &WordCounts::default());
    let syntax = QuerySyntax::Operators;
    let plan = plan(
        "leak at Milon",
        syntax,
        &Filter::none(),
        &settings(),
        &lexicon,
    );
    assert_eq!(misspelt_in(&plan, &lexicon), []);
}
