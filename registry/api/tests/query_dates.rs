//! Dates are days of the facility's time zone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::TimeRange;
use gannet_api::query::{QueryOptions, parse_date_span};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use proptest::prelude::*;

fn options(timezone: &str, now: &str) -> QueryOptions {
    QueryOptions {
        timezone: TimeZone::get(timezone).unwrap(),
        now: instant(now),
        ..QueryOptions::default()
    }
}

fn utc() -> QueryOptions {
    options("UTC", "2024-06-12T09:00:00Z")
}

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn range(from: &str, until: &str) -> TimeRange {
    let bound = |text: &str| (!text.is_empty()).then(|| instant(text));
    TimeRange {
        from: bound(from),
        until: bound(until),
    }
}

fn length(day: &str, options: &QueryOptions) -> SignedDuration {
    let span = parse_date_span(day, options).unwrap();
    span.until.unwrap().duration_since(span.from.unwrap())
}

#[test]
fn the_last_day_of_the_calendar_ends_a_range_that_has_no_end() {
    for zone in ["UTC", "America/Chicago", "Europe/Berlin"] {
        let options = options(zone, "2024-06-12T09:00:00Z");
        let day = parse_date_span("9999-12-31", &options).unwrap();
        assert_eq!(day.until, None, "{zone}");
        let range = parse_date_span("2024..9999-12-31", &options).unwrap();
        assert!(range.from.is_some() && range.until.is_none(), "{zone}");
    }
}

