//! A question whose time or thing fits no entry is searched without it, and the
//! result says so.

use gannet_tests::Host;
use serde_json::{Value, json};

async fn host() -> Host {
    let record = |number: usize| -> Value {
        json!({
            "id": format!("E{number}"),
            "timestamp": format!("2025-03-{:02}T08:00:00Z", 1 + number % 28),
            "author": if number.is_multiple_of(2) { "Voss, A." } else { "Lindqvist, M." },
            "text": "the vacuum pump of the injector tripped",
        })
    };
    let host = Host::with(&[]).await;
    host.ingest_lines(&(0..30).map(record).collect::<Vec<_>>())
        .await;
    host.enhance().await;
    host.gannet.store().flush().await.unwrap();
    host
}

async fn relaxed(host: &Host, question: &str) -> Vec<String> {
    let result = host.search("rag", question).await;
    assert!(!result.entries.is_empty(), "{question}");
    let notes = result.diagnostics.into_iter();
    let relaxed = notes.filter(|note| note.category.as_deref() == Some("relaxed"));
    relaxed.map(|note| note.message).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_found_is_named() {
    let host = host().await;
    assert_eq!(
        relaxed(&host, "vacuum pump trips in June 2019").await,
        ["no entry of `June 2019` fits; searched without it"]
    );
    assert_eq!(
        relaxed(&host, "vacuum pump trips of Voss in June 2019").await,
        [
            "no entry fits `June 2019` and `Voss` together; searched for each alone",
            "no entry of `June 2019` fits; searched without it"
        ]
    );
    let found = relaxed(&host, "vacuum pump trips of Voss in March 2025").await;
    assert_eq!(found, Vec::<String>::new());
}
