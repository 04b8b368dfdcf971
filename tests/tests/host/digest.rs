//! What happened in a span of time, over a whole host.

use std::collections::BTreeMap;

use gannet_core::api::{Condition, FilterField, TimeRange};
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, root, shared};
use serde_json::{Value, json};

const MODE: &str = "digest";

fn entry(id: &str, time: &str, device: &str, text: &str) -> Value {
    json!({
        "id": id, "text": text, "timestamp": format!("2024-01-{time}:00Z"), "author": "Lee",
        "metadata": { "device": device },
    })
}

/// A shift with a trip that was reset, one that was not, work that waits, and
/// what is routine.
async fn host() -> Host {
    host_with(&[]).await
}

async fn host_with(settings: &[(&str, &str)]) -> Host {
    let host = Host::with(settings).await;
    let lines = [
        entry(
            "S-0001",
            "05T01:00",
            "RF-2",
            "RF-2 tripped on low flow of the circulator.",
        ),
        entry("S-0002", "05T02:00", "RF-2", "RF-2 reset, beam is back."),
        entry(
            "S-0003",
            "05T03:00",
            "RF-3",
            "RF-3 tripped on reflected power.",
        ),
        entry(
            "S-0004",
            "05T04:00",
            "V-7",
            "Valve V-7 leaks. Awaiting the vacuum group to check it.",
        ),
        entry("S-0005", "05T05:00", "X-1", "Rounds done, all as expected."),
        entry(
            "S-0006",
            "05T06:00",
            "X-2",
            "Stored beam 300 mA, no alarms.",
        ),
        entry(
            "S-0007",
            "06T06:00",
            "RF-9",
            "RF-9 failed on the day after.",
        ),
    ];
    host.ingest_lines(&lines).await;
    host
}

async fn digest(host: &Host, from: &str, until: &str, params: Value) -> SearchResult {
    let day = |day: &str| format!("{day}T00:00:00Z").parse().ok();
    let time = TimeRange {
        from: day(from),
        until: day(until),
    };
    let mut input = SearchInput::new("");
    input.mode = Some(MODE.to_owned());
    input.max_results = Some(100);
    input.filter = input
        .filter
        .and(FilterField::Timestamp, Condition::Time(time));
    input.params = params.as_object().cloned().unwrap_or_default();
    host.gannet.search(input).await.unwrap()
}

fn items(result: &SearchResult) -> Vec<Value> {
    let sections = result.extensions[MODE]["sections"].as_array().unwrap();
    let items = sections
        .iter()
        .flat_map(|one| one["items"].as_array().unwrap());
    items.cloned().collect()
}

