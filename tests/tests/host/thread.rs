//! What belongs to an entry, over a whole host.

use gannet_core::SearchResult;
use gannet_tests::Host;
use serde_json::{Value, json};

const MODE: &str = "thread";

fn entry(id: &str, time: &str, text: &str, metadata: Value) -> Value {
    json!({
        "id": id, "title": text, "text": text, "timestamp": format!("{time}T08:00:00Z"),
        "author": "Lee", "metadata": metadata,
    })
}

async fn host_of(lines: &[Value]) -> Host {
    // Every event that was compared is stated, so that nothing depends on weights.
    let all = ("pipelines.recurrence.settings.stated_probability", "0.0");
    let host = Host::with(&[all]).await;
    host.ingest_lines(lines).await;
    host
}

/// Each entry with its kinds.
fn steps(result: &SearchResult) -> Vec<(String, Vec<String>)> {
    let steps = result.extensions[MODE]["steps"].as_array().unwrap().iter();
    let kinds = |step: &Value| {
        let kinds = step["kinds"].as_array().unwrap().iter();
        kinds
            .map(|kind| kind.as_str().unwrap().to_owned())
            .collect()
    };
    steps
        .map(|step| (step["entry_id"].as_str().unwrap().to_owned(), kinds(step)))
        .collect()
}

