//! Entries and a scripted model.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::enhance::{Enhanced, Patch};
use gannet_plugin::prelude::{Enhancer, Entry, Error, Setup};
use gannet_plugin::testing::{self, FakeHost};
use gannet_semantic_processor::SemanticProcessor;
use gannet_test_cases::cases;
use jiff::Timestamp;
use serde_json::json;

fn setup() -> Setup {
    Setup::default()
        .with_instance("semantic_processor")
        .with_provider("scripted".to_owned())
        .with_model("small".to_owned())
}

fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "test", Timestamp::UNIX_EPOCH, text)
}

fn enhance(host: &FakeHost, setup: &Setup, entries: &[Entry]) -> Vec<Enhanced> {
    let module = SemanticProcessor::new(testing::settings(json!({})).unwrap(), setup).unwrap();
    pollster::block_on(module.enhance(entries.to_vec(), &host.context())).unwrap()
}

fn patch(enhanced: &Enhanced) -> &Patch {
    enhanced.outcome.as_ref().unwrap()
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn a_summary_and_keywords_join_those_of_the_entry() {
    let reply = "{\"keywords\": [\"RF trip\", \"klystron\"], \"summary\": \"It tripped.\"}";
    let host = FakeHost::default().with_replies([reply]);
    let mut own = entry("E1", "Klystron 2 tripped at 12:40.");
    own.keywords = vec!["Klystron".to_owned()];

    let done = enhance(&host, &setup(), &[own]);

    assert_eq!(patch(&done[0]).summary.as_deref(), Some("It tripped."));
    let keywords = patch(&done[0]).keywords.as_ref().unwrap();
    assert_eq!(keywords, &["Klystron", "RF trip"]);
    let asked = &host.calls().chats[0];
    assert_eq!(asked.model.as_deref(), Some("small"));
    assert_eq!(asked.max_tokens, Some(256));
    assert!(asked.messages[1].content.contains("Klystron 2 tripped"));
}

#[test]
fn keywords_of_an_earlier_model_are_replaced_and_the_entry_keeps_its_own() {
    let replies = [
        "{\"keywords\": [\"k\", \"RF\"], \"summary\": \"S\"}",
        "{\"keywords\": [\"flux\", \"gate\"], \"summary\": \"S\"}",
        "{\"keywords\": [], \"summary\": \"S\"}",
    ];
    let host = FakeHost::default().with_replies(replies);
    let mut entry = entry("E1", "Klystron 2 tripped at 12:40.");
    entry.keywords = vec!["rf".to_owned()];

    for (keywords, of_model) in [
        (vec!["rf", "k"], vec!["k"]),
        (vec!["rf", "flux", "gate"], vec!["flux", "gate"]),
        (vec!["rf"], vec![]),
    ] {
        let done = enhance(&host, &setup(), &[entry.clone()]);
        let patch = patch(&done[0]).clone();
        entry.keywords = patch.keywords.unwrap();
        entry.metadata.extend(patch.metadata);
        assert_eq!(entry.keywords, keywords);
        assert_eq!(entry.metadata["model_keywords"], json!(of_model));
    }
}

#[test]
fn a_malformed_reply_fails_its_entry_alone() {
    let good = "<think>{}</think>{\"keywords\": [\"a\"], \"summary\": \"S\"}";
    let host = FakeHost::default().with_replies(["no JSON", good]);

    let done = enhance(&host, &setup(), &[entry("E1", "one"), entry("E2", "two")]);

    let reason = done[0].outcome.as_ref().unwrap_err();
    assert!(reason.contains("no JSON object"), "{reason}");
    assert_eq!(patch(&done[1]).summary.as_deref(), Some("S"));
}

#[test]
fn a_model_that_fails_fails_every_entry_with_its_reason() {
    let host = FakeHost::default().on_chat(|_| {
        Err(Error::Provider {
            provider: "scripted".to_owned(),
            message: "model unavailable".to_owned(),
            retryable: true,
        })
    });
    let done = enhance(&host, &setup(), &[entry("E1", "one"), entry("E2", "two")]);
    for one in &done {
        let reason = one.outcome.as_ref().unwrap_err();
        assert!(reason.contains("model unavailable"), "{reason}");
    }
}

#[test]
fn the_beginning_of_a_long_entry_is_read_as_data() {
    let host = FakeHost::default().with_replies(["{\"keywords\": [], \"summary\": \"S\"}"]);
    let text = format!("{}END", "ä".repeat(8000));
    enhance(&host, &setup(), &[entry("E1", &text)]);
    let asked = host.calls().chats[0].messages[1].content.clone();
    assert_eq!(asked.matches('ä').count(), 8000);
    assert!(!asked.contains("äEND"), "{asked}");
    assert!(asked.starts_with("<<<DATA "), "{asked}");
}

#[test]
fn a_provider_is_required_and_facilities_bring_their_own_prompts() {
    let settings = || testing::settings(json!({})).unwrap();
    let nobody = setup().with_provider(None);
    let refused = SemanticProcessor::new(settings(), &nobody).err().unwrap();
    for case in cases("ariel.jsonl", "semantic_processor_configure") {
        let theirs = case["expected"]["message"].as_str().unwrap();
        let key = "enhancement_modules.semantic_processor.provider";
        assert!(
            theirs.contains(key) && refused.to_string().contains(key),
            "{refused}"
        );
    }
    let mut own = setup();
    let file = "semantic_processor.user".to_owned();
    own.prompts
        .files
        .insert(file.clone(), "Eintrag: {entry}".to_owned());
    let host = FakeHost::default().with_replies(["{\"keywords\": [], \"summary\": \"S\"}"]);
    enhance(&host, &own, &[entry("E1", "Strahl weg")]);
    let asked = &host.calls().chats[0].messages[1].content;
    assert!(asked.starts_with("Eintrag: <<<DATA"), "{asked}");
    own.prompts.files.insert(file, "Eintrag".to_owned());
    assert!(SemanticProcessor::new(settings(), &own).is_err());
}
