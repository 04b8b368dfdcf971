#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::enhance::{Enhanced, PassageEmbeddings, Patch};
use gannet_plugin::prelude::{Enhancer, Entry, Error, Setup};
use gannet_plugin::provider::{
    EmbedPurpose, EmbedRequest, EmbeddingModel, Embeddings, TokenValues, TokenVectors,
};
use gannet_plugin::testing::{self, FakeHost};
use jiff::Timestamp;
use serde_json::json;

use crate::TextEmbedding;

fn made(settings: serde_json::Value) -> gannet_plugin::prelude::Result<TextEmbedding> {
    let setup = Setup::default()
        .with_instance("text_embedding")
        .with_provider("builtin".to_owned());
    TextEmbedding::new(testing::settings(settings)?, &setup)
}

fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "test", Timestamp::UNIX_EPOCH, text)
}

fn host() -> FakeHost {
    FakeHost::default().on_embed(|request| Ok(lengths(request)))
}

/// The vector of a text is its length in characters.
fn lengths(request: &EmbedRequest) -> Embeddings {
    let texts = request.texts.iter();
    Embeddings::new(
        texts
            .map(|text| vec![text.chars().count() as f32])
            .collect(),
        EmbeddingModel::new("tiny", 1, 256).with_variant("f32"),
    )
}

fn enhance(host: &FakeHost, settings: serde_json::Value, entries: &[Entry]) -> Vec<Enhanced> {
    let module = made(settings).unwrap();
    pollster::block_on(module.enhance(entries.to_vec(), &host.context())).unwrap()
}

fn embeddings(enhanced: &Enhanced) -> &PassageEmbeddings {
    let patch = enhanced.outcome.as_ref().unwrap();
    patch.embeddings.as_ref().unwrap()
}

fn texts(host: &FakeHost) -> Vec<Vec<String>> {
    let requests = host.calls().embeds.into_iter();
    requests.map(|request| request.texts).collect()
}

/// Numbered sentences, 500 characters in all.
fn long_text() -> String {
    (0..25)
        .map(|n| format!("Sentence number {n:02}. "))
        .collect()
}

#[test]
fn short_entries_are_one_passage_each_and_share_a_call() {
    let host = host();

    let done = enhance(
        &host,
        json!({}),
        &[entry("1", "RF tripped. Reset."), entry("2", "Vacuum leak.")],
    );

    assert_eq!(texts(&host), [["RF tripped. Reset.", "Vacuum leak."]]);
    let request = &host.calls().embeds[0];
    assert_eq!(request.purpose, EmbedPurpose::Document);
    assert_eq!(request.provider.as_deref(), Some("builtin"));
    assert_eq!(done[1].entry_id, "2");
    let second = embeddings(&done[1]);
    assert_eq!(second.model, "tiny");
    assert_eq!((second.passages[0].start, second.passages[0].end), (0, 12));
    assert_eq!(second.passages[0].vector, [12.0]);
}

#[test]
fn passages_of_a_long_entry_lie_in_its_text_in_order_across_calls() {
    let host = host();
    let text = long_text();
    let settings = json!({"passage_chars": 100, "passage_overlap": 20, "batch_passages": 3});

    let done = enhance(&host, settings, &[entry("a", "x"), entry("b", &text)]);

    let passages = &embeddings(&done[1]).passages;
    assert_eq!(passages[0].start, 0);
    assert_eq!(passages.last().unwrap().end, text.len());
    for passage in passages {
        let embedded = text[passage.start..passage.end].trim();
        assert!(embedded.starts_with("Sentence") && embedded.ends_with('.'));
        assert_eq!(passage.vector, [embedded.len() as f32]);
    }
    let sizes: Vec<usize> = texts(&host).iter().map(Vec::len).collect();
    assert!(sizes.len() > 1 && sizes[..sizes.len() - 1].iter().all(|&size| size == 3));
    assert_eq!(sizes.iter().sum::<usize>(), passages.len() + 1);
}

