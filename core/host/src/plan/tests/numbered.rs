//! Values that are the number of something.

use gannet_api::{Filter, QuerySyntax};

use super::{Lexicon, WordCounts, field, plan, settings};

/// The fields that a text names, with these fields in the store.
fn named(text: &str) -> Vec<String> {
    let fields = [
        field("meta.rx_type", &[("unit 2", 1), ("unit 2 pump", 4)]),
        field("meta.plant_unit", &[("unit 3", 200)]),
    ];
    let lexicon = Lexicon::of(&fields, &WordCounts::default());
    let plan = plan(
        text,
        QuerySyntax::Operators,
        &Filter::none(),
        &settings(),
        &lexicon,
    );
    plan.entities
        .into_iter()
        .map(|entity| entity.value)
        .collect()
}

#[test]
fn the_number_of_a_unit_names_a_value_only_of_a_field_of_units() {
    assert_eq!(named("why did unit 2 trip?"), Vec::<String>::new());
    assert_eq!(named("why did unit 3 trip?"), ["unit 3"]);
    assert_eq!(named("why did the unit 2 pump trip?"), ["unit 2 pump"]);
}
