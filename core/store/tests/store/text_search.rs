//! What a text search finds, and in which order.
use crate::common::{entry, ids, request, search, sorted_ids, write_texts};
use gannet_api::{Condition, FilterField, Matched, ScoreKind};
use gannet_store::Store;

over_every_store![
    entries_with_all_words_come_before_those_with_some,
    an_explicit_and_is_not_relaxed,
    what_comes_after_the_last_excluded_phrase_is_found,
    not_excludes_and_does_so_in_the_partial_matches_too,
    a_query_of_exclusions_alone_lists_the_rest_newest_first,
    a_phrase_wants_its_words_side_by_side_stop_words_included,
    a_phrase_does_not_reach_from_one_field_into_the_next,
    a_prefix_finds_words_and_names_that_begin_so,
    a_rare_name_is_worth_more_than_a_common_one,
    names_are_found_whole_and_by_their_parts,
    globs_and_regular_expressions_match_names,
    a_misspelt_word_finds_its_nearest_and_says_so,
    corrections_keep_the_filters_and_digits,
    words_of_other_tenants_are_neither_found_nor_suggested,
    equal_scores_are_ordered_by_kind_and_id_also_at_the_cut,
    a_blank_query_lists_by_filter_and_finds_nothing_without_one,
    highlights_are_plain_text_with_ranges,
    an_edited_entry_is_found_by_its_new_text_only,
    any_strange_text_is_answered,
];

async fn entries_with_all_words_come_before_those_with_some(store: Store) {
    write_texts(
        &store,
        &[
            "pump pump pump pump",
            "The vacuum pump was replaced after a long search for the leak in sector four",
            "vacuum",
            "nothing of the sort",
        ],
    )
    .await;
    let found = search(&store, "vacuum pump").await;
    assert_eq!(found.hits[0].entry_id, "e1");
    assert_eq!(found.hits[0].matched, Matched::All);
    assert_eq!(found.hits.len(), 3);
    assert!(
        found.hits[1..]
            .iter()
            .all(|hit| hit.matched == Matched::Some)
    );
    assert!(
        found
            .hits
            .iter()
            .all(|hit| hit.score_kind == ScoreKind::Bm25)
    );
}

async fn an_explicit_and_is_not_relaxed(store: Store) {
    write_texts(&store, &["vacuum pump", "vacuum", "pump"]).await;
    assert_eq!(ids(&search(&store, "vacuum AND pump").await), ["e0"]);
    assert!(
        search(&store, "vacuum AND missingword")
            .await
            .hits
            .is_empty()
    );
}

async fn not_excludes_and_does_so_in_the_partial_matches_too(store: Store) {
    write_texts(
        &store,
        &[
            "beam loss",
            "beam loss at injection",
            "beam injection",
            "loss",
        ],
    )
    .await;
    let found = search(&store, "beam loss -injection").await;
    assert_eq!(ids(&found), ["e0", "e3"]);
}

async fn what_comes_after_the_last_excluded_phrase_is_found(store: Store) {
    let mut texts = vec!["beam loss and RF-2"];
    texts.extend(["beam"; 20]);
    write_texts(&store, &texts).await;
    let mut all = request("beam -\"beam loss\" -RF-2");
    all.limit = 30;
    let found = store.text_search("default", all).await.unwrap();
    assert_eq!(found.hits.len(), 20);
}

async fn a_query_of_exclusions_alone_lists_the_rest_newest_first(store: Store) {
    write_texts(&store, &["beam", "pump", "beam pump", "valve"]).await;
    let found = search(&store, "NOT beam").await;
    assert_eq!(ids(&found), ["e3", "e1"]);
    assert!(
        found
            .hits
            .iter()
            .all(|hit| hit.score_kind == ScoreKind::None)
    );
}

async fn a_phrase_wants_its_words_side_by_side_stop_words_included(store: Store) {
    write_texts(
        &store,
        &["loss of the beam", "the beam of loss", "beam loss"],
    )
    .await;
    assert_eq!(ids(&search(&store, "\"loss of the beam\"").await), ["e0"]);
    assert_eq!(ids(&search(&store, "\"beam losses\"").await), ["e2"]);
}

