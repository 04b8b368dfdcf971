//! Texts that are searched as plain words.
use crate::common::{request, sorted_ids, write_texts};
use gannet_api::query::{QueryOptions, parse};
use gannet_api::{Matched, QuerySyntax};
use gannet_store::{Store, TextRequest};

over_every_store![
    plain_mode_ranks_by_score_alone_and_says_what_has_all_words,
    in_plain_mode_a_better_part_comes_before_the_whole,
    a_repeated_word_of_a_question_counts_for_more_but_not_so_many_times,
];

fn plain(text: &str) -> TextRequest {
    TextRequest {
        query: parse(text, QuerySyntax::Plain, &QueryOptions::default()),
        ..request("")
    }
}

async fn plain_mode_ranks_by_score_alone_and_says_what_has_all_words(store: Store) {
    write_texts(&store, &["pump pump", "valve", "pump valve and more", "x"]).await;
    let plain = TextRequest {
        query: parse(
            "the pump or valve",
            QuerySyntax::Plain,
            &QueryOptions::default(),
        ),
        ..request("")
    };
    let found = store.text_search("default", plain).await.unwrap();
    assert_eq!(sorted_ids(&found), ["e0", "e1", "e2"]);
    for hit in &found.hits {
        let wanted = if hit.entry_id == "e2" {
            Matched::All
        } else {
            Matched::Some
        };
        assert_eq!(hit.matched, wanted);
    }
    assert!(found.hits.is_sorted_by(|a, b| a.score >= b.score));
}

async fn in_plain_mode_a_better_part_comes_before_the_whole(store: Store) {
    let whole = format!("pump valve {}", "and much more that is said ".repeat(20));
    let mut texts = vec!["pump pump pump", whole.as_str()];
    texts.extend(["valve"; 10]);
    write_texts(&store, &texts).await;
    let plain = TextRequest {
        query: parse("pump valve", QuerySyntax::Plain, &QueryOptions::default()),
        ..request("")
    };
    let found = store.text_search("default", plain).await.unwrap();
    assert_eq!(found.hits[0].entry_id, "e0");
    assert_eq!(found.hits[0].matched, Matched::Some);
    let whole = found.hits.iter().find(|hit| hit.entry_id == "e1").unwrap();
    assert_eq!(whole.matched, Matched::All);
}

async fn a_repeated_word_of_a_question_counts_for_more_but_not_so_many_times(store: Store) {
    write_texts(&store, &["pump", "valve", "beam", "rest"]).await;
    let found = |hits: Vec<gannet_api::Hit>, id: &str| {
        let hit = hits.into_iter().find(|hit| hit.entry_id == id);
        hit.unwrap().score
    };
    for (query, times) in [("pump valve", 1.0), ("pump valve pumps the pump", 3.0)] {
        for asked in [plain(query), request(query)] {
            let hits = store.text_search("default", asked).await.unwrap().hits;
            let ratio = found(hits.clone(), "e0") / found(hits, "e1");
            assert!(
                (ratio - 1.0 - f64::ln(times)).abs() < 1e-3,
                "{query}: {ratio}"
            );
        }
    }
}
