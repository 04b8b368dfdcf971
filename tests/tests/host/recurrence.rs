//! Whether an event has happened before, over a whole host.

use gannet_tests::Host;
use serde_json::{Value, json};

const MODE: &str = "recurrence";

/// Trips of one device, and what else happens.
async fn host() -> Host {
    host_with(&[]).await
}

async fn host_with(settings: &[(&str, &str)]) -> Host {
    let trip = |id: &str, day: &str, fixed: &str| {
        json!({
            "id": id, "title": "Flow switch of the circulator on RF-2 tripped",
            "text": format!("RF-2 tripped on low circulator water flow, flow switch FS-21 open during both. {fixed}"),
            "timestamp": format!("{day}T08:00:00Z"), "author": "Lee",
            "metadata": { "device": "RF-2" },
        })
    };
    let mut lines = vec![
        trip(
            "T-0001",
            "2024-01-10",
            "The strainer was cleaned, flow is back.",
        ),
        trip("T-0002", "2024-05-02", "Cleaned the strainer again."),
        trip(
            "T-0003",
            "2024-07-01",
            "Replaced the flow switch, no trip since.",
        ),
    ];
    for number in 0..60 {
        let subject = [
            "Vacuum valve",
            "Beamline shutter",
            "Septum",
            "Cryoplant",
            "Timing system",
        ][number % 5];
        lines.push(json!({
            "id": format!("N-{number:04}"), "title": format!("{subject} inspected"),
            "text": format!("{subject} inspected in section {number}, everything as expected."),
            "timestamp": format!("2024-03-{:02}T10:00:00Z", number % 28 + 1), "author": "Voss",
            "metadata": { "device": format!("X-{number}") },
        }));
    }
    let host = Host::with(settings).await;
    host.ingest_lines(&lines).await;
    host
}

fn ids(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["entry_id"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_on_the_same_device_come_first_each_with_the_reason() {
    let host = host().await;
    let result = host.search(MODE, "T-0003").await;
    let found = &result.extensions["recurrence"];
    assert_eq!(found["asked"], "T-0003");
    let mut first = ids(&found["entries"])[..2].to_vec();
    first.sort_unstable();
    assert_eq!(first, ["T-0001", "T-0002"]);
    let why = found["entries"][0]["why"].to_string();
    assert!(why.contains("same device RF-2"), "{why}");
    assert!(why.contains("same words: "), "{why}");
    assert!(why.contains("earlier"), "{why}");
    for word in ["during", "both"] {
        assert!(!why.contains(word), "{why}");
    }
    let probabilities = found["entries"].as_array().unwrap().iter();
    let probabilities = probabilities.map(|one| one["probability"].as_f64().unwrap());
    assert!(probabilities.is_sorted_by(|a, b| a >= b));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reason_names_words_of_both_headings_first() {
    let host = host().await;
    let result = host.search(MODE, "T-0003").await;
    let why = &result.extensions["recurrence"]["entries"][0]["why"];
    let mut reasons = why.as_array().unwrap().iter();
    let words = reasons.find_map(|one| one.as_str().unwrap().strip_prefix("same words: "));
    let mut words: Vec<&str> = words.unwrap().split(", ").collect();
    words.sort_unstable();
    assert_eq!(words, ["circulator", "flow", "switch", "tripped"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_counts_occurrences_and_their_intervals() {
    // Every candidate is stated, so that nothing depends on the weights.
    let all = ("pipelines.recurrence.settings.stated_probability", "0.0");
    let host = host_with(&[all]).await;
    let result = host.search(MODE, "T-0003").await;
    let groups = &result.extensions["recurrence"]["groups"];
    assert_eq!(groups[0]["device"], "RF-2");
    assert_eq!(groups[0]["count"], 3);
    assert_eq!(ids(&groups[0]["entries"]), ["T-0001", "T-0002", "T-0003"]);
    // Each is reported after the repair of the one before.
    assert_eq!(groups[0]["intervals_days"], json!([113.0, 60.0]));
    let why = &groups[0]["entries"][0]["why"];
    assert!(why.to_string().contains("same device RF-2"), "{why}");
    assert_eq!(groups[0]["entries"][2]["why"], json!([]));
    let answer = result.answer.unwrap();
    assert!(
        answer.contains("at least 3 times since 2024-01-10, last on 2024-07-01"),
        "{answer}"
    );
    assert!(result.citations.contains(&"T-0001".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_compared_as_an_entry_is() {
    let host = host().await;
    let text = "RF-2 tripped: circulator water flow low, flow switch FS-21 open";
    let result = host.search(MODE, text).await;
    let found = &result.extensions["recurrence"];
    assert_eq!(found["asked"], json!(null));
    assert!(ids(&found["entries"])[0].starts_with("T-"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_of_no_entry_is_not_compared_as_a_text() {
    let host = host().await;
    for query in ["T-9999", "id:nope", "#nope"] {
        let result = host.search(MODE, query).await;
        let found = &result.extensions["recurrence"];
        let id = query.trim_start_matches("id:").trim_start_matches('#');
        assert_eq!(found["unknown"], id);
        assert_eq!(found["entries"], json!([]));
        let answer = result.answer.unwrap();
        assert!(answer.contains(&format!("no entry `{id}`")), "{answer}");
    }
    // The name of a device is a text.
    let result = host.search(MODE, "RF-2").await;
    assert_eq!(result.extensions["recurrence"]["unknown"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_without_others_of_its_kind_has_no_group() {
    let host = host().await;
    let result = host.search(MODE, "A goose walked into the canteen").await;
    assert_eq!(result.extensions["recurrence"]["groups"], json!([]));
    assert!(result.citations.is_empty());
    // What is similar is listed, and nothing says that there is none.
    let host = host_with(&[
        ("pipelines.recurrence.settings.stated_probability", "1.0"),
        ("pipelines.recurrence.settings.stated_kind", "1.0"),
    ])
    .await;
    let result = host.search(MODE, "RF-2 tripped on low water flow").await;
    assert!(!ids(&result.extensions["recurrence"]["entries"]).is_empty());
    let answer = result.answer.unwrap();
    assert!(answer.starts_with("No entry is certain"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn related_entries_are_ranked_by_the_same_model() {
    let host = host().await;
    let related = host
        .gannet
        .related("default", "T-0003")
        .await
        .unwrap()
        .unwrap();
    let mut first: Vec<&str> = related
        .similar
        .iter()
        .map(|one| one.entry.entry_id.as_str())
        .take(2)
        .collect();
    first.sort_unstable();
    assert_eq!(first, ["T-0001", "T-0002"]);
    assert!(related.similar[0].why[0].contains("RF-2"));
}
