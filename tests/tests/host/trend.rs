//! Counts over time, over a whole host.

use std::collections::BTreeMap;

use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, shared};
use serde_json::{Value, json};

const MODE: &str = "trend";

/// Two years and a half of a logbook with two rounds a week, whose pump trips
/// once a month in the first year and four times a month from July of the second
/// on. It begins and ends in the middle of a month.
async fn host() -> Host {
    let host = Host::new().await;
    let mut lines = Vec::new();
    let entry = |time: String, device: &str, text: &str, number: usize| {
        json!({
            "id": format!("T-{number:04}"), "text": text, "timestamp": time, "author": "Lee",
            "metadata": { "device": device, "class": if device == "X-1" { "round" } else { "trip" } },
        })
    };
    let months = (2022..2025).flat_map(|year| (1..=12).map(move |month| (year, month)));
    for (year, month) in months.take(30) {
        let is_first = (year, month) == (2022, 1);
        let is_last = (year, month) == (2024, 6);
        let days = |all: &[u32]| -> Vec<u32> {
            let covered = |day: &&u32| !(is_first && **day < 15 || is_last && **day > 14);
            all.iter().filter(covered).copied().collect()
        };
        for day in days(&[1, 5, 8, 12, 15, 19, 22, 26]) {
            let time = format!("{year}-{month:02}-{day:02}T06:00:00Z");
            lines.push(entry(
                time,
                "X-1",
                "Rounds done, all as expected.",
                lines.len(),
            ));
        }
        let trips: &[u32] = match (year, month) >= (2023, 7) {
            true => &[3, 10, 18, 27],
            false if month % 3 == 0 => &[4],
            false => &[4, 20],
        };
        for day in days(trips) {
            let time = format!("{year}-{month:02}-{day:02}T11:00:00Z");
            lines.push(entry(time, "P-2", "Pump tripped on low flow.", lines.len()));
        }
    }
    host.ingest_lines(&lines).await;
    host
}

async fn trend(host: &Host, question: &str, params: Value) -> SearchResult {
    let mut input = SearchInput::new(question);
    input.mode = Some(MODE.to_owned());
    input.params = params.as_object().cloned().unwrap_or_default();
    host.gannet.search(input).await.unwrap()
}

fn found(result: &SearchResult) -> &Value {
    &result.extensions[MODE]
}

