//! Words are found in the ways in which people write them: the same over every
//! kind of store.
use crate::common::{search, sorted_ids, write_texts};
use gannet_store::{Store, TextFound};

over_every_store![
    a_number_with_its_unit_is_found_with_and_without_a_blank,
    a_number_with_joined_units_is_found_with_and_without_a_blank,
    a_word_with_a_hyphen_is_found_without_it_and_the_other_way_round,
    a_version_is_found_with_and_without_its_letter,
    a_code_is_found_with_and_without_its_hyphen,
    a_millionth_is_found_by_each_of_its_signs,
    umlauts_and_the_letters_for_them_are_found_by_each_other,
    german_compounds_are_found_by_the_word_that_they_end_with,
    both_writings_of_an_umlaut_are_found_where_entries_are_german,
    other_languages_have_no_compounds,
    a_code_is_found_by_its_beginning_with_a_note,
    what_is_excluded_is_excluded_as_it_is_written,
];

fn notes(found: &TextFound) -> String {
    let notes = found.diagnostics.iter().map(|note| note.message.as_str());
    notes.collect::<Vec<_>>().join("\n")
}

/// The words of a text that an answer marks.
fn marked<'t>(found: &TextFound, text: &'t str) -> Vec<&'t str> {
    let pieces = found.highlighter.highlight(text);
    let ranges = pieces.iter().flat_map(|piece| &piece.ranges);
    ranges.map(|&(start, end)| &text[start..end]).collect()
}

async fn a_number_with_its_unit_is_found_with_and_without_a_blank(store: Store) {
    write_texts(
        &store,
        &[
            "Set to 3.5kV again",
            "Set to 3.5 kV again",
            "Pressure 10mbar",
            "pressure 10 mbar",
            "3.5 of them, and a kV later",
        ],
    )
    .await;
    for (query, expected) in [
        ("3.5kV", &["e0", "e1"][..]),
        ("3.5 kV AND again", &["e1"]),
        ("10mbar", &["e2", "e3"]),
        ("\"10 mbar\"", &["e3"]),
    ] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), expected, "{query}");
        assert_eq!(notes(&found), "", "{query}");
    }
    let found = search(&store, "set 3.5 kV").await;
    let complete = found
        .hits
        .iter()
        .filter(|hit| hit.matched == Default::default());
    let complete: Vec<&str> = complete.map(|hit| hit.entry_id.as_str()).collect();
    assert_eq!(complete.len(), 2, "{complete:?}");
    assert!(complete.contains(&"e0") && complete.contains(&"e1"));
    let found = search(&store, "10 mbar").await;
    assert_eq!(sorted_ids(&found), ["e2", "e3"]);
}

async fn a_number_with_joined_units_is_found_with_and_without_a_blank(store: Store) {
    write_texts(
        &store,
        &[
            "Flow 10l/min again",
            "Flow 10 l/min again",
            "Dose rate 2 uSv/h",
            "Dose rate 2\u{b5}Sv/h",
            "10 of them, and l/min later",
        ],
    )
    .await;
    for (query, expected) in [
        ("10l/min", &["e0", "e1"][..]),
        ("10 l/min AND again", &["e1"]),
        ("\"10 l/min\"", &["e1"]),
        ("2uSv/h", &["e2", "e3"]),
    ] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), expected, "{query}");
        assert_eq!(notes(&found), "", "{query}");
    }
    let found = search(&store, "flow 10 l/min").await;
    let complete = found
        .hits
        .iter()
        .filter(|hit| hit.matched == Default::default());
    let complete: Vec<&str> = complete.map(|hit| hit.entry_id.as_str()).collect();
    assert_eq!(complete.len(), 2, "{complete:?}");
    assert!(complete.contains(&"e0") && complete.contains(&"e1"));
}

async fn a_word_with_a_hyphen_is_found_without_it_and_the_other_way_round(store: Store) {
    write_texts(
        &store,
        &[
            "The cryomodule is cold",
            "The cryo-module is warm",
            "A module for cryo work",
        ],
    )
    .await;
    for query in ["cryomodule", "Cryo-module", "cryomodules AND the"] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), ["e0", "e1"], "{query}");
        assert_eq!(notes(&found), "", "{query}");
    }
    assert_eq!(
        sorted_ids(&search(&store, "cryomodule warm").await)[..2],
        ["e0", "e1"]
    );
    let warm = search(&store, "cryomodule AND warm").await;
    assert_eq!(sorted_ids(&warm), ["e1"]);
}

async fn a_version_is_found_with_and_without_its_letter(store: Store) {
    write_texts(
        &store,
        &[
            "Now v2.3.1-rc4 runs",
            "Release 2.3.1 is out",
            "Version 2.31",
            "Now 2.3.1-rc4 runs",
        ],
    )
    .await;
    for (query, expected) in [
        ("2.3.1", &["e0", "e1", "e3"][..]),
        ("v2.3.1", &["e0", "e1", "e3"]),
        ("2.3.1-rc4", &["e0", "e3"]),
        ("v2.3.1-rc4", &["e0", "e3"]),
    ] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), expected, "{query}");
        assert_eq!(marked(&found, "v2.3.1 runs"), ["v2", "3", "1"], "{query}");
    }
}

