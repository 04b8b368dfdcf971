//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let logbook = [
        entry(
            "E1",
            "Lee",
            "CAV1 tripped. Reset, and CAV1 tripped once more.",
        ),
        entry("E2", "Chen", "CAV1 tripped after a vacuum burst."),
        entry("E3", "Lee", "The flow switch of CAV2 was replaced."),
        entry("E4", "Lee", "The switch sticks when the flow is low."),
    ];
    let example =
        |description, query| Example::new(description, query).with_entries(logbook.clone());
    vec![
        example(
            "finds the entries that have every word, those that tell most of it first",
            "cav1 tripped",
        )
        .finds(["E1", "E2"]),
        example("keeps the words of a phrase together", "\"flow switch\"").finds(["E3"]),
        example(
            "takes operators, beginnings of words and fields",
            "(trip* OR burst) NOT vacuum author:lee",
        )
        .finds(["E1"]),
    ]
}

fn entry(id: &str, author: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let mut entry = Entry::new(id, "shift log", time, text);
    entry.author = author.to_owned();
    entry
}
