//! Uses of the pipeline, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let logbook = [
        entry("E3", "2024-03-20T14:00:00Z", "CAV1 back in operation."),
        entry(
            "E1",
            "2024-01-05T08:30:00Z",
            "CAV1 tripped on reflected power.",
        ),
        entry("E2", "2024-01-06T10:00:00Z", "CAV2 tuner moved."),
        entry(
            "E4",
            "2024-01-06T09:15:00Z",
            "Window of SR03C:RF:CAV1 found cracked.",
        ),
    ];
    let example =
        |description, query| Example::new(description, query).with_entries(logbook.clone());
    vec![
        example(
            "tells what happened to a device, in order",
            "what happened to CAV1?",
        )
        .finds(["E1", "E4", "E3"]),
        example(
            "tells nothing of a device that is in no entry",
            "what happened to CAV9?",
        )
        .finds(Vec::<String>::new()),
    ]
}

fn entry(id: &str, time: &str, text: &str) -> Entry {
    Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
}
