//! Uses of the pipeline, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let entries = [
        entry("E1", "logbook", "CAV1 tripped on reflected power at 06:45."),
        entry(
            "E2",
            "logbook",
            "The trips of CAV1 were caused by a worn circulator, which was replaced.",
        ),
        entry(
            "P7",
            "document",
            "Procedure: how to exchange the circulator of a cavity. Lock out the klystron first.",
        ),
    ];
    let example =
        |description, query| Example::new(description, query).with_entries(entries.clone());
    vec![
        example(
            "answers from whichever domain tells it",
            "what caused the trips of CAV1?",
        )
        .finds(["E2"]),
        example(
            "puts documents first where it is asked how something is done",
            "how do I exchange a circulator?",
        )
        .finds(["P7"]),
        example(
            "cites nothing where no entry tells of it",
            "when was the cryoplant warmed up?",
        )
        .finds(Vec::<String>::new()),
    ]
}

fn entry(id: &str, kind: &str, text: &str) -> Entry {
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let mut entry = Entry::new(id, "shift log", time, text);
    entry.kind = kind.to_owned();
    entry
}
