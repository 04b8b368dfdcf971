//! What a question about a set counts.

use gannet_api::{Condition, Filter, QueryPlan, QuerySyntax};

use super::sets::set;
use super::{Lexicon, WordCounts, field, settings};
use crate::ignored_words::IgnoredWords;
use crate::plan::{add_set, plan};

/// A plan over entries whose type is a word by which questions are read.
fn planned(text: &str) -> QueryPlan {
    let fields = [
        field("meta.type", &[("repair", 20), ("change", 10)]),
        field("meta.area", &[("cooling", 40), ("laser", 30)]),
    ];
    let counts = WordCounts {
        entries: 1000,
        ..WordCounts::default()
    };
    let lexicon = Lexicon::of(&fields, &counts);
    let (syntax, filter) = (QuerySyntax::Operators, Filter::none());
    let mut plan = plan(text, syntax, &filter, &settings(), &lexicon);
    add_set(&mut plan, &lexicon, false, &IgnoredWords::new(&[]));
    plan
}

#[test]
fn a_category_is_counted_whose_word_is_one_of_questions() {
    for text in [
        "how many repairs in 2024",
        "how many cooling repairs were there",
        "last repair",
        "last repair in the cooling area",
        "list all changes in 2024",
    ] {
        let set = planned(text).set.unwrap();
        let is_type = |value: &str| {
            let equals = Condition::Equals(value.to_owned());
            set.filter.clauses.iter().any(|one| one.condition == equals)
        };
        assert!(is_type("repair") || is_type("change"), "{text}: {set:?}");
        assert!(set.is_exact() && !set.is_assumed, "{text}: {set:?}");
    }
    for text in ["how many repair kits are there", "how was it repaired?"] {
        let set = planned(text).set;
        let is_exact = set.is_some_and(|set| set.is_exact());
        assert!(!is_exact, "{text}");
    }
}

#[test]
fn values_may_stand_between_what_asks_and_what_is_counted() {
    let set = set("how many Surry leaks were there in May 2003");
    assert_eq!(set.topic, ["leaks"]);
    assert_eq!(set.filter.clauses.len(), 1);
}

#[test]
fn a_value_may_stand_among_the_words_of_what_is_counted() {
    for text in [
        "how many relay vacuum trips were there?",
        "count of relay vacuum trips between 2003 and 2006",
        "which relay vacuum trips were there in 2003",
    ] {
        assert_eq!(set(text).topic[..2], ["relay", "trips"], "{text}");
    }
    assert_eq!(set("how many relay vacuum trips").filter.clauses.len(), 1);
}