fn ids_of(result: &SearchResult, section: &str) -> Vec<String> {
    let items = items(result).into_iter();
    let items = items.filter(|item| item["section"] == section);
    items
        .map(|item| item["entry_id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_entry_of_the_time_is_in_its_section_or_counted() {
    let host = host().await;
    let result = digest(&host, "2024-01-05", "2024-01-06", json!({})).await;
    assert_eq!(
        ids_of(&result, "changed_state"),
        ["S-0001", "S-0002", "S-0004"]
    );
    assert_eq!(ids_of(&result, "open"), ["S-0003"]);
    assert_eq!(ids_of(&result, "waiting"), ["S-0004"]);
    let waiting = items(&result).pop().unwrap();
    assert_eq!(waiting["waits_for"], "the vacuum group");
    let quiet = &result.extensions[MODE]["not_listed"][0];
    assert_eq!(
        (&quiet["kind"], &quiet["count"]),
        (&json!("routine"), &json!(2))
    );
    assert_eq!(quiet["entry_ids"], json!(["S-0005", "S-0006"]));
    let answer = result.answer.unwrap();
    assert!(
        answer.starts_with("2024-01-05 00:00 to 2024-01-06 00:00 (UTC): 6 entries."),
        "{answer}"
    );
    assert!(answer.ends_with("Not listed: 2 routine."), "{answer}");
    assert!(!answer.contains("RF-9"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_in_a_long_sentence_is_not_routine() {
    let host = host().await;
    let text = format!(
        "While we looked at {}the pump P-9 failed and was left as it is.",
        "the pictures of the day and ".repeat(12)
    );
    host.ingest_lines(&[entry("L-0001", "05T07:00", "P-9", &text)])
        .await;
    let result = digest(&host, "2024-01-05", "2024-01-06", json!({})).await;
    assert_eq!(ids_of(&result, "open"), ["S-0003", "L-0001"]);
    check_sentences(&result);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_delivered_an_earlier_digest_is_not_in_the_next() {
    let host = host().await;
    let mut earlier = entry(
        "D-0001",
        "05T05:30",
        "RF-3",
        "RF-3 tripped on reflected power.",
    );
    earlier["metadata"]["delivered_message"] = json!("night");
    earlier["source_system"] = json!("Gannet");
    let mut newest = earlier.clone();
    (newest["id"], newest["timestamp"]) = (json!("D-0002"), json!("2024-01-08T06:00:00Z"));
    host.ingest_lines(&[earlier.clone(), newest]).await;
    let result = digest(&host, "2024-01-05", "2024-01-06", json!({})).await;
    assert_eq!(ids_of(&result, "open"), ["S-0003"]);
    assert!(result.answer.unwrap().contains(": 6 entries."));
    let result = digest(&host, "2024-02-05", "2024-02-06", json!({})).await;
    let answer = result.answer.unwrap();
    assert!(
        answer.contains("The newest entry, S-0007, is of"),
        "{answer}"
    );
    // A field of this name of another logbook means nothing.
    (earlier["id"], earlier["source_system"]) = (json!("D-0003"), json!("elog"));
    host.ingest_lines(&[earlier]).await;
    let result = digest(&host, "2024-01-05", "2024-01-06", json!({})).await;
    assert_eq!(ids_of(&result, "open"), ["D-0003"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_entry_of_a_filter_is_named_as_such() {
    let host = host().await;
    let pairs = [("device", "RF-3"), ("date_from", "2024-02-05")];
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut input = SearchInput::new("");
    input.mode = Some(MODE.to_owned());
    input.filter = host.gannet.filter(&pairs).unwrap();
    let result = host.gannet.search(input).await.unwrap();
    let newest = "The newest entry that the filter lets through, S-0003, is of 2024-01-05 03:00.";
    let answer = result.answer.unwrap();
    assert!(answer.ends_with(newest), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_listed_has_a_query_that_finds_it() {
    let host = host().await;
    let result = digest(&host, "2024-01-05", "2024-01-06", json!({ "by": "device" })).await;
    let names = result.extensions[MODE]["sections"]
        .as_array()
        .unwrap()
        .iter();
    let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["RF-2", "RF-3", "V-7"]);
    let not_listed = &result.extensions[MODE]["not_listed"][0];
    assert_eq!(not_listed["group"], "X-1");
    let found = host
        .search("keyword", not_listed["filter"].as_str().unwrap())
        .await;
    assert_eq!(gannet_tests::ids(&found), ["S-0005"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_has_room_for_the_most_important_sentences() {
    let host = host().await;
    let result = digest(
        &host,
        "2024-01-05",
        "2024-01-06",
        json!({ "max_chars": 400 }),
    )
    .await;
    let answer = result.answer.clone().unwrap();
    assert!(answer.chars().count() <= 400, "{answer}");
    assert_eq!(ids_of(&result, "waiting"), ["S-0004"]);
    assert!(
        result.extensions[MODE]["sentences_left_out"]
            .as_u64()
            .unwrap()
            > 0
    );
    // With room for one sentence, the other one of its entry is counted too.
    let short = json!({ "max_chars": 320 });
    let result = digest(&host, "2024-01-05", "2024-01-06", short).await;
    assert_eq!(result.citations, ["S-0004"]);
    assert_eq!(result.extensions[MODE]["sentences_left_out"], 4);
    let counted = "Not listed: 2 changed state, 1 open, 2 routine, 1 sentence of entries above.";
    let answer = result.answer.unwrap();
    assert!(answer.ends_with(counted), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_time_of_a_digest_is_of_one_time_zone_that_is_named_once() {
    let host = host_with(&[("timezone", "Europe/Berlin")]).await;
    let own = json!({ "timezone": "Asia/Tokyo" });
    for (params, zone, first, hours) in [
        (json!({}), "Europe/Berlin", "01:00", 1),
        (own, "Asia/Tokyo", "09:00", 9),
    ] {
        let result = digest(&host, "2024-01-05", "2024-01-06", params).await;
        let answer = result.answer.as_deref().unwrap();
        let heading = format!("2024-01-05 {first} to 2024-01-06 {first} ({zone}): 6 entries.");
        assert!(answer.starts_with(&heading), "{answer}");
        assert_eq!(answer.matches(zone).count(), 1, "{answer}");
        let details = &result.extensions[MODE];
        assert_eq!(details["timezone"], zone);
        let items = items(&result);
        for item in &items {
            let entry = &item["entry_id"].as_str().unwrap();
            let hour = entry[5..].parse::<u32>().unwrap() + hours;
            let time = format!("2024-01-05 {hour:02}:00");
            assert!(answer.contains(&time), "{entry}: {time}: {answer}");
        }
        let times = items.iter().map(|item| &item["time"]);
        for time in times.chain([&details["from"], &details["until"]]) {
            let offset = format!("+{hours:02}:00");
            assert!(time.as_str().unwrap().ends_with(&offset), "{time}");
        }
    }
    let mut input = SearchInput::new("yesterday");
    input.mode = Some(MODE.to_owned());
    input.params.insert("timezone".to_owned(), json!("Nowhere"));
    let refused = host.gannet.search(input).await.unwrap_err().to_string();
    assert!(refused.contains("`timezone`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_words_of_a_question_name_the_time() {
    let host = host().await;
    let result = host.search(MODE, "what happened on 2024-01-06?").await;
    assert_eq!(result.citations, ["S-0007"]);
    let result = host.search(MODE, "last shift").await;
    assert!(result.citations.is_empty());
    let newest = ": 0 entries. The newest entry, S-0007, is of 2024-01-06 06:00.";
    assert!(result.answer.unwrap().ends_with(newest));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_is_a_date_or_in_words() {
    let host = host().await;
    let between = |since, until| host.gannet.time_between(Some(since), until);
    let time = between("2024-01-05", Some("2024-01-06")).unwrap();
    assert_eq!(time.from.unwrap().to_string(), "2024-01-05T00:00:00Z");
    assert_eq!(time.until.unwrap().to_string(), "2024-01-07T00:00:00Z");
    let (shift, hours) = (between("last shift", None), between("24h", None));
    let (shift, hours) = (shift.unwrap(), hours.unwrap());
    assert!(shift.from > hours.from && shift.until.is_none());
    for wrong in ["soon", "the pump that tripped yesterday"] {
        let told = between(wrong, None).unwrap_err().to_string();
        assert!(told.contains("is not a time; write a date"), "{told}");
    }
    let told = between("2024-02", Some("2024-01")).unwrap_err().to_string();
    assert!(told.contains("swap them"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_sentence_of_the_demo_is_one_of_the_entry_that_it_cites() {
    let host = Host::new().await;
    host.ingest("jsonl", &root().join("demo/corpus.jsonl"))
        .await;
    let mut sentences = 0;
    for month in 1..12 {
        let (from, until) = (
            format!("2025-{month:02}-01"),
            format!("2025-{:02}-01", month + 1),
        );
        let result = digest(&host, &from, &until, json!({})).await;
        sentences += items(&result).len();
        check_sentences(&result);
    }
    assert!(sentences > 100, "{sentences}");
}

/// Every line with a sentence ends in the citation of an entry that has it.
fn check_sentences(result: &SearchResult) {
    let answer = result.answer.as_deref().unwrap();
    let lines = answer.lines().filter(|line| line.starts_with("- "));
    let items = items(result);
    assert_eq!(lines.clone().count(), items.len());
    assert!(
        lines
            .into_iter()
            .all(|line| line.ends_with(']') && line.contains("[#"))
    );
    for item in items {
        let id = item["entry_id"].as_str().unwrap();
        let mut entries = result.entries.iter().map(|hit| &hit.entry);
        let entry = entries.find(|entry| entry.entry_id == id).unwrap();
        let text = with_single_blanks(&entry.raw_text);
        // A part of a long sentence is marked.
        let sentence = item["sentence"].as_str().unwrap().trim_matches(['…', ' ']);
        let sentence = with_single_blanks(sentence);
        assert!(text.contains(&sentence), "{id}: {sentence}");
        assert_eq!(item["citation"], format!("[#{id}]"));
    }
}

fn with_single_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reports a day from which it is measured.
const BUSY: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn every_report_of_an_emergency_is_in_the_digest_of_a_busy_day() {
    let Some(corpus) = shared("data/nrc-reactor/corpus.jsonl") else {
        return;
    };
    let corpus = std::fs::read_to_string(corpus).unwrap();
    let reports: Vec<Value> = corpus
        .lines()
        .map(|one| serde_json::from_str(one).unwrap())
        .collect();
    let mut days: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for report in &reports {
        days.entry(&report["timestamp"].as_str().unwrap()[..10])
            .or_default()
            .push(report);
    }
    days.retain(|_, reports| reports.len() >= BUSY);
    // What is routine is learned from all: a tenth of them stands for all.
    let mut lines: Vec<Value> = days.values().flatten().map(|one| (*one).clone()).collect();
    let of_day = |one: &Value| days.contains_key(&one["timestamp"].as_str().unwrap()[..10]);
    lines.extend(
        reports
            .iter()
            .step_by(10)
            .filter(|one| !of_day(one))
            .cloned(),
    );
    let host = Host::new().await;
    host.ingest_lines(&lines).await;
    let mut emergencies = 0;
    for (day, reports) in &days {
        let until: jiff::civil::Date = day.parse().unwrap();
        let until = until.tomorrow().unwrap().to_string();
        let result = digest(&host, day, &until, json!({})).await;
        let answer = result.answer.as_deref().unwrap();
        assert!(answer.chars().count() <= 3_000, "{day}");
        for report in reports.iter().filter(|report| is_emergency(report)) {
            emergencies += 1;
            let id = report["id"].as_str().unwrap();
            assert!(
                result.citations.iter().any(|cited| cited == id),
                "{day}: {id}"
            );
        }
    }
    println!("{} days, {emergencies} reports of an emergency", days.len());
    assert!(emergencies > 0);
}

fn is_emergency(report: &Value) -> bool {
    let class = report["metadata"]["emergency_class"]
        .as_str()
        .unwrap_or_default();
    !["", "n/a", "non emergency"].contains(&class.to_lowercase().as_str())
}