async fn a_code_is_found_with_and_without_its_hyphen(store: Store) {
    write_texts(
        &store,
        &["Valve CV102 sticks", "Valve CV-102 sticks", "CV 103"],
    )
    .await;
    for query in ["CV102", "CV-102", "cv102 AND valve"] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), ["e0", "e1"], "{query}");
    }
}

async fn a_millionth_is_found_by_each_of_its_signs(store: Store) {
    write_texts(
        &store,
        &[
            "drawn 5 \u{b5}A",
            "drawn 5 \u{3bc}A",
            "drawn 5 uA",
            "drawn 5uA",
            "drawn 5\u{b5}A",
            "drawn 5 mA",
            "drawn 5\u{3bc}A",
        ],
    )
    .await;
    for sign in ["u", "\u{b5}", "\u{3bc}"] {
        for query in [
            format!("5{sign}A"),
            format!("5 {sign}A"),
            format!("drawn 5 {sign}A"),
        ] {
            let found = search(&store, &query).await;
            let complete = found
                .hits
                .iter()
                .filter(|hit| hit.matched == Default::default());
            let mut complete: Vec<&str> = complete.map(|hit| hit.entry_id.as_str()).collect();
            complete.sort_unstable();
            assert_eq!(complete, ["e0", "e1", "e2", "e3", "e4", "e6"], "{query}");
            let marked = marked(&found, "5uA or 5 \u{b5}A or 5 mA");
            assert_eq!(marked, ["5uA", "5", "\u{b5}A", "5"], "{query}");
        }
    }
    for query in ["uA", "\u{b5}A", "\u{3bc}A"] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), ["e0", "e1", "e2"], "{query}");
    }
}

async fn umlauts_and_the_letters_for_them_are_found_by_each_other(store: Store) {
    write_texts(
        &store,
        &[
            "Müller hat Öl nachgefüllt",
            "Schroeder war da",
            "Bäcker",
            "Baecker",
        ],
    )
    .await;
    let found = search(&store, "mueller").await;
    assert_eq!(sorted_ids(&found), ["e0"]);
    assert!(
        notes(&found).contains("searched for `müller` instead"),
        "{}",
        notes(&found)
    );
    assert_eq!(sorted_ids(&search(&store, "nachgefuellt").await), ["e0"]);
    assert_eq!(sorted_ids(&search(&store, "Schröder").await), ["e1"]);
    assert_eq!(sorted_ids(&search(&store, "Bäcker").await), ["e2", "e3"]);
}

async fn german_compounds_are_found_by_the_word_that_they_end_with(store: Store) {
    write_texts(
        &store,
        &[
            "Die Kühlwasserpumpe wurde getauscht",
            "Nach dem Ausfall der Vakuumpumpen ist der Druck hoch",
            "Die Pumpe ist laut und der Pumpenraum nicht belüftet",
            "Ein Sicherheitsventil hat angesprochen",
            "Der Pumpenraum wurde gereinigt",
        ],
    )
    .await;
    for (query, expected) in [
        ("Pumpe", &["e0", "e1", "e2"][..]),
        ("pumpen", &["e0", "e1", "e2"]),
        ("Pumpe AND laut", &["e2"]),
        ("Pumpe AND getauscht", &["e0"]),
        ("laut -Kühlwasserpumpe -pumpe", &[]),
        ("\"Pumpe\"", &["e2"]),
        ("Ventile", &["e3"]),
    ] {
        let found = search(&store, query).await;
        assert_eq!(sorted_ids(&found), expected, "{query}");
        assert_eq!(notes(&found), "", "{query}");
    }
    let found = search(&store, "Pumpe").await;
    assert_eq!(found.hits[0].entry_id, "e2");
}

async fn both_writings_of_an_umlaut_are_found_where_entries_are_german(store: Store) {
    write_texts(
        &store,
        &[
            "Müller hat nicht gemessen",
            "Mueller hat die Pumpe getauscht und gemessen",
        ],
    )
    .await;
    for query in ["mueller", "Müller"] {
        assert_eq!(sorted_ids(&search(&store, query).await), ["e0", "e1"]);
    }
}

async fn other_languages_have_no_compounds(store: Store) {
    write_texts(&store, &["The turbopump is loud", "The pump is cold"]).await;
    assert_eq!(sorted_ids(&search(&store, "pump").await), ["e1"]);
}

async fn a_code_is_found_by_its_beginning_with_a_note(store: Store) {
    write_texts(
        &store,
        &[
            "Board 643B0FF0A1C2 exchanged",
            "Board 643B0FF0 exchanged, said nobody",
            "Board 99AB12CD77 is fine",
        ],
    )
    .await;
    let exact = search(&store, "643B0FF0").await;
    assert_eq!(sorted_ids(&exact), ["e1"]);
    assert_eq!(notes(&exact), "");
    let begun = search(&store, "99ab12cd").await;
    assert_eq!(sorted_ids(&begun), ["e2"]);
    let said = notes(&begun);
    assert!(
        said.contains("`99ab12cd` is in no entry as a whole word"),
        "{said}"
    );
    assert!(said.contains("begins with it: `99ab12cd77`"), "{said}");
    assert!(search(&store, "99ab12c").await.hits.is_empty());
}

async fn what_is_excluded_is_excluded_as_it_is_written(store: Store) {
    write_texts(&store, &["set 3.5kV", "set 3.5 kV", "set cryo-module"]).await;
    let found = search(&store, "set -3.5kV -cryomodule").await;
    assert_eq!(sorted_ids(&found), ["e1", "e2"]);
}
