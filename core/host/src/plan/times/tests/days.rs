//! Days that are one word, days that no calendar has, and ranges of days.

use super::{NOW, check, planned, settings};

#[test]
fn a_day_in_one_word_is_read() {
    check(&[
        ("trip 6-Mar-2025", "6-Mar-2025 = 2025-03-06..2025-03-07"),
        (
            "what tripped on 06-mar-25?",
            "06-mar-25 = 2025-03-06..2025-03-07",
        ),
        ("trip 06/Oct/2025", "06/Oct/2025 = 2025-10-06..2025-10-07"),
        (
            "trip 06/Oct/2025:14:30",
            "06/Oct/2025:14:30 = 2025-10-06..2025-10-07",
        ),
        ("trip 2025-Mar-06", "2025-Mar-06 = 2025-03-06..2025-03-07"),
        ("trip Mar-6-2025", "Mar-6-2025 = 2025-03-06..2025-03-07"),
        ("trip 4-Apr", "4-Apr = 2026-04-04..2026-04-05"),
        ("trip on 6-Mar", "6-Mar = 2026-03-06..2026-03-07"),
        (
            "was war am 6.März.2025",
            "6.März.2025 = 2025-03-06..2025-03-07",
        ),
        ("trip 20250306", "20250306 = 2025-03-06..2025-03-07"),
        ("since 20250306", "since 20250306 = 2025-03-06.."),
        (
            "from 20250306 to 20250309",
            "from 20250306 to 20250309 = 2025-03-06..2025-03-10",
        ),
    ]);
}

#[test]
fn numbers_and_ids_are_no_days() {
    check(&[
        ("12.5 and 0.21 mm", ""),
        ("a shift of 12.5", ""),
        ("20251345 and 20250230", ""),
        ("18990101 and 29990101", ""),
        ("ticket 20250306 and #20250306", ""),
        ("what happened after entry 20250306?", ""),
        ("A-20250306, 2025030612 and 2025030", ""),
        ("RF-6-Mar-2025", ""),
        ("step 3-may", ""),
    ]);
}

#[test]
fn a_day_that_no_calendar_has_is_no_time_and_a_note_says_so() {
    check(&[
        ("trip on 30 Feb", ""),
        ("trip on Feb 30?", ""),
        ("since 30 Feb", ""),
        ("trip on 30-Feb-2025", ""),
        ("the 29th of February 2025", ""),
        (
            "31 June 2024 and May 2019",
            "May 2019 = 2019-05-01..2019-06-01",
        ),
    ]);
    for (text, expected) in [
        ("trip on 30 Feb", "`30 Feb` is not a valid date"),
        (
            "the 29th of February 2025",
            "`29th of February 2025` is not a valid date",
        ),
        ("trip on Feb 30?", "`Feb 30` is not a valid date"),
    ] {
        assert_eq!(planned(text, &settings(NOW)).notes, [expected]);
    }
}

#[test]
fn a_range_of_days_of_one_month_is_read() {
    check(&[
        (
            "what tripped between 5 and 7 March?",
            "between 5 and 7 March = 2026-03-05..2026-03-08",
        ),
        (
            "trips between 5 and 7 March 2025",
            "between 5 and 7 March 2025 = 2025-03-05..2025-03-08",
        ),
        (
            "trips between the 5th and the 7th of March 2025",
            "between the 5th and the 7th of March 2025 = 2025-03-05..2025-03-08",
        ),
        (
            "from 5 to 7 March",
            "from 5 to 7 March = 2026-03-05..2026-03-08",
        ),
        (
            "between March 5 and 7 what tripped",
            "between March 5 and 7 = 2026-03-05..2026-03-08",
        ),
        (
            "between March 5 and 7, 2025",
            "between March 5 and 7, 2025 = 2025-03-05..2025-03-08",
        ),
        (
            "trips 5 to 7 March 2025",
            "5 to 7 March 2025 = 2025-03-05..2025-03-08",
        ),
        ("trips on 5-7 March", "5-7 March = 2026-03-05..2026-03-08"),
        (
            "trips of March 5–7, 2025",
            "March 5–7, 2025 = 2025-03-05..2025-03-08",
        ),
        // It has begun.
        (
            "between 18 and 22 May",
            "between 18 and 22 May = 2026-05-18..2026-05-23",
        ),
        (
            "between 28 and 29 February",
            "between 28 and 29 February = 2024-02-28..2024-03-01",
        ),
        (
            "was war zwischen dem 5. und 7. März 2025",
            "zwischen dem 5. und 7. März 2025 = 2025-03-05..2025-03-08",
        ),
        (
            "que s'est-il passé du 5 au 7 mars 2025",
            "du 5 au 7 mars 2025 = 2025-03-05..2025-03-08",
        ),
    ]);
}

#[test]
fn two_numbers_are_no_range_of_days_without_a_month_that_has_them() {
    check(&[
        ("pressure between 5 and 7 bar", ""),
        ("from 5 to 7 pumps", ""),
        ("flow of 5-7 and pump 5-7", ""),
        ("between 28 and 30 Feb", ""),
        (
            "between March 5 and 7 pumps tripped",
            "March 5 = 2026-03-05..2026-03-06",
        ),
        (
            "between March 5 and 31 April",
            "March 5 = 2026-03-05..2026-03-06",
        ),
    ]);
}