async fn a_phrase_does_not_reach_from_one_field_into_the_next(store: Store) {
    let mut one = entry(0, "the end is beam");
    one.author = "Loss".to_owned();
    store.upsert(vec![one]).await.unwrap();
    store.flush().await.unwrap();
    assert!(search(&store, "\"beam loss\"").await.hits.is_empty());
    assert_eq!(
        search(&store, "beam loss").await.hits[0].matched,
        Matched::All
    );
}

async fn a_prefix_finds_words_and_names_that_begin_so(store: Store) {
    write_texts(
        &store,
        &["klystron tripped", "klystrons", "SR01C:BPM1 noisy", "clear"],
    )
    .await;
    assert_eq!(sorted_ids(&search(&store, "klys*").await), ["e0", "e1"]);
    assert_eq!(ids(&search(&store, "SR01C:*").await), ["e2"]);
}

async fn a_rare_name_is_worth_more_than_a_common_one(store: Store) {
    let mut texts = vec!["zulu1"];
    texts.extend(["yankee1"; 20]);
    write_texts(&store, &texts).await;
    let rare = search(&store, "zul*").await.hits[0].score;
    let common = search(&store, "yank*").await.hits[0].score;
    assert!(rare > 2.0 && common < 0.5, "{rare} {common}");
}

async fn names_are_found_whole_and_by_their_parts(store: Store) {
    write_texts(
        &store,
        &[
            "SR01C:BPM1 is noisy",
            "SR01C:BPM2 is fine",
            "RF-2 tripped",
            "10^-9 mbar",
        ],
    )
    .await;
    assert_eq!(ids(&search(&store, "SR01C:BPM1").await), ["e0"]);
    assert_eq!(ids(&search(&store, "BPM2").await), ["e1"]);
    assert_eq!(sorted_ids(&search(&store, "sr01c").await), ["e0", "e1"]);
    assert_eq!(ids(&search(&store, "rf-2").await), ["e2"]);
    assert_eq!(ids(&search(&store, "10^-9").await), ["e3"]);
}

async fn globs_and_regular_expressions_match_names(store: Store) {
    write_texts(
        &store,
        &["SR01C:BPM1", "SR02C:BPM7 drifts", "SR02C:HCM1", "BPM"],
    )
    .await;
    assert_eq!(
        sorted_ids(&search(&store, "SR0?C*BPM*").await),
        ["e0", "e1"]
    );
    assert_eq!(
        sorted_ids(&search(&store, "/SR02C:(BPM|HCM)\\d/").await),
        ["e1", "e2"]
    );
}

async fn a_misspelt_word_finds_its_nearest_and_says_so(store: Store) {
    write_texts(&store, &["klystron tripped", "magnet quench", "beam"]).await;
    let found = search(&store, "klystorn").await;
    assert_eq!(ids(&found), ["e0"]);
    assert!(found.diagnostics[0].message.contains("`klystron`"));
    assert_eq!(ids(&search(&store, "qunch").await), ["e1"]);
    let mut strict = request("klystorn");
    strict.fuzzy = false;
    let found = store.text_search("default", strict).await.unwrap();
    assert!(found.hits.is_empty() && found.diagnostics.is_empty());
}

async fn corrections_keep_the_filters_and_digits(store: Store) {
    let mut entries: Vec<_> = (0..4)
        .map(|index| entry(index, "klystron SR01 off"))
        .collect();
    entries[2].author = "Smith".to_owned();
    store.upsert(entries).await.unwrap();
    store.flush().await.unwrap();
    let mut filtered = request("klystorn");
    let smith = Condition::Contains("smi".to_owned());
    filtered.filter = filtered.filter.and(FilterField::Author, smith);
    let found = store.text_search("default", filtered).await.unwrap();
    assert_eq!(ids(&found), ["e2"]);
    assert!(search(&store, "SR02").await.hits.is_empty());
}

