//! Any UTF-8 text of up to 64 KiB is answered, in every mode.

use gannet_core::SearchInput;
use gannet_tests::{HOSTILE_TEXTS, Host, StoreKind, in_full, root};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;

#[test]
fn every_mode_answers_any_text() {
    answers_any_text(StoreKind::Embedded);
}

#[test]
fn every_mode_answers_any_text_on_postgresql() {
    answers_any_text(StoreKind::Postgres);
}

fn answers_any_text(kind: StoreKind) {
    let runtime = Runtime::new().unwrap();
    let host = runtime.block_on(async {
        let host = Host::on(kind).await?;
        host.ingest("generic_json", &root().join("demo/logbook.json"))
            .await;
        host.enhance().await;
        Some(host)
    });
    let Some(host) = host else {
        return;
    };
    let ask = |text: &str| {
        for mode in ["keyword", "semantic", "rag"] {
            let mut input = SearchInput::new(text);
            input.mode = Some(mode.to_owned());
            runtime.block_on(host.gannet.search(input)).unwrap();
        }
    };
    HOSTILE_TEXTS.iter().for_each(|text| ask(text));
    ask(&"cavity (\"trip ".repeat(4_000));
    let words = prop_oneof![
        r#"[a-z]{1,8}"#,
        r#"(AND|OR|NOT|-|\(|\)|"|\*|/|:|author:|date:|\[|\]|~|\^|\+)"#,
        "\\PC{1,6}",
    ];
    let texts = prop::collection::vec(words, 0..24).prop_map(|words| words.join(" "));
    let cases = u32::try_from(in_full(64, 1_000)).unwrap();
    let mut runner = TestRunner::new(Config::with_cases(cases));
    runner
        .run(&texts, |text| {
            ask(&text);
            Ok(())
        })
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_beyond_the_limit_is_searched_like_its_beginning() {
    let host = Host::new().await;
    host.ingest("generic_json", &root().join("demo/logbook.json"))
        .await;
    host.enhance().await;
    let limit = 1_000;
    for piece in [
        "cavity trip ",
        "why in June 2025? ",
        "\"(",
        "ä b-",
        "date:2025 ",
    ] {
        let long = piece.repeat(65_536 / piece.len());
        let beginning: String = long.chars().take(limit).collect();
        for mode in ["keyword", "semantic", "rag"] {
            let whole = host.search(mode, &long).await;
            let cut = host.search(mode, &beginning).await;
            assert_eq!(whole.plan, cut.plan, "{mode} {piece}");
            assert_eq!(whole.entries, cut.entries, "{mode} {piece}");
            assert!(whole.plan.text.chars().count() <= limit, "{mode} {piece}");
            let told = whole.diagnostics.iter();
            let told = told.filter(|one| one.message.contains("1000"));
            assert_eq!(told.count(), 1, "{mode} {:?}", whole.diagnostics);
        }
    }
}
