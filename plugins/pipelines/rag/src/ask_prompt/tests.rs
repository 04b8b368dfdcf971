#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::prelude::Setup;
use gannet_stages::CitationStyle;
use proptest::prelude::*;

use super::*;

const NONCE: &str = "0123456789abcdef0123456789abcdef";

fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "log", "2024-03-15T10:30:00Z".parse().unwrap(), text)
}

fn written(
    setup: &Setup,
    question: &str,
    entries: &[Entry],
    pinned: usize,
    max_bytes: usize,
) -> Option<AskPrompt> {
    let writer = PromptWriter {
        setup,
        style: CitationStyle::Number,
        nonce: NONCE,
    };
    let ask = Ask {
        question,
        entries,
        pinned,
        max_bytes,
        timezone: "UTC",
    };
    ask.written_by(&writer)
}

/// Every text of the prompt is a beginning of its entry's text, and every
/// fence that opens is closed.
fn assert_sound(ask: &AskPrompt, entries: &[Entry], max_bytes: usize) {
    assert!(ask.prompt.size() <= max_bytes, "{max_bytes}");
    let user = &ask.prompt.user;
    let opened = user.matches(&format!("<<<DATA {NONCE}>>>\n")).count();
    let closed = user.matches(&format!("\n<<<END {NONCE}>>>")).count();
    assert_eq!(opened, closed);
    for (number, entry) in (1..).zip(entries).take(ask.included) {
        let header = format!("[{number}] ENTRY #{} | ", entry.entry_id);
        assert!(user.contains(&header), "{header} missing at {max_bytes}");
    }
    assert!(user.contains("## Instructions"));
}

#[test]
fn c7_every_size_from_zero_up_holds() {
    let entries = [
        entry("s", &"é".repeat(300)),
        entry("n1", &"日本".repeat(90)),
        entry("n2", "short"),
        entry("x", &"\u{1F30A}".repeat(120)),
        entry("y", &"plain words ".repeat(40)),
        entry("z", ""),
    ];
    let question = "¿what is known? ".repeat(4);
    let setup = Setup::default();
    let mut first_that_fits = None;
    for max_bytes in 0..5_000 {
        match written(&setup, &question, &entries, 3, max_bytes) {
            Some(ask) => {
                assert_sound(&ask, &entries, max_bytes);
                first_that_fits = first_that_fits.or(Some(max_bytes));
            }
            None => assert_eq!(first_that_fits, None, "{max_bytes}"),
        }
    }
    assert!(first_that_fits.unwrap() < 2_200, "{first_that_fits:?}");
    let all = written(&setup, &question, &entries, 3, 5_000).unwrap();
    assert_eq!((all.included, all.cut), (6, Vec::new()));
}

proptest! {
    /// Promise C7, also for a prompt of the facility that says a part twice.
    #[test]
    fn c7_a_prompt_never_passes_its_bytes(
        texts in prop::collection::vec("[a-zé日\u{1F30A} \n]{0,400}", 0..7),
        question in "[a-zé日?]{0,300}",
        pinned in 0_usize..4,
        max_bytes in 0_usize..6_000,
        twice: bool,
    ) {
        let entries: Vec<Entry> = (0..)
            .zip(&texts)
            .map(|(number, text)| entry(&number.to_string(), text))
            .collect();
        let mut setup = Setup::default();
        if twice {
            let text = "{question} {sources} {statement} {notes} {sources} {question}";
            setup.prompts.files.insert("rag.ask".to_owned(), text.to_owned());
        }
        let pinned = pinned.min(entries.len());
        if let Some(ask) = written(&setup, &question, &entries, pinned, max_bytes) {
            prop_assert!(ask.prompt.size() <= max_bytes);
            prop_assert!(ask.included >= pinned && ask.included <= entries.len());
        }
        let ample = written(&setup, &question, &entries, pinned, 40_000);
        let ample = ample.expect("has room");
        prop_assert_eq!(ample.included, entries.len());
        prop_assert_eq!(ample.cut, Vec::<String>::new());
    }
}

/// A program that reads one text gets both parts with an empty line between.
#[test]
fn c7_the_parts_as_one_text_hold_the_limit_too() {
    let entries = [
        entry("a", &"words ".repeat(900)),
        entry("b", &"x".repeat(500)),
    ];
    let setup = Setup::default();
    for max_bytes in 0..4_100 {
        if let Some(ask) = written(&setup, "why?", &entries, 0, max_bytes) {
            let one_text = [ask.prompt.system, ask.prompt.user].join("\n\n");
            assert!(one_text.len() <= max_bytes, "{max_bytes}");
            let is_full = ask.cut.is_empty() || one_text.len() == max_bytes;
            assert!(is_full, "{} of {max_bytes}", one_text.len());
        }
    }
}

#[test]
fn empty_parts_say_so() {
    let nothing = written(&Setup::default(), "why?", &[], 0, 10_000).unwrap();
    let user = nothing.prompt.user;
    assert!(user.contains("## Statement\n\n(none)\n"), "{user}");
    assert!(user.contains("## Notes\n\n(none)\n"), "{user}");
    assert!(user.contains("(no sources retrieved)"), "{user}");
    assert!(user.contains("## Question\n\nwhy?\n"), "{user}");
    assert!(!user.contains("<<<DATA"));
}

#[test]
fn the_first_pinned_entry_is_the_statement_and_the_others_are_notes() {
    let entries = [entry("a", "one"), entry("b", "two"), entry("c", "three")];
    let user = written(&Setup::default(), "why?", &entries, 2, 10_000)
        .unwrap()
        .prompt
        .user;
    let place = |text: &str| user.find(text).unwrap();
    assert!(place("## Statement") < place("[1] ENTRY #a"));
    assert!(place("[1] ENTRY #a") < place("## Notes"));
    assert!(place("## Notes") < place("[2] ENTRY #b"));
    assert!(place("[2] ENTRY #b") < place("## Sources (cite as [n])"));
    assert!(place("## Sources") < place("[3] ENTRY #c"));
}

#[test]
fn a_huge_question_leaves_the_statement_and_the_instructions() {
    let statement = format!("STATEMENT_START: {}", "A".repeat(5_000));
    let entries = [entry("6", &statement)];
    let question = "Q".repeat(10_000);
    let ask = written(&Setup::default(), &question, &entries, 1, 2_400).unwrap();
    assert_eq!(ask.prompt.size(), 2_400);
    assert!(ask.prompt.user.contains("STATEMENT_START: AAA"));
    assert!(ask.prompt.user.contains("## Instructions"));
    assert_eq!(ask.cut, ["6"]);
}

#[test]
fn sources_without_room_are_left_out_from_the_end() {
    let sources: Vec<Entry> = (0..400)
        .map(|number| entry(&format!("id-{number}"), &"words ".repeat(100)))
        .collect();
    let ask = written(&Setup::default(), "why?", &sources, 0, 8_000).unwrap();
    assert!(ask.included > 10 && ask.included < 100, "{}", ask.included);
    assert!(ask.prompt.user.contains("[1] ENTRY #id-0 |"));
    assert!(!ask.prompt.user.contains("ENTRY #id-300"));
}