async fn words_of_other_tenants_are_neither_found_nor_suggested(store: Store) {
    let mut secret = entry(0, "kryptonite shipment");
    secret.tenant = "other".to_owned();
    store
        .upsert(vec![secret, entry(1, "plain text")])
        .await
        .unwrap();
    store.flush().await.unwrap();
    for query in [
        "kryptonite",
        "kryptonit",
        "krypt*",
        "NOT plain",
        "/krypt.*/",
    ] {
        let found = search(&store, query).await;
        assert!(
            found.hits.is_empty() && found.diagnostics.is_empty(),
            "{query}"
        );
    }
    let found = store
        .text_search("other", request("kryptonite"))
        .await
        .unwrap();
    assert_eq!(ids(&found), ["e0"]);
}

async fn equal_scores_are_ordered_by_kind_and_id_also_at_the_cut(store: Store) {
    for batch in 0..3 {
        let entries = (0..20).map(|index| {
            let mut entry = entry(index * 3 + batch, "no beam today");
            entry.entry_id = format!("{:02}", (index * 37 + batch * 11) % 60 + 1);
            entry.kind = if index % 2 == 0 { "b" } else { "a" }.to_owned();
            entry
        });
        store.upsert(entries.collect()).await.unwrap();
        store.flush().await.unwrap();
    }
    let mut everything = request("beam");
    everything.limit = 100;
    let all = store
        .text_search("default", everything.clone())
        .await
        .unwrap();
    let keys: Vec<_> = all
        .hits
        .iter()
        .map(|hit| (&hit.kind, &hit.entry_id))
        .collect();
    assert!(keys.is_sorted());
    assert!(
        all.hits
            .windows(2)
            .all(|pair| pair[0].score == pair[1].score)
    );
    for limit in [1, 7, 20, 33] {
        everything.limit = limit;
        let some = store
            .text_search("default", everything.clone())
            .await
            .unwrap();
        assert_eq!(some.hits, all.hits[..limit]);
    }
}

async fn a_blank_query_lists_by_filter_and_finds_nothing_without_one(store: Store) {
    write_texts(&store, &["a", "b", "c"]).await;
    assert!(search(&store, "  ").await.hits.is_empty());
    let found = search(&store, "source:TEST").await;
    assert_eq!(ids(&found), ["e2", "e1", "e0"]);
    assert!(found.hits.is_sorted_by(|a, b| a.score > b.score));
}

async fn highlights_are_plain_text_with_ranges(store: Store) {
    write_texts(&store, &["<i>Pumps</i> failed & were replaced"]).await;
    let found = search(&store, "pump replace").await;
    assert!(found.hits[0].highlights.is_empty());
    let entries = store.entries("default", &["e0".to_owned()]).await.unwrap();
    let highlights = found.highlighter.highlight(&entries[0].raw_text);
    let highlight = &highlights[0];
    assert_eq!(highlight.text, "<i>Pumps</i> failed & were replaced");
    let words: Vec<&str> = highlight
        .ranges
        .iter()
        .map(|r| &highlight.text[r.0..r.1])
        .collect();
    assert_eq!(words, ["Pumps", "replaced"]);
}

async fn an_edited_entry_is_found_by_its_new_text_only(store: Store) {
    write_texts(&store, &["old words"]).await;
    store.upsert(vec![entry(0, "new words")]).await.unwrap();
    store.flush().await.unwrap();
    let mut old = request("old");
    old.fuzzy = false;
    assert!(
        store
            .text_search("default", old)
            .await
            .unwrap()
            .hits
            .is_empty()
    );
    assert_eq!(ids(&search(&store, "new").await), ["e0"]);
    store.delete("default", &["e0".to_owned()]).await.unwrap();
    store.flush().await.unwrap();
    assert!(search(&store, "new").await.hits.is_empty());
}

async fn any_strange_text_is_answered(store: Store) {
    write_texts(&store, &["beam"]).await;
    for query in [
        "\"",
        "((",
        "AND OR NOT",
        "* ?",
        "//",
        "-",
        "\u{0}",
        "''",
        "beam -",
        "+++ beam",
    ] {
        search(&store, query).await;
    }
}