#[test]
fn every_passage_is_embedded_with_the_title_and_none_is_too_long() {
    let host = host();
    let title = "Klystron 3 fault";
    let mut with_title_line = entry("a", &format!("{title}\n\n{}", long_text()));
    let mut without_title_line = entry("b", "Reset twice.");
    for entry in [&mut with_title_line, &mut without_title_line] {
        entry.metadata.insert("title".to_owned(), title.into());
    }

    enhance(
        &host,
        json!({"passage_chars": 120, "passage_overlap": 0}),
        &[with_title_line, without_title_line],
    );

    let texts = texts(&host).concat();
    assert!(texts.len() > 4);
    for text in &texts {
        assert_eq!(text.matches(title).count(), 1, "{text}");
        assert!(text.starts_with(title) && text.len() <= 120, "{text}");
    }
    assert_eq!(texts.last().unwrap(), "Klystron 3 fault\nReset twice.");
}

#[test]
fn a_failed_batch_fails_its_entries_and_no_others() {
    let host = FakeHost::default().on_embed(|request| {
        if request.texts.iter().any(|text| text.contains("number 24")) {
            return Err(Error::Provider {
                provider: "tiny".to_owned(),
                message: "out of memory".to_owned(),
                retryable: true,
            });
        }
        Ok(lengths(request))
    });
    let entries = [
        entry("a", "fine"),
        entry("b", &long_text()),
        entry("c", "fine too"),
    ];
    let settings = json!({"passage_chars": 100, "passage_overlap": 0, "batch_passages": 1});

    let done = enhance(&host, settings, &entries);

    assert_eq!(embeddings(&done[0]).passages.len(), 1);
    assert_eq!(done[1].outcome, Err("tiny: out of memory".to_owned()));
    assert_eq!(embeddings(&done[2]).passages.len(), 1);
}

#[test]
fn a_provider_that_leaves_out_a_vector_fails_the_batch() {
    let host = FakeHost::default().on_embed(|request| {
        let mut embeddings = lengths(request);
        embeddings.vectors.remove(0);
        Ok(embeddings)
    });

    let done = enhance(&host, json!({}), &[entry("a", "one"), entry("b", "two")]);

    for enhanced in done {
        let error = enhanced.outcome.unwrap_err();
        assert!(error.contains("1 vectors for 2 texts"), "{error}");
    }
}

#[test]
fn a_blank_entry_needs_no_vector() {
    let host = host();

    let done = enhance(&host, json!({}), &[entry("a", " \n ")]);

    assert!(texts(&host).is_empty());
    assert_eq!(done[0].outcome, Ok(Patch::default()));
}

#[test]
fn settings_that_cannot_work_are_refused_with_their_name() {
    for (settings, name) in [
        (json!({"passage_chars": 50}), "passage_chars"),
        (
            json!({"passage_chars": 200, "passage_overlap": 101}),
            "passage_overlap",
        ),
        (json!({"batch_passages": 0}), "batch_passages"),
    ] {
        match made(settings) {
            Err(Error::Setting { name: refused, .. }) => assert_eq!(refused, name),
            _ => panic!("{name} was taken"),
        }
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_signs_of_token_vectors_are_kept_with_their_passages() {
    let with_tokens = |request: &EmbedRequest| {
        assert!(request.tokens);
        let of_text = |text: &String| {
            TokenVectors::new(
                Vec::new(),
                TokenValues::Signs(vec![u8::try_from(text.len()).unwrap(); 8]),
            )
        };
        let tokens = request.texts.iter().map(of_text).collect();
        let plain = lengths(request);
        plain.with_tokens(tokens)
    };
    let host = FakeHost::default().on_embed(move |request| Ok(with_tokens(request)));
    let entries = [entry("1", "RF tripped."), entry("2", "Vacuum leak.")];
    let done = enhance(&host, json!({ "batch_passages": 1 }), &entries);
    for (enhanced, length) in done.iter().zip([11, 12]) {
        let signs = &embeddings(enhanced).passages[0].token_signs;
        assert_eq!(*signs, Some(vec![length; 8]));
    }
    let done = enhance(&self::host(), json!({}), &entries);
    assert_eq!(embeddings(&done[0]).passages[0].token_signs, None);
}

#[test]
fn token_vectors_of_some_texts_only_are_an_error() {
    let some = |request: &EmbedRequest| {
        lengths(request).with_tokens(vec![TokenVectors::new(
            Vec::new(),
            TokenValues::Signs(Vec::new()),
        )])
    };
    let host = FakeHost::default().on_embed(move |request| Ok(some(request)));
    let done = enhance(&host, json!({}), &[entry("1", "RF."), entry("2", "Leak.")]);
    let reason = done[0].outcome.as_ref().unwrap_err();
    assert!(reason.contains("token vectors of 1 of 2 texts"), "{reason}");
}
