//! Any text is a valid query, and reading it takes bounded time.

#![no_main]

use gannet_api::QuerySyntax;
use gannet_api::query::{QueryOptions, parse};
use jiff::{Timestamp, tz::TimeZone};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = QueryOptions {
        timezone: TimeZone::UTC,
        now: Timestamp::UNIX_EPOCH,
        max_chars: 64 * 1024,
    };
    for syntax in [QuerySyntax::Operators, QuerySyntax::Plain] {
        let query = parse(text, syntax, &options);
        let shown = query.to_string();
        let _ = parse(&shown, syntax, &options);
    }
});
