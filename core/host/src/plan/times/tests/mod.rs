//! Times of questions, with a fixed present and zone.

#![allow(clippy::unwrap_used, clippy::panic)]

mod days;
mod forms;

use gannet_api::{Filter, Precision, QueryPlan, QuerySyntax};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::config::DateOrder;
use crate::plan::{Lexicon, PlanSettings, plan};

/// A Wednesday afternoon.
const NOW: &str = "2026-05-20T15:30:00Z";

fn settings(now: &str) -> PlanSettings {
    PlanSettings {
        now: now.parse().unwrap(),
        timezone: TimeZone::UTC,
        date_order: DateOrder::Mdy,
        max_chars: 1000,
    }
}

fn planned(text: &str, settings: &PlanSettings) -> QueryPlan {
    plan(
        text,
        QuerySyntax::Operators,
        &Filter::none(),
        settings,
        &Lexicon::default(),
    )
}

/// The times of a text as `words = from..to`.
fn times(text: &str, settings: &PlanSettings) -> Vec<String> {
    let plan = planned(text, settings);
    let written = |time: Option<Timestamp>| {
        let time = time.map(|time| time.to_zoned(settings.timezone.clone()));
        let text = time.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string());
        text.unwrap_or_default().replace(" 00:00", "")
    };
    let times = plan.times.iter().map(|time| {
        assert!(!time.strict, "{text}");
        let words = &plan.text[time.span.clone().unwrap()];
        format!("{words} = {}..{}", written(time.from), written(time.to))
    });
    times.collect()
}

fn check(cases: &[(&str, &str)]) {
    let settings = settings(NOW);
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = times(text, &settings).join("; ");
        if found != *expected {
            wrong.push(format!("{text}: {found} instead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn ordinary_words_and_quantities_are_no_times() {
    check(&[
        ("the pump may have tripped", ""),
        ("pump 5 may have tripped", ""),
        ("may 5 people enter", ""),
        ("march of the ants", ""),
        ("a second pump tripped", ""),
        ("the spring broke", ""),
        ("leak in the spring of the valve", ""),
        ("did the rod fall", ""),
        ("pressure of 2015 psig", ""),
        ("at 2015 the pump tripped", ""),
        ("room 2015", ""),
        ("engine 1999", ""),
        ("#2015", ""),
        ("3.2015", ""),
        ("SR2015 and B-2015", ""),
        ("1850 and 2090", ""),
        ("half inch, 1/2 turn, 24/7", ""),
        ("version 1.2.3 of 10.0.0.1", ""),
        ("31/31/2025 and 2025-13-40", ""),
        ("it did not last", ""),
        ("the last line", ""),
        ("sun on the dec panel", ""),
        ("since the pump tripped", ""),
        ("12:30 and 7 days", ""),
    ]);
}

#[test]
fn several_times_are_read_in_order() {
    check(&[(
        "compare March 2025 with last week",
        "March 2025 = 2025-03-01..2025-04-01; last week = 2026-05-11..2026-05-18",
    )]);
}

#[test]
fn the_order_of_day_and_month_is_the_facilitys() {
    let american = settings(NOW);
    let european = PlanSettings {
        date_order: DateOrder::Dmy,
        ..settings(NOW)
    };
    let read = |text, settings| times(text, settings).join("");
    assert_eq!(read("3/4/25", &american), "3/4/25 = 2025-03-04..2025-03-05");
    assert_eq!(read("3/4/25", &european), "3/4/25 = 2025-04-03..2025-04-04");
    let swapped = planned("26/11/2025", &american);
    assert_eq!(
        read("26/11/2025", &american),
        "26/11/2025 = 2025-11-26..2025-11-27"
    );
    assert!(
        swapped.notes[0].contains("day and month swapped"),
        "{:?}",
        swapped.notes
    );
    assert_eq!(
        read("3.4.2025", &american),
        "3.4.2025 = 2025-04-03..2025-04-04"
    );
}

#[test]
fn days_are_days_of_the_facilitys_zone() {
    let zone = PlanSettings {
        timezone: TimeZone::get("America/Los_Angeles").unwrap(),
        // Still the 19th there.
        ..settings("2026-05-20T05:00:00Z")
    };
    let plan = planned("what happened yesterday", &zone);
    let from: Timestamp = "2026-05-18T07:00:00Z".parse().unwrap();
    let to: Timestamp = "2026-05-19T07:00:00Z".parse().unwrap();
    assert_eq!(plan.times[0].from, Some(from));
    assert_eq!(plan.times[0].to, Some(to));
    // The day on which clocks are put forward has 23 hours.
    let short = &planned("9 March 2025", &zone).times[0];
    let length = short.to.unwrap().duration_since(short.from.unwrap());
    assert_eq!(length.as_hours(), 23);
}

#[test]
fn the_precision_is_that_of_the_words() {
    for (text, expected) in [
        ("last night", Precision::Shift),
        ("2025-11-26", Precision::Day),
        ("last week", Precision::Week),
        ("early March 2015", Precision::Week),
        ("since May", Precision::Month),
        ("spring 2019", Precision::Season),
        ("before 2010", Precision::Year),
        ("between March 2018 and 2019", Precision::Year),
    ] {
        let plan = planned(text, &settings(NOW));
        assert_eq!(plan.times[0].precision, expected, "{text}");
    }
}

#[test]
fn a_time_without_a_year_is_the_latest_one_and_a_note_says_so() {
    let plan = planned("in May", &settings(NOW));
    assert_eq!(
        plan.notes,
        ["`May` is read as 2026-05-01 until 2026-06-01, the latest one that has begun"]
    );
    let plan = planned("26 November 2025", &settings(NOW));
    assert_eq!(plan.notes, ["`26 November 2025` is read as 2025-11-26"]);
}
