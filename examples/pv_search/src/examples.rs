//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> Vec<Example> {
    let both = entry(
        "E1",
        "2024-01-05T08:30:00Z",
        "SR01:BPM3:X and SR02:BPM1:X drift",
    );
    let vertical = entry("E2", "2024-01-06T08:30:00Z", "SR01:BPM3:Y is noisy");
    let one = entry(
        "E3",
        "2024-01-07T08:30:00Z",
        "Offset of SR01:BPM3:X=0.3mm corrected",
    );
    let warm = entry(
        "E4",
        "2024-01-08T08:30:00Z",
        "SR03:VAC:TEMP rose, SR07:VAC:TEMP did not",
    );
    let logbook = [both, vertical, one, warm];
    let example =
        |description, query| Example::new(description, query).with_entries(logbook.clone());
    vec![
        example(
            "finds names by pattern, most different ones first",
            "SR0*:BPM?:X",
        )
        .finds(["E1", "E3"]),
        example("finds names by regular expression", "/^SR0[1-4].*:TEMP$/").finds(["E4"]),
        example("takes a word for a whole name", "SR01:BPM3:Y SR07:VAC:TEMP").finds(["E4", "E2"]),
        example("tells capitals from small letters where asked to", "sr01*")
            .with_param("case_sensitive", true)
            .finds(Vec::<String>::new()),
    ]
}

fn entry(id: &str, time: &str, text: &str) -> Entry {
    Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
}
