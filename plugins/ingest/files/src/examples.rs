//! Uses of the adapter, for its docs and its conformance test. Their source is
//! one file, which is called `source` in the test.

use gannet_plugin::prelude::Example;

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    vec![
        Example::new(
            "reads a document with its title, time and tags",
            "---\ntitle: Start of the klystron\ndate: 2024-01-05T08:30:00Z\ntags: [rf]\n---\n\
             Warm up for ten minutes.\n",
        )
        .finds(["source"]),
        Example::new(
            "rejects a document with a bad time",
            "---\ndate: this morning\n---\nWarm up for ten minutes.\n",
        ),
    ]
}
