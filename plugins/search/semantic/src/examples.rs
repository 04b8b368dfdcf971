//! Uses of the module, for its docs and its conformance test. The nearness of
//! their texts shows in shared words already, so that they hold with any
//! embedder, that of the test kit included.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let logbook = [
        entry("E1", "Lee", "The cavity tripped on reflected power"),
        entry(
            "E2",
            "Chen",
            "The cavity tripped again on high reflected power at night",
        ),
        entry("E3", "Lee", "Badge office closed until Monday"),
    ];
    let example =
        |description, query| Example::new(description, query).with_entries(logbook.clone());
    vec![
        example(
            "finds what comes near to the question, the nearest first",
            "the cavity tripped on reflected power",
        )
        .finds(["E1", "E2"]),
        example(
            "leaves out what is less similar than a call allows",
            "the cavity tripped on reflected power",
        )
        .with_param("similarity_threshold", 0.95)
        .finds(["E1"]),
        example(
            "takes a field in the question for a filter",
            "the cavity tripped on reflected power author:chen",
        )
        .finds(["E2"]),
    ]
}

fn entry(id: &str, author: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let mut entry = Entry::new(id, "shift log", time, text);
    entry.author = author.to_owned();
    entry
}
