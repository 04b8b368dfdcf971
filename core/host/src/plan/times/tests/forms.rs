//! Every form of a time that is read.

use super::check;

#[test]
fn a_year_to_come_is_read_after_what_says_that_it_is_one() {
    check(&[
        ("alerts since 2030", "since 2030 = 2030-01-01.."),
        ("alerts before 2030", "before 2030 = ..2030-01-01"),
        ("alerts in 2030", "2030 = 2030-01-01..2031-01-01"),
        (
            "entries in February 2031",
            "February 2031 = 2031-02-01..2031-03-01",
        ),
        (
            "trips in spring 2031",
            "spring 2031 = 2031-03-01..2031-06-01",
        ),
        ("alerts since 3 May 2027", "since 3 May 2027 = 2027-05-03.."),
        (
            "alerts between 2024 and 2030",
            "between 2024 and 2030 = 2024-01-01..2031-01-01",
        ),
        ("procedure 2030", ""),
        ("since 2050 rpm", ""),
        ("in 2048 bits", "2048 = 2048-01-01..2049-01-01"),
        ("since 4096", ""),
    ]);
}

#[test]
fn days_are_read_in_every_form() {
    check(&[
        (
            "trip on 26 November 2025",
            "26 November 2025 = 2025-11-26..2025-11-27",
        ),
        (
            "trip on Nov 26, 2025?",
            "Nov 26, 2025 = 2025-11-26..2025-11-27",
        ),
        (
            "trip of November 26th 2025",
            "November 26th 2025 = 2025-11-26..2025-11-27",
        ),
        (
            "the 26th of November 2025",
            "26th of November 2025 = 2025-11-26..2025-11-27",
        ),
        ("trip 2025-11-26", "2025-11-26 = 2025-11-26..2025-11-27"),
        (
            "trip at 2025-11-26T14:30",
            "2025-11-26T14:30 = 2025-11-26..2025-11-27",
        ),
        ("trip 2025/11/26", "2025/11/26 = 2025-11-26..2025-11-27"),
        ("trip 11/26/25", "11/26/25 = 2025-11-26..2025-11-27"),
        ("trip 7/22/87", "7/22/87 = 1987-07-22..1987-07-23"),
        ("trip 11/26/2025", "11/26/2025 = 2025-11-26..2025-11-27"),
        ("trip 26.11.2025", "26.11.2025 = 2025-11-26..2025-11-27"),
        ("trip on 11/26", "11/26 = 2025-11-26..2025-11-27"),
        (
            "trip on 26 November",
            "26 November = 2025-11-26..2025-11-27",
        ),
        ("trip on 3 May", "3 May = 2026-05-03..2026-05-04"),
        ("trip on May 3", "May 3 = 2026-05-03..2026-05-04"),
        (
            "trip 15 Aug 2004 - what quit?",
            "15 Aug 2004 = 2004-08-15..2004-08-16",
        ),
        (
            "Canal Creek, Sept 8 2009",
            "Sept 8 2009 = 2009-09-08..2009-09-09",
        ),
        (
            "29 February 2024",
            "29 February 2024 = 2024-02-29..2024-03-01",
        ),
        ("on 29 February", "29 February = 2024-02-29..2024-03-01"),
        (
            "26 novembre 2025 : pourquoi la pompe",
            "26 novembre 2025 = 2025-11-26..2025-11-27",
        ),
        (
            "was war am 26. November 2025",
            "26. November 2025 = 2025-11-26..2025-11-27",
        ),
        (
            "2025-11-26 真空ポンプ",
            "2025-11-26 = 2025-11-26..2025-11-27",
        ),
    ]);
}

#[test]
fn days_are_read_by_their_names() {
    check(&[
        (
            "what happened on Christmas Day 2024?",
            "Christmas Day 2024 = 2024-12-25..2024-12-26",
        ),
        (
            "the shift of New Year's Eve",
            "New Year's Eve = 2025-12-31..2026-01-01",
        ),
        ("was war an Silvester", "Silvester = 2025-12-31..2026-01-01"),
        ("cryo over Christmas", ""),
    ]);
}

