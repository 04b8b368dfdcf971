//! Values that are found by their names, their parts and what is left of them.

use std::collections::BTreeMap;

use gannet_api::{Filter, QueryPlan, QuerySyntax};

use super::{Lexicon, WordCounts, field, settings};
use crate::config::{NamesOfValue, ValueNames};
use crate::ignored_words::IgnoredWords;
use crate::plan::{add_set, plan};

fn lexicon() -> Lexicon {
    let fields = [
        field(
            "author",
            &[
                ("vermont yankee", 30),
                ("lake works", 9),
                ("fort ridge", 20),
                ("ft ridge", 8),
                ("sector 1", 3),
                ("sector 11", 4),
                ("ps fault", 5),
                ("pss fault", 6),
            ],
        ),
        field(
            "meta.state",
            &[("oh", 60), ("va", 40), ("vt", 30), ("ny", 20), ("pa", 10)],
        ),
        field(
            "meta.class",
            &[("unusual event", 40), ("unu", 6), ("alert", 12)],
        ),
        field(
            "meta.rule",
            &[
                ("fitness for duty", 40),
                ("26.73 fitness for duty", 2),
                ("spent fuel, gtcc defect", 2),
                ("spent fuel, reduced effect", 3),
            ],
        ),
        field("meta.scram", &[("a/r", 20), ("m/r", 15)]),
        field("meta.agency", &[("fws", 20), ("other", 9)]),
        field("meta.resolution", &[("worksforme", 12), ("fixed", 40)]),
        field(
            "meta.kind_of_fire",
            &[("wildland", 90), ("wildland;training", 5), ("training", 7)],
        ),
    ];
    let counts = WordCounts {
        entries: 1000,
        with_word: [
            ("vermont", 30),
            ("yankee", 30),
            ("spent", 110),
            ("fuel", 300),
        ]
        .map(|(word, entries)| (word.to_owned(), entries))
        .into(),
    };
    let name = |name: &str| NamesOfValue::One(name.to_owned());
    let of_scram = [("M/R", name("manual")), ("*", name("reactor trip"))];
    let of_scram = of_scram.map(|(value, name)| (value.to_owned(), name));
    let names: ValueNames = BTreeMap::from([("scram".to_owned(), of_scram.into())]);
    Lexicon::of(&fields, &counts).with_names(&fields, &counts, &names)
}

fn planned(text: &str) -> QueryPlan {
    let lexicon = lexicon();
    let (syntax, filter) = (QuerySyntax::Operators, Filter::none());
    let mut plan = plan(text, syntax, &filter, &settings(), &lexicon);
    add_set(&mut plan, &lexicon, false, &IgnoredWords::default());
    plan
}

fn values(text: &str) -> Vec<String> {
    let entities = planned(text).entities.into_iter();
    entities.map(|entity| entity.value).collect()
}

#[test]
fn a_code_of_a_state_is_found_by_its_name() {
    assert_eq!(values("reports in Ohio"), ["oh"]);
    assert_eq!(values("alerts in New York"), ["alert", "ny"]);
    assert_eq!(values("reports in OH"), ["oh"]);
    // The name of a state before the part of another name that has its word.
    assert_eq!(values("alerts in Vermont"), ["alert", "vt"]);
    assert_eq!(
        values("alerts at Vermont Yankee"),
        ["alert", "vermont yankee"]
    );
}

#[test]
fn a_value_is_found_by_the_names_of_the_configuration() {
    assert_eq!(values("manual reactor trips"), ["m/r"]);
    let set = planned("reactor trips in 2003").set.unwrap();
    assert_eq!(set.filter.clauses.len(), 1);
    assert!(set.is_exact());
}

#[test]
fn what_is_left_of_a_value_is_found_with_it() {
    assert_eq!(values("unusual events"), ["unusual event", "unu"]);
    let duty = ["fitness for duty", "26.73 fitness for duty"];
    assert_eq!(values("fitness for duty reports"), duty);
}

#[test]
fn a_list_is_found_by_its_parts() {
    assert_eq!(values("wildland"), ["wildland", "wildland;training"]);
    assert_eq!(
        values("training reports"),
        ["training", "wildland;training"]
    );
}

#[test]
fn a_part_of_a_list_that_many_other_entries_say_names_no_value() {
    assert!(values("water drained from the spent fuel pool").is_empty());
}

#[test]
fn a_value_that_is_the_initials_of_a_name_is_found_by_the_name() {
    let agency = "reports of the Fish and Wildlife Service in Ohio";
    assert_eq!(values(agency), ["fws", "oh"]);
    // Words that happen to begin so name nothing.
    assert!(values("fish were seen").is_empty());
    assert!(values("fire with smoke").is_empty());
}

#[test]
fn a_value_that_writes_words_as_one_is_found_by_them() {
    assert_eq!(values("bugs closed as works for me"), ["worksforme"]);
}

#[test]
fn a_value_with_an_abbreviated_word_is_found_by_the_whole_name_and_the_other_way_round() {
    assert_eq!(
        values("alerts at Fort Ridge"),
        ["alert", "fort ridge", "ft ridge"]
    );
    assert_eq!(values("Ft Ridge")[..], ["ft ridge", "fort ridge"]);
}

#[test]
fn numbers_and_acronyms_are_no_abbreviations_of_each_other() {
    assert_eq!(values("alerts in Sector 1"), ["alert", "sector 1"]);
    assert_eq!(values("PS fault"), ["ps fault"]);
}
