//! Uses of the module, for its docs and its conformance test.

use gannet_plugin::prelude::{Entry, Example};

/// Every example of the descriptor.
pub(crate) fn examples() -> [Example; 2] {
    let logbook = [
        ("E1", "SR01:BPM3:X and SR02:BPM1:X drift"),
        ("E2", "SR01:BPM3:Y is noisy"),
        ("E3", "Offset of SR01:BPM3:X=0.3mm corrected"),
        ("E4", "SR03:VAC:TEMP rose, SR07:VAC:TEMP did not"),
    ];
    let time = "2024-01-05T08:30:00Z".parse().unwrap_or_default();
    let entries = logbook.map(|(id, text)| Entry::new(id, "shift log", time, text));
    let example = |text, query| Example::new(text, query).with_entries(entries.clone());
    [
        example(
            "finds names by pattern, most different ones first",
            "SR0*:BPM?:X",
        )
        .finds(["E1", "E3"]),
        example("finds names by regular expression", "/^SR0[1-4].*:TEMP$/").finds(["E4"]),
    ]
}
