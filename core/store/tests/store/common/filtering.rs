//! Entries with every kind of value, and filters of every kind over them.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::{Condition, Entry, Filter, FilterField, NumberRange, TimeRange};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::entry;

const NAMES: [&str; 7] = ["", "Anna Berg", "anna", "BERG, A.", "Ölaf", "ölaf", "10"];

/// Entries with every kind of value, in several segments and two tenants.
pub fn entries() -> Vec<Entry> {
    (0..120)
        .map(|index| {
            let mut entry = entry(index, ["beam lost", "beam back", "pump"][index % 3]);
            entry.entry_id = format!("{}{index}", if index % 2 == 0 { "Run-" } else { "run-" });
            entry.author = NAMES[index % NAMES.len()].to_owned();
            entry.kind = ["logbook", "Document", "logbook"][index % 3].to_owned();
            entry.source_system = NAMES[(index / 2) % NAMES.len()].to_owned();
            entry.tenant = if index % 5 == 4 { "other" } else { "default" }.to_owned();
            let values = metadata_values();
            let key = ["logbook", "books", "tags", "tag", "energy", "logbook_name"][index % 6];
            entry
                .metadata
                .insert(key.to_owned(), values[index % values.len()].clone());
            entry.metadata.insert(
                "shift".to_owned(),
                values[(index / 7) % values.len()].clone(),
            );
            entry
        })
        .collect()
}

fn metadata_values() -> Vec<Value> {
    vec![
        json!("Operations"),
        json!("operations"),
        json!(["RF", "Vacuum", 3]),
        json!([]),
        json!(null),
        json!(1.5),
        json!(3),
        json!("3"),
        json!(true),
        json!({"inner": "RF"}),
        json!([["RF"], null]),
        json!("2024-01-02T00:00:00Z"),
        json!("day\u{0}shift"),
        json!(["İstanbul", "ΟΔΟΣ", "Straße 100%_\\"]),
        json!(["NaN", "-inf", 1e300]),
        json!(" 7e0 "),
        json!(-0.0),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "a",
        "anna",
        "ANNA BERG",
        "berg",
        "Ölaf",
        "ÖLAF",
        "operations",
        "OPER",
        "rf",
        "3",
        "1.5",
        "true",
        "logbook",
        "document",
        "Run-0",
        "run-0",
        "run-1",
        "RUN-",
        "nobody",
        "2024",
        "10",
        "i̇stanbul",
        "İ",
        "οδος",
        "ΟΔΟΣ",
        "strasse",
        "%_\\",
        "shift",
        "y\u{0}s",
        "{rf,\"vacuum\"}",
        "NaN",
        "1e300",
        "-0.0",
        "7",
    ])
    .prop_map(str::to_owned)
}

fn instants() -> impl Strategy<Value = Option<Timestamp>> {
    prop::option::of(
        (
            0i64..130 * 3600,
            prop::sample::select(vec![0i32, 1, 500, 1_000]),
        )
            .prop_map(|(second, nanos)| {
                Timestamp::new(1_704_067_200 + second / 1800 * 1800, nanos).unwrap()
            }),
    )
}

fn bounds() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop::sample::select(vec![
        0.0,
        1.5,
        3.0,
        7.0,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ]))
}

fn conditions() -> impl Strategy<Value = Condition> {
    prop_oneof![
        3 => texts().prop_map(Condition::Equals),
        2 => prop::collection::vec(texts(), 0..4).prop_map(Condition::AnyOf),
        3 => texts().prop_map(Condition::Contains),
        1 => (bounds(), bounds(), bounds(), bounds()).prop_map(|(at_least, above, at_most, below)| {
            Condition::Number(NumberRange { at_least, above, at_most, below })
        }),
        2 => (instants(), instants())
            .prop_map(|(from, until)| Condition::Time(TimeRange { from, until })),
    ]
}

fn fields() -> impl Strategy<Value = FilterField> {
    let keys = vec![
        "logbook", "tags", "tag", "books", "energy", "shift", "missing",
    ];
    prop_oneof![
        1 => Just(FilterField::EntryId),
        1 => Just(FilterField::Author),
        1 => Just(FilterField::SourceSystem),
        1 => Just(FilterField::Kind),
        2 => Just(FilterField::Timestamp),
        4 => prop::sample::select(keys).prop_map(|key| FilterField::Metadata(key.to_owned())),
    ]
}

pub fn filters() -> impl Strategy<Value = Filter> {
    prop::collection::vec((fields(), conditions()), 1..3).prop_map(|clauses| {
        clauses
            .into_iter()
            .fold(Filter::none(), |filter, (field, condition)| {
                filter.and(field, condition)
            })
    })
}
