//! Uses of the adapter, for its docs and its conformance test. A repository is
//! a folder, which an example cannot hold; a file with the output of `git log`
//! can stand in its place.

use gannet_plugin::prelude::Example;

const FIRST: &str = "2a06ebb2ce3f678f9b266c87062eb582a0b33be1";
const SECOND: &str = "98bd4477a307b6d24bc16df7870cd8ce2bd44eda";
const EMPTY: &str = "a5e3892a74f00201ac14bed0819ce7d4f5134fa5";

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let first = commit(
        FIRST,
        "1704443400",
        "Raise the trip level\n\nIt was below the noise.\n",
    );
    let second = commit(SECOND, "1704447000", "Log the reset\n");
    let empty = commit(EMPTY, "1704447001", "");
    let log = format!("{first}\nM\0trip.db\0\nA\0doc/trip.md\0{second}{empty}");
    vec![
        Example::new(
            "reads commits with their files, and rejects one without a message",
            &log,
        )
        .finds([FIRST, SECOND]),
    ]
}

fn commit(hash: &str, time: &str, message: &str) -> String {
    format!("\0{hash}\0Lee\0{time}\0tag: refs/tags/v1\0HEAD\0{message}\0")
}