fn changes(of: &Value) -> Vec<&str> {
    let points = of["change_points"].as_array().unwrap().iter();
    points.map(|point| point["at"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_the_one_change_point_and_partly_covered_months_are_none() {
    let host = host().await;
    let result = trend(
        &host,
        "how many entries with meta.class:trip per month",
        json!({}),
    )
    .await;
    let trend = found(&result);
    assert_eq!(trend["unit"], "month");
    let rows = trend["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    let partial = rows.iter().filter(|row| row["is_partial"] == true);
    let partial: Vec<&Value> = partial.map(|row| &row["value"]).collect();
    assert_eq!(partial, ["2022-01", "2024-06"]);
    assert_eq!(changes(trend), ["2023-07"]);
    let of_rows = rows.iter().map(|row| row["count"].as_u64().unwrap());
    assert_eq!(of_rows.sum::<u64>(), trend["count"].as_u64().unwrap());
    let mean = &trend["mean_time_between"];
    let days = |key: &str| mean[key].as_f64().unwrap();
    assert!(days("low_days") < days("days") && days("days") < days("high_days"));
    let answer = result.answer.as_deref().unwrap();
    assert!(
        answer.contains("Change point: from 2023-07 on 4.00"),
        "{answer}"
    );
    assert!(answer.contains("- 2023-07: 4"), "{answer}");
    assert_eq!(
        result.pipeline_details.as_ref().unwrap()["set"]["rows"][5]["count"],
        rows[5]["count"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_entries_there_are_no_rows_in_words() {
    let host = host().await;
    let question = "how many entries with meta.class:fire per month";
    let result = trend(&host, question, json!({})).await;
    let answer = result.answer.as_deref().unwrap();
    assert!(answer.starts_with("0 entries from"), "{answer}");
    assert!(!answer.contains("Entries by month"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_value_has_its_own_counts_and_change_points() {
    let host = host().await;
    let params = json!({ "by": "device", "unit": "month", "svg": true });
    let result = trend(&host, "how many entries", params).await;
    let trend = found(&result);
    let series = trend["series"].as_array().unwrap();
    let values: Vec<&Value> = series.iter().map(|one| &one["value"]).collect();
    assert_eq!(values, ["X-1", "P-2"]);
    assert_eq!(changes(&series[0]), Vec::<&str>::new());
    assert_eq!(changes(&series[1]), ["2023-07"]);
    let counts = |of: &Value| -> Vec<u64> {
        let counts = of.as_array().unwrap().iter();
        counts.map(|count| count.as_u64().unwrap()).collect()
    };
    for (at, row) in trend["rows"].as_array().unwrap().iter().enumerate() {
        let of_values: u64 = series.iter().map(|one| counts(&one["counts"])[at]).sum();
        assert_eq!(row["count"].as_u64().unwrap(), of_values, "{row}");
    }
    let svg = trend["svg"].as_str().unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    assert_eq!(svg.matches("<rect").count(), 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_names_a_field_and_a_period_in_any_order() {
    let host = host().await;
    for question in [
        "how many entries by device per month",
        "how many entries per month by device",
    ] {
        let result = trend(&host, question, json!({})).await;
        let trend = found(&result);
        assert_eq!(trend["unit"], "month", "{question}");
        let series = trend["series"].as_array().unwrap().iter();
        let values: Vec<&Value> = series.map(|one| &one["value"]).collect();
        assert_eq!(values, ["X-1", "P-2"], "{question}");
        let answer = result.answer.as_deref().unwrap();
        assert!(answer.contains("\nBy device:\n"), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_a_word_are_one_topic() {
    let host = Host::new().await;
    let entry = |day: usize, text: &str, hour: u32| {
        json!({
            "id": format!("F-{day:02}-{hour}"), "text": text, "author": "Lee",
            "timestamp": format!("2024-03-{day:02}T{hour:02}:00:00Z"),
        })
    };
    let days = 1..=28;
    let rounds = days
        .clone()
        .map(|day| entry(day, "Rounds done, all as expected.", 10));
    let trips = days
        .step_by(3)
        .map(|day| entry(day, "Pump tripped on low flow.", 11));
    let lines: Vec<Value> = rounds.chain(trips).collect();
    host.ingest_lines(&lines).await.enhance().await;
    for question in ["tripped", "trips", "trip", "pump trips", "pumps tripped"] {
        let result = trend(&host, question, json!({ "unit": "week" })).await;
        assert_eq!(found(&result)["is_about"], true, "{question}");
        assert_eq!(found(&result)["count"], 10, "{question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn periods_without_an_entry_count_as_zero() {
    let host = host().await;
    let question = "entries with meta.class:trip from May 2022 to June 2022";
    let result = trend(&host, question, json!({ "unit": "week" })).await;
    let rows = found(&result)["rows"].as_array().unwrap();
    let counts = rows.iter().map(|row| row["count"].as_u64().unwrap());
    let counts: Vec<u64> = counts.collect();
    assert_eq!(counts.len(), 10);
    assert_eq!(counts.iter().sum::<u64>(), 3);
    assert!(counts.iter().filter(|count| **count == 0).count() == 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_is_none_or_too_short_is_refused() {
    let host = host().await;
    for (unit, message) in [
        ("decade", "day, week, month or year"),
        ("day", "longer unit"),
    ] {
        let mut input = SearchInput::new("how many entries");
        input.mode = Some(MODE.to_owned());
        let params = json!({ "unit": unit });
        input.params = params.as_object().cloned().unwrap_or_default();
        let refused = host.gannet.search(input).await.unwrap_err().to_string();
        assert!(refused.contains(message), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_of_large_sets_are_those_of_the_corpus() {
    let Some(corpus) = shared("data/nrc-reactor/corpus.jsonl") else {
        return;
    };
    let corpus = std::fs::read_to_string(corpus).unwrap();
    let reports = corpus.lines().step_by(7);
    let lines: Vec<Value> = reports
        .map(|one| serde_json::from_str(one).unwrap())
        .collect();
    let mut years: BTreeMap<&str, u64> = BTreeMap::new();
    for report in &lines {
        *years
            .entry(&report["timestamp"].as_str().unwrap()[..4])
            .or_default() += 1;
    }
    let host = Host::new().await;
    host.ingest_lines(&lines).await;
    let result = trend(
        &host,
        "how many reports",
        json!({ "unit": "year", "by": "state" }),
    )
    .await;
    let trend = found(&result);
    assert!(trend["count"].as_u64().unwrap() > 1_000);
    for row in trend["rows"].as_array().unwrap() {
        let year = row["value"].as_str().unwrap();
        let count = years.get(year).copied().unwrap_or_default();
        assert_eq!(row["count"].as_u64(), Some(count), "{year}");
    }
    assert_eq!(trend["series"].as_array().unwrap().len(), 10);
    assert!(trend["other_values"].as_u64().unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn weeks_and_days_are_named_in_the_question() {
    let host = host().await;
    for (question, unit) in [
        ("how many entries per week", "week"),
        ("how many entries in May 2024 by day", "day"),
    ] {
        let named = trend(&host, question, json!({})).await;
        assert_eq!(found(&named)["unit"], unit, "{question}");
        assert_eq!(found(&named)["is_about"], false, "{question}");
        let rows = found(&named)["rows"].as_array().unwrap();
        let sum: u64 = rows.iter().map(|row| row["count"].as_u64().unwrap()).sum();
        assert_eq!(found(&named)["count"], sum, "{question}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_between_several_times_is_no_time_without_entries() {
    let host = host().await;
    let result = trend(
        &host,
        "how many entries in February 2022 and in May 2024 by week",
        json!({}),
    )
    .await;
    let trend = found(&result);
    assert_eq!(changes(trend), Vec::<&str>::new());
    assert_eq!(trend["mean_time_between"], Value::Null);
    let answer = result.answer.unwrap();
    assert!(answer.contains("names several times"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_of_a_period_has_the_entries_that_are_counted() {
    let host = host().await;
    let question = "how many entries since 2024-05-08 per week";
    let result = trend(&host, question, json!({})).await;
    let first = &found(&result)["rows"][0];
    let mut input = SearchInput::new(first["filter"].as_str().unwrap());
    input.mode = Some("keyword".to_owned());
    let found = host.gannet.search(input).await.unwrap();
    assert_eq!(first["count"], found.entries.len(), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logbook_without_entries_has_a_trend_without_periods() {
    let keys = |result: &SearchResult| {
        let keys = found(result).as_object().unwrap().keys();
        keys.cloned().collect::<Vec<_>>()
    };
    let empty = trend(&Host::new().await, "trips", json!({})).await;
    let answer = empty.answer.as_deref();
    assert_eq!(answer, Some("The logbook has no entries."));
    assert_eq!(found(&empty)["rows"], json!([]));
    assert_eq!(found(&empty)["from"], json!(null));
    let other = trend(&host().await, "trips", json!({})).await;
    assert_eq!(keys(&empty), keys(&other));
}
