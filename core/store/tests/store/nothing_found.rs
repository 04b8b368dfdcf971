//! Near words are tried where a query with its filters finds nothing: the
//! same over every kind of store.
use crate::common::{entry, ids, request, search};
use gannet_api::{Condition, FilterField, QuerySyntax, query};
use gannet_store::{Store, TextRequest};

over_every_store![
    a_misspelling_of_another_entry_does_not_hide_the_right_word,
    a_word_that_finds_something_is_not_corrected,
    near_words_are_those_of_entries_that_pass_the_filters,
    function_words_short_words_and_digits_are_never_corrected,
    a_short_word_that_may_be_another_is_offered_and_not_searched,
    a_word_replaces_another_only_where_it_is_the_favourite,
];

fn by(author: &str, query: &str) -> TextRequest {
    let mut request = request(query);
    let contains = Condition::Contains(author.to_owned());
    request.filter = request.filter.and(FilterField::Author, contains);
    request
}

/// `klystrn` is in an entry of smith's, `klystron` in one of quarry's.
async fn write(store: &Store) {
    let mut entries = vec![
        entry(0, "klystrn tripped"),
        entry(1, "klystron conditioned"),
        entry(2, "magnet quench"),
    ];
    entries[0].author = "smith".to_owned();
    entries[1].author = "quarry".to_owned();
    entries[2].author = "jones".to_owned();
    store.upsert(entries).await.unwrap();
    store.flush().await.unwrap();
}

async fn a_misspelling_of_another_entry_does_not_hide_the_right_word(store: Store) {
    write(&store).await;
    let found = store.text_search("default", by("quarry", "klystrn")).await;
    let found = found.unwrap();
    assert_eq!(ids(&found), ["e1"]);
    assert_eq!(
        found.diagnostics[0].message,
        "nothing was found; searched for `klystron` in place of `klystrn`"
    );
    assert_eq!(found.diagnostics[0].category.as_deref(), Some("spelling"));

    let mut plain = by("quarry", "");
    let options = query::QueryOptions::default();
    plain.query = query::parse("why klystrn?", QuerySyntax::Plain, &options);
    let found = store.text_search("default", plain).await.unwrap();
    assert_eq!(ids(&found), ["e1"]);

    let mut strict = by("quarry", "klystrn");
    strict.fuzzy = false;
    let found = store.text_search("default", strict).await.unwrap();
    assert!(found.hits.is_empty() && found.diagnostics.is_empty());
}

async fn a_word_that_finds_something_is_not_corrected(store: Store) {
    write(&store).await;
    let found = search(&store, "klystrn").await;
    assert_eq!(ids(&found), ["e0"]);
    assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
}

async fn near_words_are_those_of_entries_that_pass_the_filters(store: Store) {
    write(&store).await;
    let found = store.text_search("default", by("jones", "klystrn")).await;
    let found = found.unwrap();
    assert!(found.hits.is_empty() && found.diagnostics.is_empty());
    let nobody = store.text_search("default", by("nobody", "klystrn")).await;
    assert!(nobody.unwrap().diagnostics.is_empty());
}

async fn function_words_short_words_and_digits_are_never_corrected(store: Store) {
    let texts = [
        "we may open the gate",
        "done by the crew",
        "SR01 tripped",
        "the warden left",
        "the salon is closed",
    ];
    crate::common::write_texts(&store, &texts).await;
    let english = ["many", "many more", "gat", "SR02", "none AND gate"];
    for query in english.into_iter().chain(["wurden", "Selon"]) {
        let found = search(&store, query).await;
        assert!(found.hits.is_empty(), "{query}: {:?}", ids(&found));
        assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    }
}

async fn a_short_word_that_may_be_another_is_offered_and_not_searched(store: Store) {
    let texts = [
        "done by the crew",
        "drove to the plant",
        "it was done",
        "plant fence",
    ];
    crate::common::write_texts(&store, &texts).await;
    for (query, expected) in [("drone", vec![]), ("drone fence", vec!["e3"])] {
        let found = search(&store, query).await;
        assert_eq!(ids(&found), expected, "{query}");
        let [note] = &found.diagnostics[..] else {
            panic!("{:?}", found.diagnostics);
        };
        assert_eq!(note.message, "`drone` is in no entry; did you mean `done`?");
        assert_eq!(note.category.as_deref(), Some("spelling"));
    }
}

async fn a_word_replaces_another_only_where_it_is_the_favourite(store: Store) {
    let mut texts = vec!["value of parts", "valve leaks", "beam lost"];
    crate::common::write_texts(&store, &texts).await;
    let found = search(&store, "valuve beam").await;
    assert_eq!(ids(&found), ["e2"]);
    let message = &found.diagnostics[0].message;
    assert_eq!(message, "`valuve` is in no entry; did you mean `value`?");

    texts.extend(["the valves leak"; 4]);
    crate::common::write_texts(&store, &texts).await;
    let found = search(&store, "valuve beam").await;
    assert_eq!(found.hits.len(), 6);
    let message = &found.diagnostics[0].message;
    assert_eq!(
        message,
        "`valuve` is in no entry; searched for `valve` instead"
    );
}
