//! Uses of the pipeline, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let logbook = [
        entry(
            "E1",
            "2024-01-05T08:30:00Z",
            "CAV1 tripped on reflected power.",
        ),
        entry(
            "E2",
            "2024-01-05T11:00:00Z",
            "The trips of CAV1 were caused by a worn circulator, which was replaced.",
        ),
        entry(
            "E3",
            "2024-01-06T10:00:00Z",
            "Leak at the SR07 flange, tightened.",
        ),
    ];
    let example =
        |description, query| Example::new(description, query).with_entries(logbook.clone());
    vec![
        example(
            "answers with the sentence that tells it, and cites its entry",
            "why was the circulator replaced?",
        )
        .finds(["E2"]),
        example(
            "leaves out what the question excludes",
            "CAV1 NOT circulator",
        )
        .finds(["E1"]),
        example(
            "cites nothing where no entry tells of it",
            "when was the cryoplant warmed up?",
        )
        .finds(Vec::<String>::new()),
    ]
}

fn entry(id: &str, time: &str, text: &str) -> Entry {
    Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
}