#[test]
fn parts_of_the_calendar_are_read() {
    check(&[
        ("March 2025", "March 2025 = 2025-03-01..2025-04-01"),
        ("scram in Oct. 2018?", "Oct. 2018 = 2018-10-01..2018-11-01"),
        (
            "trip in march of 2019",
            "march of 2019 = 2019-03-01..2019-04-01",
        ),
        ("trips 2025-11", "2025-11 = 2025-11-01..2025-12-01"),
        ("trips 11/2025", "11/2025 = 2025-11-01..2025-12-01"),
        ("trips in May", "May = 2026-05-01..2026-06-01"),
        ("trips in November", "November = 2025-11-01..2025-12-01"),
        ("December trips", "December = 2025-12-01..2026-01-01"),
        ("fire in 2007", "2007 = 2007-01-01..2008-01-01"),
        (
            "canyonlands fire 2019, how",
            "2019 = 2019-01-01..2020-01-01",
        ),
        ("in the 1990s", "1990s = 1990-01-01..2000-01-01"),
        ("2010-2015", "2010-2015 = 2010-01-01..2016-01-01"),
        (
            "early March 2015",
            "early March 2015 = 2015-03-01..2015-03-11",
        ),
        ("mid March 2015", "mid March 2015 = 2015-03-11..2015-03-21"),
        ("mid-March 2015", "mid-March 2015 = 2015-03-11..2015-03-21"),
        (
            "scram in late January 2015",
            "late January 2015 = 2015-01-21..2015-02-01",
        ),
        (
            "the start of December 2004",
            "the start of December 2004 = 2004-12-01..2004-12-11",
        ),
        (
            "at the end of 2004",
            "the end of 2004 = 2004-09-01..2005-01-01",
        ),
        ("early 2015", "early 2015 = 2015-01-01..2015-05-01"),
        ("spring 2019", "spring 2019 = 2019-03-01..2019-06-01"),
        ("fall of 2019", "fall of 2019 = 2019-09-01..2019-12-01"),
        (
            "winter 2018/2019",
            "winter 2018/2019 = 2018-12-01..2019-03-01",
        ),
        ("Q3 2019", "Q3 2019 = 2019-07-01..2019-10-01"),
        (
            "second quarter of 2019",
            "second quarter of 2019 = 2019-04-01..2019-07-01",
        ),
        (
            "first week of May 2019",
            "first week of May 2019 = 2019-05-01..2019-05-08",
        ),
        (
            "last week of May 2019",
            "last week of May 2019 = 2019-05-25..2019-06-01",
        ),
        (
            "last day of January 2019",
            "last day of January 2019 = 2019-01-31..2019-02-01",
        ),
        (
            "second half of 2019",
            "second half of 2019 = 2019-07-01..2020-01-01",
        ),
        ("Ausfall im März 2025", "März 2025 = 2025-03-01..2025-04-01"),
        (
            "Anfang März 2015 war",
            "Anfang März 2015 = 2015-03-01..2015-03-11",
        ),
    ]);
}

#[test]
fn relative_times_are_counted_from_now() {
    check(&[
        ("what happened today", "today = 2026-05-20..2026-05-21"),
        ("yesterday's trip", "yesterday's = 2026-05-19..2026-05-20"),
        (
            "yesterday evening",
            "yesterday evening = 2026-05-19 17:00..2026-05-20",
        ),
        (
            "what happened last night?",
            "last night = 2026-05-19 20:00..2026-05-20 08:00",
        ),
        (
            "this morning",
            "this morning = 2026-05-20 05:00..2026-05-20 12:00",
        ),
        ("tonight", "tonight = 2026-05-20 20:00..2026-05-21 08:00"),
        ("last week", "last week = 2026-05-11..2026-05-18"),
        ("this week", "this week = 2026-05-18..2026-05-25"),
        ("last month", "last month = 2026-04-01..2026-05-01"),
        ("this month", "this month = 2026-05-01..2026-06-01"),
        ("last year", "last year = 2025-01-01..2026-01-01"),
        ("this spring", "this spring = 2026-03-01..2026-06-01"),
        ("last spring", "last spring = 2025-03-01..2025-06-01"),
        ("last winter", "last winter = 2025-12-01..2026-03-01"),
        ("last May", "last May = 2025-05-01..2025-06-01"),
        ("on Monday", "Monday = 2026-05-18..2026-05-19"),
        ("on a Monday", ""),
        ("last Wednesday", "last Wednesday = 2026-05-13..2026-05-14"),
        ("in the last 7 days", "last 7 days = 2026-05-13..2026-05-21"),
        (
            "over the past two weeks",
            "past two weeks = 2026-05-06..2026-05-21",
        ),
        (
            "in the last three months",
            "last three months = 2026-02-20..2026-05-21",
        ),
        ("two weeks ago", "two weeks ago = 2026-05-03..2026-05-10"),
        ("3 days ago", "3 days ago = 2026-05-17..2026-05-18"),
        ("two months ago", "two months ago = 2026-03-01..2026-04-01"),
        ("last shift", "last shift = 2026-05-20..2026-05-20 08:00"),
        (
            "this shift",
            "this shift = 2026-05-20 08:00..2026-05-20 16:00",
        ),
        (
            "night of 26 November 2025",
            "night of 26 November 2025 = 2025-11-26 20:00..2025-11-27 08:00",
        ),
        (
            "26 November 2025, night shift",
            "26 November 2025, night shift = 2025-11-26 20:00..2025-11-27 08:00",
        ),
        ("was war gestern", "gestern = 2026-05-19..2026-05-20"),
        (
            "was war letzte Woche",
            "letzte Woche = 2026-05-11..2026-05-18",
        ),
        (
            "was war vor zwei Monaten",
            "vor zwei Monaten = 2026-03-01..2026-04-01",
        ),
        (
            "la semaine dernière, pourquoi",
            "semaine dernière = 2026-05-11..2026-05-18",
        ),
    ]);
}

