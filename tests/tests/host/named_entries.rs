//! Questions that name an entry by its id, and chats that begin with a
//! greeting.
use gannet_api::{AnswerStatus, ChatMessage, ChatRole, Filter};
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::Host;
use serde_json::json;

/// `SKY-0169` is mentioned by two others, more often than it says its own id.
async fn host() -> Host {
    let host = Host::with(&[]).await;
    let record = |id: &str, author: &str, text: &str| {
        json!({
            "id": id,
            "timestamp": "2024-01-03T08:00:00Z",
            "author": author,
            "text": text,
        })
    };
    let records = [
        record(
            "SKY-0169",
            "ann",
            "Circulator failed. Cooling water was low.",
        ),
        record(
            "SKY-0170",
            "bob",
            "See SKY-0169, again SKY-0169: flow switch replaced.",
        ),
        record("SKY-0171", "bob", "Follow-up of SKY-0169: flow is stable."),
        record("SKY-0172", "cid", "Good morning, the night was quiet."),
    ];
    host.ingest_lines(&records).await;
    host.enhance().await;
    host
}

async fn asked(host: &Host, mode: &str, query: &str) -> SearchResult {
    let mut input = SearchInput::new(query);
    input.mode = Some(mode.to_owned());
    host.gannet.search(input).await.unwrap()
}

fn ids(result: &SearchResult) -> Vec<&str> {
    let hits = result.entries.iter();
    hits.map(|hit| hit.entry.entry_id.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exact_id_ranks_its_entry_first_in_every_mode() {
    let host = host().await;
    for mode in ["keyword", "semantic", "rag", "agent"] {
        for query in ["SKY-0169", "#SKY-0169", "id:SKY-0169"] {
            let result = asked(&host, mode, query).await;
            assert_eq!(ids(&result)[0], "SKY-0169", "{mode} {query}");
            let scores: Vec<f64> = result.entries.iter().map(|hit| hit.score).collect();
            assert!(
                scores.is_sorted_by(|a, b| a >= b),
                "{mode} {query} {scores:?}"
            );
        }
    }
    let mut others = SearchInput::new("SKY-0169");
    others.mode = Some("keyword".to_owned());
    others.filter = host
        .gannet
        .filter(&[("author".to_owned(), "bob".to_owned())])
        .unwrap();
    let result = host.gannet.search(others).await.unwrap();
    assert!(!ids(&result).contains(&"SKY-0169"));
    let nobody = asked(&host, "keyword", "SKY-9999").await;
    assert!(!ids(&nobody).contains(&"SKY-9999"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_entry_that_is_named_is_the_answer() {
    let host = host().await;
    for mode in ["rag", "agent"] {
        for query in ["SKY-0169", "id:SKY-0169"] {
            let result = asked(&host, mode, query).await;
            assert_eq!(
                result.answer_status,
                Some(AnswerStatus::Grounded),
                "{mode} {query}"
            );
            let answer = result.answer.unwrap();
            assert!(answer.contains("Circulator failed."), "{answer}");
            assert!(answer.ends_with("[#SKY-0169]"), "{answer}");
            assert_eq!(result.citations, ["SKY-0169"]);
        }
    }
}

async fn after(host: &Host, said: &[&str], question: &str) -> Option<String> {
    let mut input = SearchInput::new(question);
    input.mode = Some("rag".to_owned());
    input.filter = Filter::none();
    let said = said.iter();
    input.history = said
        .map(|text| ChatMessage::new(ChatRole::User, *text))
        .collect();
    let result = host.gannet.search(input).await.unwrap();
    let details = result.pipeline_details.unwrap();
    details["plan"]["follows"].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_follows_no_greeting_and_no_word_that_is_in_no_entry() {
    let host = host().await;
    let question = "why did the circulator fail?";
    for greeting in ["hello", "Good morning!", "hi there", "bonjour", "xyzzy"] {
        assert_eq!(
            after(&host, &[greeting], question).await,
            None,
            "{greeting}"
        );
    }
    let said = ["hello", "cooling water", "thanks", "bonjour"];
    let follows = after(&host, &said, "who fixed it?").await;
    assert_eq!(follows.as_deref(), Some("cooling water"));
}