fn kinds_of(result: &SearchResult, id: &str) -> Vec<String> {
    let mut steps = steps(result).into_iter();
    steps
        .find(|(step, _)| step == id)
        .map(|(_, kinds)| kinds)
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn references_of_every_form_are_steps_in_both_directions() {
    let lines = [
        entry(
            "EN40001",
            "2024-01-01",
            "Loss of the auxiliary feed",
            json!({}),
        ),
        entry(
            "EN40002",
            "2024-01-02",
            "Meeting about Event Number 40001 and EN# 40003",
            json!({}),
        ),
        entry(
            "EN40003",
            "2024-01-03",
            "Visit of the inspector, 40001 steps",
            json!({}),
        ),
        entry(
            "EN40004",
            "2024-01-04",
            "Paint in the hall, see EN40002",
            json!({}),
        ),
    ];
    let host = host_of(&lines).await;
    let result = host.search(MODE, "EN40002").await;
    let kind = |id| kinds_of(&result, id);
    assert_eq!(kind("EN40001"), ["referred_to"]);
    assert_eq!(kind("EN40002"), ["this_entry"]);
    assert_eq!(kind("EN40003"), ["referred_to"]);
    assert_eq!(kind("EN40004"), ["refers_to"]);
    let ids: Vec<String> = steps(&result).into_iter().map(|(id, _)| id).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let of_first = host.search(MODE, "EN40001").await;
    assert_eq!(kinds_of(&of_first, "EN40002"), ["refers_to"]);
    // A number by itself is no reference.
    let kinds = kinds_of(&of_first, "EN40003");
    assert!(!kinds.contains(&"refers_to".to_owned()), "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_of_replies_is_followed_to_both_ends() {
    let lines = [
        entry(
            "RF/1",
            "2024-01-01",
            "Window looks dark",
            json!({ "replies": ["RF/2", "RF/4"] }),
        ),
        entry(
            "RF/2",
            "2024-01-02",
            "I agree",
            json!({ "linked_to": "RF/1", "replies": ["RF/3"] }),
        ),
        entry(
            "RF/3",
            "2024-01-03",
            "Thanks",
            json!({ "linked_to": "RF/2" }),
        ),
        entry(
            "RF/4",
            "2024-01-04",
            "Picture attached",
            json!({ "linked_to": "RF/1" }),
        ),
        entry(
            "RF/5",
            "2024-01-05",
            "Summary for the meeting",
            json!({ "linked_to": "RF/3" }),
        ),
    ];
    let host = host_of(&lines).await;
    let result = host.search(MODE, "RF/3").await;
    let kind = |id| kinds_of(&result, id);
    assert_eq!(kind("RF/1"), ["replied_to"]);
    assert_eq!(kind("RF/2"), ["replied_to"]);
    assert_eq!(kind("RF/4"), ["reply"]);
    // It is linked, and nothing says that it is a reply.
    assert_eq!(kind("RF/5"), ["refers_to"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_that_only_one_side_names_are_followed_both_ways() {
    let day = |number: usize| format!("2024-01-0{number}");
    let mut lines = vec![
        entry("A1x", &day(1), "Window looks dark", json!({})),
        entry("B1x", &day(2), "I agree", json!({ "in_reply_to": "A1x" })),
        entry("C1x", &day(3), "Thanks", json!({ "in_reply_to": "B1x" })),
        entry("P9", &day(1), "Question", json!({ "replies": ["Q9"] })),
        entry("Q9", &day(2), "Answer", json!({})),
        // Numbers are ids too, however often texts have them.
        entry("12", &day(1), "Valve stuck", json!({})),
        entry(
            "300",
            &day(2),
            "See entry 12 for the valve",
            json!({ "replies": [13] }),
        ),
        entry("13", &day(3), "It moves", json!({})),
        entry(
            "301",
            &day(3),
            "Release https://host/changelog/12",
            json!({}),
        ),
    ];
    lines.extend((400..520).map(|id| entry(&id.to_string(), &day(4), "Pump at 12 bar", json!({}))));
    let host = host_of(&lines).await;
    let first = host.search(MODE, "A1x").await;
    assert_eq!(kinds_of(&first, "B1x"), ["reply"]);
    assert_eq!(kinds_of(&first, "C1x"), ["reply"]);
    let last = host.search(MODE, "C1x").await;
    assert_eq!(kinds_of(&last, "A1x"), ["replied_to"]);
    let child = host.search(MODE, "Q9").await;
    assert_eq!(kinds_of(&child, "P9"), ["replied_to"]);
    let number = host.search(MODE, "12").await;
    assert_eq!(kinds_of(&number, "300"), ["refers_to"]);
    let linked = host.search(MODE, "300").await;
    assert_eq!(kinds_of(&linked, "13"), ["reply"]);
    let other = host.search(MODE, "301").await;
    assert!(!kinds_of(&other, "12").contains(&"referred_to".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_is_first_seen_repaired_and_seen_again() {
    let device = || json!({ "device": "RF-2" });
    let trip = "RF-2 tripped on low circulator water flow, flow switch FS-21 open";
    let repair = "Flow switch FS-21 of RF-2 replaced, circulator water flow is as before";
    let plan = "Flow switch FS-21 of RF-2 will be replaced, circulator water flow low";
    let again = "RF-2 tripped again on low circulator water flow, flow switch FS-21 open";
    let mut lines = vec![
        entry("T-1", "2024-01-10", trip, device()),
        entry("T-2", "2024-01-12", plan, device()),
        entry("T-3", "2024-01-20", repair, device()),
        entry("T-4", "2024-05-02", again, device()),
    ];
    for number in 0..40 {
        let text = format!("Vacuum valve inspected in section {number}, as expected");
        lines.push(entry(
            &format!("N-{number}"),
            "2024-03-01",
            &text,
            json!({}),
        ));
    }
    let host = host_of(&lines).await;
    let result = host.search(MODE, "T-4").await;
    assert_eq!(kinds_of(&result, "T-1"), ["first_seen"]);
    assert_eq!(kinds_of(&result, "T-2"), ["same_device"]);
    assert_eq!(kinds_of(&result, "T-3"), ["repaired"]);
    assert_eq!(kinds_of(&result, "T-4"), ["this_entry", "seen_again"]);
    let answer = result.answer.unwrap();
    let path = "First seen on 2024-01-10 → repaired on 2024-01-20 → seen again on 2024-05-02.";
    assert!(answer.starts_with(path), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_in_a_heading_makes_an_entry_neither_first_seen_nor_seen_again() {
    let trip = |id: &str, day: &str, what: &str| {
        let text = format!("RF-2 {what} on low circulator water flow, flow switch FS-21 open");
        entry(id, day, &text, json!({ "device": "RF-2" }))
    };
    let lines = [
        trip("T-1", "2024-01-10", "trip #4"),
        trip("T-2", "2024-02-10", "trip #5"),
        trip("T-3", "2024-05-02", "tripped again"),
    ];
    let host = host_of(&lines).await;
    let result = host.search(MODE, "T-3").await;
    assert_eq!(kinds_of(&result, "T-1"), ["same_device"]);
    assert_eq!(kinds_of(&result, "T-2"), ["same_device"]);
    assert_eq!(kinds_of(&result, "T-3"), ["this_entry", "seen_again"]);
    let answer = result.answer.unwrap();
    assert!(answer.starts_with("Seen again on 2024-05-02."), "{answer}");
    // The groups are those of the pipeline that found them.
    let groups = &result.extensions[MODE]["groups"];
    let again = host.search("recurrence", "id:T-3").await;
    assert_eq!(*groups, again.extensions["recurrence"]["groups"]);
    assert_eq!(groups[0]["device"], "RF-2");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_is_told_in_the_same_words_is_seen_again() {
    let trip = |day: u32| {
        let text = "X-5 tripped on low flow, circulator paddle stuck";
        let day = format!("2024-01-{day:02}");
        entry(&format!("X-{day}"), &day, text, json!({ "device": "X-5" }))
    };
    let lines: Vec<Value> = (10..16).map(trip).collect();
    let host = host_of(&lines).await;
    let result = host.search(MODE, "X-2024-01-15").await;
    assert_eq!(kinds_of(&result, "X-2024-01-10"), ["first_seen"]);
    for day in 11..15 {
        let id = format!("X-2024-01-{day}");
        assert_eq!(kinds_of(&result, &id), ["seen_again"], "{id}");
    }
    let last = kinds_of(&result, "X-2024-01-15");
    assert_eq!(last, ["this_entry", "seen_again"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_recurrence_a_thread_has_the_explicit_links() {
    let host = Host::with(&[("pipelines.recurrence.enabled", "false")]).await;
    let lines = [
        entry(
            "E-1",
            "2024-01-01",
            "Pump P-2 tripped",
            json!({ "device": "P-2" }),
        ),
        entry(
            "E-2",
            "2024-01-02",
            "Pump P-2 tripped as in E-1",
            json!({ "device": "P-2" }),
        ),
    ];
    host.ingest_lines(&lines).await;
    let result = host.search(MODE, "E-1").await;
    assert_eq!(kinds_of(&result, "E-2"), ["refers_to"]);
    assert!(
        result
            .diagnostics
            .iter()
            .any(|note| note.message.contains("recurrence"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_entry_has_no_thread() {
    let host = host_of(&[entry("E-1", "2024-01-01", "Pump tripped", json!({}))]).await;
    let alone = host.search(MODE, "E-1").await;
    assert_eq!(
        steps(&alone),
        [("E-1".to_owned(), vec!["this_entry".to_owned()])]
    );
    let answer = alone.answer.as_deref().unwrap();
    assert_eq!(answer, "No other entry is known to belong to this one.");
    let unknown = host.search(MODE, "E-2").await;
    assert!(unknown.citations.is_empty());
    assert!(unknown.answer.unwrap().contains("no entry `E-2`"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_may_have_quotes() {
    let id = "tube 5\"/17";
    let lines = [
        entry(id, "2024-01-01", "Window looks dark", json!({})),
        entry(
            "T-2",
            "2024-01-02",
            "Window exchanged",
            json!({ "in_reply_to": id }),
        ),
    ];
    let host = host_of(&lines).await;
    for query in [format!("id:\"{id}\""), id.to_owned()] {
        let result = host.search(MODE, &query).await;
        assert_eq!(kinds_of(&result, id)[0], "this_entry", "{query}");
    }
    let reply = host.search(MODE, "T-2").await;
    assert_eq!(kinds_of(&reply, id), ["replied_to"]);
}

/// Mails: their ids, and the fields of those that are replies.
const MAILS: [(&str, &str); 4] = [
    ("first@lab.example", ""),
    ("second@lab.example", "In-Reply-To: <first@lab.example>\n"),
    ("third@lab.example", "In-Reply-To: <second@lab.example>\n"),
    ("other@lab.example", ""),
];

fn mail(number: usize) -> String {
    let (id, reply) = MAILS[number];
    let day = number + 1;
    format!(
        "From: Lee <lee@lab.example>\nDate: {day} Jan 2024 08:00:00 +0000\n\
         Message-ID: <{id}>\n{reply}Subject: Window {day}\n\nThe window looks dark.\n"
    )
}

/// Checks the threads of the mails, which have these ids as entries.
async fn check_mails(host: &Host, ids: [&str; 4]) {
    let of = async |number: usize| {
        let result = host.search(MODE, &format!("id:\"{}\"", ids[number])).await;
        ids.map(|other| kinds_of(&result, other).into_iter().next())
    };
    let conversation = [
        ["this_entry", "reply", "reply"],
        ["replied_to", "this_entry", "reply"],
        ["replied_to", "replied_to", "this_entry"],
    ];
    for (number, expected) in conversation.into_iter().enumerate() {
        let kinds = of(number).await;
        assert_eq!(kinds[..3], expected.map(|kind| Some(kind.to_owned())));
    }
    let explicit = ["reply", "replied_to", "refers_to", "referred_to"];
    let alone = of(3).await;
    let mut kinds = alone.iter().flatten();
    assert!(
        !kinds.any(|kind| explicit.contains(&kind.as_str())),
        "{alone:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_are_linked_by_the_ids_of_their_messages() {
    let host = Host::new().await;
    let folder = tempfile::tempdir().unwrap();
    let names = ["a.eml", "b.eml", "c.eml", "d.eml"];
    for (number, name) in names.into_iter().enumerate() {
        std::fs::write(folder.path().join(name), mail(number)).unwrap();
    }
    host.ingest("files", folder.path()).await;
    check_mails(&host, names).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_of_a_mailbox_are_linked_as_those_of_single_files_are() {
    let host = Host::new().await;
    let folder = tempfile::tempdir().unwrap();
    let of = |number| format!("From lee@lab.example Mon Jan 1 2024\n{}\n", mail(number));
    let mailbox: String = (0..MAILS.len()).map(of).collect();
    std::fs::write(folder.path().join("list.mbox"), mailbox).unwrap();
    host.ingest("files", folder.path()).await;
    let ids = [
        "list.mbox#message=1",
        "list.mbox#message=2",
        "list.mbox#message=3",
        "list.mbox#message=4",
    ];
    check_mails(&host, ids).await;
}
