//! Deliveries and digests of a configuration: what is refused, and why.

#![allow(clippy::unwrap_used)]

use gannet_core::config::{LoadOptions, load};

/// What is wrong with these values of `deliveries` and `digests`.
fn faults(deliveries: &str, digests: &str) -> String {
    faults_of([("deliveries", deliveries), ("digests", digests)])
}

fn faults_of<const N: usize>(overrides: [(&str, &str); N]) -> String {
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let options = LoadOptions {
        overrides: overrides.into(),
        ..LoadOptions::default()
    };
    match load(options) {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    }
}

const ARCHIVE: &str = "{archive: {file: {folder: ./digests}}}";

#[test]
fn a_digest_names_a_delivery_of_its_tenant_and_a_schedule() {
    let digest = |more: &str| faults(ARCHIVE, &format!("{{morning: {{{more}}}}}"));
    let good = "schedule: '0 6 * * *', deliver_to: [archive]";
    assert_eq!(digest(good), "");
    for since in ["yesterday", "last shift", "7d", "'2024-06-01'"] {
        assert_eq!(digest(&format!("{good}, since: {since}")), "");
    }
    for (wrong, expected) in [
        (
            "schedule: '0 6 * * *', deliver_to: [archiv]",
            "did you mean `archive`?",
        ),
        (
            "schedule: '0 06 * *  ', deliver_to: [archive]",
            "five fields",
        ),
        (
            "schedule: '0 26 * * *', deliver_to: [archive]",
            "is not a cron line",
        ),
        (
            "schedule: '0 0 30 2 *', deliver_to: [archive]",
            "such a time never comes",
        ),
        (
            &format!("{good}, filter: {{date_from: never}}"),
            "filter `date_from`: `never` is not a valid date",
        ),
        (&format!("{good}, max_chars: 250"), "at least 300"),
        (&format!("{good}, max_chars: 50000"), "20000"),
        (
            &format!("{good}, since: the day the cat came"),
            "`the day the cat came` is not a time",
        ),
        (
            &format!("{good}, since: '2130-01-01'"),
            "`2130-01-01` is to come",
        ),
        (
            &format!("{good}, timezone: Mars/Base"),
            "no time zone named `Mars/Base`",
        ),
        (
            &format!("{good}, tenant: other"),
            "of the tenant `default`, not of `other`",
        ),
    ] {
        let faults = digest(wrong);
        assert!(faults.contains(expected), "{wrong}: {faults}");
    }
}

#[test]
fn a_saved_search_has_words_or_a_filter_and_words_where_it_is_by_meaning() {
    let search = |more: &str| faults_of([("searches", &format!("{{pumps: {{{more}}}}}"))]);
    assert_eq!(search("query: pump, filter: {author: Vega}"), "");
    assert_eq!(search("query: '\"the\" pump'"), "");
    assert_eq!(search("query: 'author:Vega'"), "");
    for (wrong, expected) in [
        ("query: ' '", "neither a query nor a filter"),
        ("query: the of", "only words that tell no entries apart"),
        ("query: 'author:Vega', by: either", "needs words"),
        (
            "query: pump, filter: {date_to: soon}",
            "filter `date_to`: `soon` is not a valid date",
        ),
    ] {
        let faults = search(wrong);
        assert!(faults.contains(expected), "{wrong}: {faults}");
    }
}

#[test]
fn a_delivery_is_of_one_kind_with_usable_addresses() {
    for (wrong, expected) in [
        ("{a: {}}", "delivers nowhere"),
        (
            "{a: {feed: {}, file: {folder: d}}}",
            "has several kinds: file, feed",
        ),
        (
            "{a: {webhook: {url: 'http://u:p@lab.example/x'}}}",
            "must not contain a user",
        ),
        (
            "{a: {webhook: {url: 'ftp://lab.example'}}}",
            "does not match pattern",
        ),
        (
            "{a: {mail: {host: h, from: g@lab.example, to: ['nobody']}}}",
            "`nobody` is not an address of mail",
        ),
        (
            "{a: {mail: {host: h, password: hunter2, from: a@b.c, to: [a@b.c]}}}",
            "secret",
        ),
    ] {
        let faults = faults(wrong, "{}");
        assert!(faults.contains(expected), "{wrong}: {faults}");
        assert!(
            !faults.contains("hunter2") && !faults.contains("u:p"),
            "{faults}"
        );
    }
}
