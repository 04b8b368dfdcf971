//! `count_entries`: what the store counts, for an agent.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod session;

use gannet_tests::Host;
use serde_json::{Value, json};
use session::{Session, host_of_pumps};

/// Three alerts in Alder and one in Birch, of 2004 and 2005, and a routine entry
/// without a state.
fn records() -> Vec<Value> {
    let record = |id: &str, time: &str, plant: &str, class: &str, state: Option<&str>| {
        let mut record = json!({
            "id": id, "timestamp": time, "author": plant, "text": "The unit was quiet.",
            "metadata": { "class": class },
        });
        if let Some(state) = state {
            record["metadata"]["state"] = json!(state);
        }
        record
    };
    vec![
        record("a1", "2004-01-05T08:00:00Z", "Alder", "alert", Some("OH")),
        record("a2", "2004-07-05T08:00:00Z", "Alder", "alert", Some("OH")),
        record("a3", "2005-03-05T08:00:00Z", "Alder", "alert", Some("OH")),
        record("b1", "2005-04-05T08:00:00Z", "Birch", "alert", Some("VA")),
        record("r1", "2005-05-05T08:00:00Z", "Birch", "routine", None),
    ]
}

async fn session_of(settings: &[(&str, &str)]) -> (Host, Session) {
    let host = Host::with(settings).await;
    host.ingest_lines(&records()).await;
    host.gannet.store().flush().await.unwrap();
    let session = Session::with(&host).await;
    (host, session)
}

fn groups(reply: &Value) -> Vec<(&str, u64)> {
    let groups = reply["groups"].as_array().unwrap().iter();
    let group = |group| {
        let group: &Value = group;
        (
            group["value"].as_str().unwrap(),
            group["count"].as_u64().unwrap(),
        )
    };
    groups.map(group).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_counted_as_pipelines_count_it() {
    let (_host, mut session) = session_of(&[]).await;
    let arguments = json!({ "question": "how many alerts at Alder per year?" });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(
        (&counted["count"], &counted["is_exact"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(groups(&counted), [("2004", 2), ("2005", 1)]);
    let plan = &counted["plan"];
    assert_eq!(plan["operation"], "count");
    assert_eq!(plan["group_by"], "year");
    assert_eq!(plan["conditions"].as_array().unwrap().len(), 2, "{plan}");
    let asked = json!({ "query": "how many alerts at Alder per year?" });
    let answer = session.done("rag", asked).await;
    let answer = answer["answer"].as_str().unwrap();
    assert!(answer.starts_with("3 entries, by year:"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_query_of_a_count_finds_the_counted_entries() {
    let (_host, mut session) = session_of(&[]).await;
    let arguments = json!({ "question": "alerts by state in 2005" });
    let counted = session.done("count_entries", arguments).await;
    let groups = counted["groups"].as_array().unwrap().iter();
    let whole = (&counted["plan"]["query"], &counted["count"]);
    let rows = groups.map(|group| (&group["query"], &group["count"]));
    for (query, count) in rows.chain([whole]) {
        let found = session
            .done("keyword_search", json!({ "query": query }))
            .await;
        assert_eq!(&found["results_found"], count, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_and_dates_are_counted_without_a_question() {
    let (_host, mut session) = session_of(&[]).await;
    let all = session.done("count_entries", json!({})).await;
    assert_eq!(all["count"], 5);
    let arguments = json!({
        "filters": { "class": "alert" }, "start_date": "2004-02", "end_date": "2005",
        "group_by": "author",
    });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(counted["count"], 3);
    assert_eq!(groups(&counted), [("Alder", 2), ("Birch", 1)]);
    let arguments = json!({ "group_by": "state" });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(groups(&counted), [("OH", 3), ("VA", 1), ("(none)", 1)]);
    let arguments = json!({ "group_by": "statue" });
    let counted = session.done("count_entries", arguments).await;
    let notes = counted["notes"].to_string();
    assert!(
        notes.contains("no counted entry has a value of `meta.statue`"),
        "{notes}"
    );
    let arguments = json!({ "filters": { "clas": "alert" } });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(counted["count"], 0);
    assert!(
        !counted["notes"].as_array().unwrap().is_empty(),
        "{counted}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_week_is_no_field() {
    let (_host, mut session) = session_of(&[]).await;
    let arguments = json!({ "group_by": "week" });
    let refused = session.call("count_entries", arguments).await;
    assert_eq!(refused.content["error_type"], "validation_error");
    let counted = session.done("count_entries", json!({ "group_by": "meta.week" }));
    assert_eq!(groups(&counted.await), [("(none)", 5)]);
    let question = json!({ "question": "how many alerts per week?" });
    let counted = session.done("count_entries", question).await;
    assert_eq!(
        (&counted["count"], &counted["is_exact"]),
        (&json!(4), &json!(false))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_of_values_is_a_note() {
    let (_host, mut session) = session_of(&[]).await;
    let question = json!({ "question": "how many authors are there?" });
    let counted = session.done("count_entries", question).await;
    assert_eq!(counted["count"], 5);
    let notes = counted["notes"].as_array().unwrap();
    let note = json!("the counted entries have 2 values of `author`");
    assert!(notes.contains(&note), "{notes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_or_last_entries_are_named() {
    let (_host, mut session) = session_of(&[("timezone", "Europe/Berlin")]).await;
    let arguments = json!({ "question": "the last two alerts" });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(session::ids(&counted), ["b1", "a3"]);
    assert_eq!(
        counted["entries"][1]["timestamp"],
        "2005-03-05T09:00:00+01:00"
    );
    let arguments = json!({ "question": "first alert", "filters": { "author": "Birch" } });
    let counted = session.done("count_entries", arguments).await;
    assert_eq!(session::ids(&counted), ["b1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_asks_of_no_set_names_the_search_tools() {
    let (_host, mut session) = session_of(&[]).await;
    let reply = session
        .call(
            "count_entries",
            json!({ "question": "why did the pump stop?" }),
        )
        .await;
    assert!(reply.is_error);
    assert_eq!(reply.content["error_type"], "validation_error");
    let suggestions = reply.content["suggestions"].to_string();
    assert!(suggestions.contains("use a search tool"), "{suggestions}");
    let (kind, message) = session
        .failed("count_entries", json!({ "start_date": "soon" }))
        .await;
    assert_eq!(kind, "validation_error", "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_says_by_what_a_pipeline_counts() {
    let host = host_of_pumps(3, &[]).await;
    let mut session = Session::with(&host).await;
    let tools = session.tools().await;
    let properties = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        properties.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        properties("trend"),
        ["query", "by", "unit", "exclude_entry_ids"]
    );
    assert_eq!(properties("digest"), ["query", "by", "exclude_entry_ids"]);
    let asked = json!({ "query": "how many entries", "by": "author", "unit": "year" });
    let found = session.done("trend", asked).await;
    let answer = found["answer"].as_str().unwrap();
    assert!(answer.contains("By author:"), "{answer}");
    let asked = json!({ "query": "how many entries", "unit": "fortnight" });
    let refused = session.failed("trend", asked).await;
    assert!(
        refused.1.contains("day, week, month or year"),
        "{refused:?}"
    );
}
