//! Text without spaces between words: Chinese, Japanese, Thai.
use crate::common::{ids, request, search, sorted_ids, write_texts};
use gannet_api::Matched;
use gannet_api::QuerySyntax;
use gannet_api::query::{QueryOptions, parse};
use gannet_store::{Store, TextRequest};

over_every_store![
    a_word_of_text_without_spaces_finds_its_entry,
    a_sentence_without_spaces_finds_what_shares_most_with_it,
    names_within_text_without_spaces_are_found_whole,
];

fn plain(text: &str) -> TextRequest {
    TextRequest {
        query: parse(text, QuerySyntax::Plain, &QueryOptions::default()),
        ..request("")
    }
}

async fn a_word_of_text_without_spaces_finds_its_entry(store: Store) {
    let texts = [
        "今天更换了真空泵。",
        "真的没有空气泵在运行",
        "ビームを停止した",
        "เปลี่ยนปั๊มสุญญากาศ",
    ];
    write_texts(&store, &texts).await;
    for (query, expected) in [
        ("真空泵", "e0"),
        ("更换", "e0"),
        ("\"真空泵\"", "e0"),
        ("ビーム", "e2"),
        ("真空*", "e0"),
        ("ปั๊ม", "e3"),
    ] {
        let found = search(&store, query).await;
        assert_eq!(found.hits[0].entry_id, expected, "{query}");
        assert_eq!(found.hits[0].matched, Matched::All, "{query}");
        let found_ids = [expected.to_owned()];
        let entries = store.entries("default", &found_ids).await.unwrap();
        let highlights = found.highlighter.highlight(&entries[0].raw_text);
        let highlight = &highlights[0];
        let (start, end) = highlight.ranges[0];
        let word = query.trim_matches(['"', '*']);
        assert_eq!(&highlight.text[start..end], word, "{query}");
        assert!(found.diagnostics.is_empty(), "{:?}", found.diagnostics);
    }
    assert_eq!(ids(&search(&store, "\"真空泵\"").await), ["e0"]);
    assert_eq!(sorted_ids(&search(&store, "泵").await), ["e0", "e1"]);
    assert!(search(&store, "換").await.hits.is_empty());
}

async fn a_sentence_without_spaces_finds_what_shares_most_with_it(store: Store) {
    let texts = ["昨天更换了真空泵", "昨天没有束流", "束流损失"];
    write_texts(&store, &texts).await;
    for query in ["什么时候更换了真空泵？", "什么时候 更换真空泵？"] {
        for request in [request(query), plain(query)] {
            let found = store.text_search("default", request).await.unwrap();
            assert_eq!(found.hits[0].entry_id, "e0", "{query}");
            assert_eq!(found.hits[0].matched, Matched::Some, "{query}");
        }
    }
    assert!(search(&store, "真空泵 AND 束流").await.hits.is_empty());
    assert_eq!(ids(&search(&store, "束流 -真空泵 -损失").await), ["e1"]);
}

async fn names_within_text_without_spaces_are_found_whole(store: Store) {
    write_texts(&store, &["更换了SR01C:BPM1的泵（RF-2）。", "SR01C:BPM7"]).await;
    for query in [
        "SR01C:BPM1",
        "SR01C*BPM1",
        "RF-2",
        "rf-*",
        "泵（RF",
        "bpm1的泵",
    ] {
        assert_eq!(ids(&search(&store, query).await), ["e0"], "{query}");
    }
}