#[test]
fn bounds_and_ranges_are_read() {
    check(&[
        ("trips since May", "since May = 2026-05-01.."),
        ("trips since March 2019", "since March 2019 = 2019-03-01.."),
        ("trips since the shutdown in May", "May = 2026-05-01.."),
        ("since yesterday", "since yesterday = 2026-05-19.."),
        ("trips before 2010", "before 2010 = ..2010-01-01"),
        ("trips after 2010", "after 2010 = 2011-01-01.."),
        ("trips until March 2015", "until March 2015 = ..2015-04-01"),
        ("prior to 11/26/25", "prior to 11/26/25 = ..2025-11-26"),
        (
            "trips between March and May 2019",
            "between March and May 2019 = 2019-03-01..2019-06-01",
        ),
        (
            "from November to January 2020",
            "from November to January 2020 = 2019-11-01..2020-02-01",
        ),
        (
            "from 2010 to 2015",
            "from 2010 to 2015 = 2010-01-01..2016-01-01",
        ),
        (
            "March to May 2019",
            "March to May 2019 = 2019-03-01..2019-06-01",
        ),
        (
            "between 2019-01-05 and 2019-01-09",
            "between 2019-01-05 and 2019-01-09 = 2019-01-05..2019-01-10",
        ),
        ("Ausfälle seit Mai", "seit Mai = 2026-05-01.."),
        (
            "was war zwischen März und Mai 2019",
            "zwischen März und Mai 2019 = 2019-03-01..2019-06-01",
        ),
    ]);
}

#[test]
fn the_time_of_an_event_that_follows_is_no_bound() {
    check(&[
        (
            "what happened after the June quench?",
            "June = 2025-06-01..2025-07-01",
        ),
        (
            "trips before the March shutdown",
            "March = 2026-03-01..2026-04-01",
        ),
        (
            "trips before the March 2025 shutdown",
            "March 2025 = 2025-03-01..2025-04-01",
        ),
        (
            "trips prior to the winter shutdown",
            "winter = 2025-12-01..2026-03-01",
        ),
        (
            "trips after the 2019 outage",
            "2019 = 2019-01-01..2020-01-01",
        ),
        (
            "leaks during the May outage",
            "May = 2026-05-01..2026-06-01",
        ),
        (
            "was fiel nach dem Juni Quench aus",
            "Juni = 2025-06-01..2025-07-01",
        ),
        // Bounds of the time itself.
        ("trips after June", "after June = 2025-07-01.."),
        ("after June pumps tripped", "after June = 2025-07-01.."),
        ("since March 2025", "since March 2025 = 2025-03-01.."),
        (
            "trips since the March shutdown",
            "since the March = 2026-03-01..",
        ),
        (
            "after the winter, pumps tripped",
            "after the winter = 2026-03-01..",
        ),
        (
            "after the 5th of March pumps tripped",
            "after the 5th of March = 2026-03-06..",
        ),
        // No months.
        ("error after the Dec drive failed", ""),
        ("before the may trip", ""),
    ]);
}