#[test]
fn every_documented_form_is_read() {
    let midnight = |date: &str| format!("{date}T00:00:00Z");
    for (text, from, until) in [
        ("2024", "2024-01-01", "2025-01-01"),
        ("2024-06", "2024-06-01", "2024-07-01"),
        ("2024-1", "2024-01-01", "2024-02-01"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("2024-06-12", "2024-06-12", "2024-06-13"),
        ("2024-6-2", "2024-06-02", "2024-06-03"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2024-01..2024-03", "2024-01-01", "2024-04-01"),
        ("2024-03..2024-01", "2024-01-01", "2024-04-01"),
        ("2024-01..<2024-03", "2024-01-01", "2024-03-01"),
        ("2024-01-30..2024-01-31", "2024-01-30", "2024-02-01"),
        ("today", "2024-06-12", "2024-06-13"),
        ("Yesterday", "2024-06-11", "2024-06-12"),
        ("7d", "2024-06-05", "2024-06-13"),
        ("0d", "2024-06-12", "2024-06-13"),
        ("7d..yesterday", "2024-06-05", "2024-06-12"),
    ] {
        let expected = range(&midnight(from), &midnight(until));
        assert_eq!(parse_date_span(text, &utc()), Some(expected), "{text}");
    }
}

#[test]
fn comparisons_and_open_ranges_have_one_end() {
    for (text, from, until) in [
        (">=2024-02", "2024-02-01T00:00:00Z", ""),
        (">2024-02", "2024-03-01T00:00:00Z", ""),
        ("<=2024-02", "", "2024-03-01T00:00:00Z"),
        ("<2024-02", "", "2024-02-01T00:00:00Z"),
        (">= 2024-02", "2024-02-01T00:00:00Z", ""),
        ("2024-02..", "2024-02-01T00:00:00Z", ""),
        ("..2024-02", "", "2024-03-01T00:00:00Z"),
    ] {
        assert_eq!(
            parse_date_span(text, &utc()),
            Some(range(from, until)),
            "{text}"
        );
    }
}

#[test]
fn a_time_of_day_is_as_long_as_it_is_precise() {
    for (text, from, until) in [
        (
            "2024-06-12T14",
            "2024-06-12T14:00:00Z",
            "2024-06-12T15:00:00Z",
        ),
        (
            "2024-06-12T14:30",
            "2024-06-12T14:30:00Z",
            "2024-06-12T14:31:00Z",
        ),
        (
            "2024-06-12 14:30:05",
            "2024-06-12T14:30:05Z",
            "2024-06-12T14:30:06Z",
        ),
        (
            "2024-06-12T14:30:00+02:00",
            "2024-06-12T12:30:00Z",
            "2024-06-12T12:30:01Z",
        ),
        (
            "2024-06-12T14:30Z",
            "2024-06-12T14:30:00Z",
            "2024-06-12T14:31:00Z",
        ),
    ] {
        assert_eq!(
            parse_date_span(text, &utc()),
            Some(range(from, until)),
            "{text}"
        );
    }
}

#[test]
fn a_time_of_day_without_an_offset_is_the_facilitys() {
    let berlin = options("Europe/Berlin", "2024-06-12T09:00:00Z");
    let span = parse_date_span("2024-06-12T14:30", &berlin).unwrap();
    assert_eq!(span.from, Some(instant("2024-06-12T12:30:00Z")));
}

#[test]
fn what_is_no_date_is_refused() {
    for text in [
        "",
        "abcdefg",
        "2024-13",
        "2024-00",
        "2024-01-99",
        "2023-02-29",
        "24-06",
        "20240612",
        "2024-06-12-01",
        "2024/06/12",
        "..",
        "...",
        ">=",
        "d",
        "-7d",
        "7days",
        "0000",
        "2024-06-12T25:00",
        "..<",
        "2024..soon",
        "９０２４",
        "2024-+1",
        "999999d9",
    ] {
        assert_eq!(parse_date_span(text, &utc()), None, "{text}");
    }
}

#[test]
fn hours_are_counted_back_from_now() {
    let time = parse_date_span("24h", &options("UTC", "2024-06-12T09:00:00Z")).unwrap();
    assert_eq!(time.from, "2024-06-11T09:00:00Z".parse().ok());
    assert_eq!(time.until, None);
    assert_eq!(parse_date_span("h", &utc()), None);
}

#[test]
fn days_when_clocks_change_have_23_or_25_hours() {
    let berlin = options("Europe/Berlin", "2024-06-12T09:00:00Z");
    assert_eq!(
        length("2024-03-31", &berlin),
        SignedDuration::from_hours(23)
    );
    assert_eq!(
        length("2024-10-27", &berlin),
        SignedDuration::from_hours(25)
    );
    assert_eq!(
        length("2024-06-12", &berlin),
        SignedDuration::from_hours(24)
    );
}

#[test]
fn a_day_without_a_midnight_starts_at_its_first_instant() {
    // Clocks in Beirut went from 23:59 to 01:00 on this day.
    let beirut = options("Asia/Beirut", "2024-06-12T09:00:00Z");
    assert_eq!(
        length("2022-03-27", &beirut),
        SignedDuration::from_hours(23)
    );
}

#[test]
fn today_is_the_facilitys_day() {
    // In Tokyo it is the 13th already.
    let tokyo = options("Asia/Tokyo", "2024-06-12T20:00:00Z");
    let expected = range("2024-06-12T15:00:00Z", "2024-06-13T15:00:00Z");
    assert_eq!(parse_date_span("today", &tokyo), Some(expected));
}

#[test]
fn the_last_days_of_the_calendar_have_no_end() {
    let span = parse_date_span("9999", &utc()).unwrap();
    assert_eq!(span.until, None);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_date_or_none(text in "\\PC{0,20}|[0-9dT:.<>=Z+-]{0,24}") {
        let span = parse_date_span(&text, &utc());
        if let Some(TimeRange { from: Some(from), until: Some(until) }) = span {
            prop_assert!(from <= until || text.contains(".."));
        }
    }

    #[test]
    fn days_meet_without_gap_or_overlap(
        year in 1970_i16..2040, month in 1_i8..=12, day in 1_i8..=28,
        zone in prop::sample::select(vec![
            "UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Tokyo", "Asia/Beirut",
            "America/Havana", "Pacific/Apia", "Australia/Lord_Howe",
        ]),
    ) {
        let options = options(zone, "2024-06-12T09:00:00Z");
        let date = jiff::civil::date(year, month, day);
        let one = parse_date_span(&date.to_string(), &options).unwrap();
        let next = parse_date_span(&date.tomorrow().unwrap().to_string(), &options).unwrap();
        prop_assert_eq!(one.until, next.from);
        prop_assert!(one.from <= one.until);
    }
}
