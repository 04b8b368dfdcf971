//! Times in questions are read the same whatever the store, and find the same
//! entries.

use gannet_core::registry::Registry;
use gannet_core::{SearchInput, SearchResult};
use gannet_tests::{Host, StoreKind, ids, in_full};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Has summer time, so that days of 23 and 25 hours are among the days.
const ZONE: (&str, &str) = ("timezone", "Europe/Berlin");
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Two years and a bit, with two or three entries a day.
const ENTRIES: i64 = 1_600;

fn time_of(number: i64) -> Timestamp {
    let start: Timestamp = "2024-01-01T00:00:00Z".parse().unwrap();
    start + SignedDuration::from_hours(11 * number)
}

fn records() -> Vec<Value> {
    let record = |number| {
        json!({
            "id": format!("E{number:04}"),
            "timestamp": time_of(number).to_string(),
            "author": "operator",
            "text": format!("the pump was seen to, number {number}"),
        })
    };
    (0..ENTRIES).map(record).collect()
}

/// What names a time: as people write it, or as a filter.
fn times() -> impl Strategy<Value = String> {
    let day = (2024..2026_i32, 1..13_usize, 1..29_u8);
    day.prop_flat_map(|(year, month, day)| {
        let name = MONTHS[month - 1];
        prop::sample::select(vec![
            format!("on {day} {name} {year}"),
            format!("on {name} {day}, {year}"),
            format!("on {year}-{month:02}-{day:02}"),
            format!("in {name} {year}"),
            format!("in {year}"),
            format!("since {day} {name} {year}"),
            format!("before {name} {year}"),
            format!("in the night of {day} {name} {year}"),
            format!("in the spring of {year}"),
            format!("between {name} {year} and December 2025"),
            format!("date:{year}-{month:02}-{day:02}"),
            format!("date:{year}-{month:02}"),
            format!("date:>={year}-{month:02}-{day:02}"),
        ])
    })
}

fn ask(runtime: &Runtime, host: &Host, question: &str) -> SearchResult {
    let mut input = SearchInput::new(question);
    input.mode = Some("keyword".to_owned());
    input.max_results = Some(100);
    runtime.block_on(host.gannet.search(input)).unwrap()
}

#[test]
fn a_time_in_a_question_is_read_the_same_in_both_stores_and_finds_the_same_entries() {
    let runtime = Runtime::new().unwrap();
    let filled = |kind| {
        runtime.block_on(async {
            let registry = Registry::linked().unwrap();
            let host = Host::on_with_plugins(kind, &[ZONE], &registry).await?;
            host.ingest_lines(&records()).await;
            host.gannet.store().flush().await.unwrap();
            Some(host)
        })
    };
    let Some(postgres) = filled(StoreKind::Postgres) else {
        return;
    };
    let embedded = filled(StoreKind::Embedded).unwrap();
    let cases = u32::try_from(in_full(48, 1_000)).unwrap();
    let mut runner = TestRunner::new(Config::with_cases(cases));
    runner
        .run(&times(), |time| {
            let question = format!("pump {time}");
            let one = ask(&runtime, &embedded, &question);
            let other = ask(&runtime, &postgres, &question);
            prop_assert!(!one.plan.times.is_empty(), "{}", question);
            prop_assert_eq!(&one.plan, &other.plan, "{}", question);
            prop_assert_eq!(ids(&one), ids(&other), "{}", question);
            Ok(())
        })
        .unwrap();
    let zone = TimeZone::get(ZONE.1).unwrap();
    // Days of 23, 25 and 24 hours.
    for day in ["2024-03-31", "2024-10-27", "2025-02-28"] {
        let day: Date = day.parse().unwrap();
        let is_of_day = |at: Timestamp| at.to_zoned(zone.clone()).date() == day;
        let expected = (0..ENTRIES).filter(|&number| is_of_day(time_of(number)));
        let found = ask(&runtime, &embedded, &format!("pump date:{day}"));
        assert_eq!(found.entries.len(), expected.count(), "{day}");
        let mut hits = found.entries.iter();
        assert!(hits.all(|hit| is_of_day(hit.entry.timestamp)), "{day}");
    }
}
