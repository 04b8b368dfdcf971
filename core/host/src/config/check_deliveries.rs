//! Digests, saved searches and deliveries: names that must mean a delivery,
//! schedules, queries and filters that cannot be read, and deliveries with no
//! target or several.

use std::collections::BTreeMap;

use gannet_api::QuerySyntax;
use gannet_api::query::{QueryOptions, parse, parse_filter_value};
use gannet_outbound::Origin;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::deliveries::DeliveryConfig;
use super::digests::{CronSchedule, DigestConfig};
use super::error::{ConfigError, ConfigErrorKind, suggestion};
use super::layer::Origins;
use super::model::Config;
use super::searches::SavedSearchConfig;
use crate::plan::PlanSettings;
use crate::saved_searches::{ONLY_STOP_WORDS, OTHER_WORDS, has_only_stop_words};
use crate::typed::time_in_text;
use gannet_registry::nearest;

/// What is wrong with deliveries, and with what is delivered.
pub(super) fn check_deliveries(config: &Config, origins: &Origins) -> Vec<ConfigError> {
    let mut check = Check {
        config,
        origins,
        errors: Vec::new(),
    };
    for (name, delivery) in config.deliveries.iter().filter(|(_, one)| one.enabled) {
        check.delivery(name, delivery);
    }
    for (name, digest) in config.digests.iter().filter(|(_, one)| one.enabled) {
        let key = format!("digests.{name}");
        check.schedule(&key, &digest.schedule, digest.timezone.as_deref());
        check.since(&key, digest);
        check.filter(&key, &digest.filter);
        check.targets(&key, &digest.deliver_to, &digest.tenant);
    }
    for (name, search) in config.searches.iter().filter(|(_, one)| one.enabled) {
        let key = format!("searches.{name}");
        check.query(&key, search);
        check.filter(&key, &search.filter);
        check.targets(&key, &search.deliver_to, &search.tenant);
    }
    check.errors
}

struct Check<'c> {
    config: &'c Config,
    origins: &'c Origins,
    errors: Vec<ConfigError>,
}

impl Check<'_> {
    fn delivery(&mut self, name: &str, delivery: &DeliveryConfig) {
        let key = format!("deliveries.{name}");
        let kinds = delivery.kinds();
        if kinds.len() != 1 {
            let message = match kinds.is_empty() {
                true => format!("`{key}` delivers nowhere"),
                false => format!("`{key}` has several kinds: {}", kinds.join(", ")),
            };
            let help = "set one of `file`, `feed`, `webhook`, `mail` and `entry`";
            self.refuse(&key, message, Some(help.to_owned()));
        }
        let url = delivery.webhook.as_ref().map(|webhook| &webhook.url);
        if let Some(Err(error)) = url.map(|url| Origin::configured(url)) {
            let key = format!("{key}.webhook.url");
            self.refuse(&key, format!("`{key}`: {error}"), None);
        }
        let mail = delivery.mail.iter();
        let addresses = mail.flat_map(|mail| mail.to.iter().chain([&mail.from]));
        for address in addresses {
            if address.parse::<lettre::message::Mailbox>().is_err() {
                let message = format!("`{key}.mail`: `{address}` is not an address of mail");
                let help = "write `name@lab.example` or `Name <name@lab.example>`";
                self.refuse(&format!("{key}.mail"), message, Some(help.to_owned()));
            }
        }
    }

    fn schedule(&mut self, key: &str, line: &str, timezone: Option<&str>) {
        let timezone = timezone.unwrap_or(&self.config.timezone);
        if TimeZone::get(timezone).is_err() {
            let key = format!("{key}.timezone");
            let message = format!("no time zone named `{timezone}`");
            self.refuse(&key, message, None);
            return;
        }
        let schedule = CronSchedule::new(line, timezone);
        let never = || format!("`{line}`: such a time never comes");
        let next = schedule.and_then(|schedule| {
            let next = schedule.next_after(Timestamp::now());
            next.ok_or_else(never)
        });
        if let Err(fault) = next {
            let help = "for example `0 6 * * *`: every day at 6:00";
            self.refuse(&format!("{key}.schedule"), fault, Some(help.to_owned()));
        }
    }

    /// A start of digests that is not a time, or is to come.
    fn since(&mut self, key: &str, digest: &DigestConfig) {
        let Some(since) = &digest.since else { return };
        let timezone = digest.timezone.as_ref().unwrap_or(&self.config.timezone);
        let settings = PlanSettings {
            now: Timestamp::now(),
            timezone: TimeZone::get(timezone).unwrap_or(TimeZone::UTC),
            date_order: self.config.date_order,
            max_chars: QueryOptions::default().max_chars,
        };
        let message = match time_in_text(since, &settings) {
            None => format!("`{since}` is not a time"),
            Some(time) if time.from.is_some_and(|from| from > settings.now) => {
                format!("`{since}` is to come, so that no digest can begin then")
            }
            Some(_) => return,
        };
        let help = "write a date such as `2024-06-12`, `24h`, `7d`, or words such as `last shift`; \
                    without `since` each digest begins where the last one ended";
        self.refuse(&format!("{key}.since"), message, Some(help.to_owned()));
    }

    /// A search that matches nothing, or every entry.
    fn query(&mut self, key: &str, search: &SavedSearchConfig) {
        let query = parse(&search.query, QuerySyntax::Operators, &self.query_options());
        let has_words = query.root.is_some();
        if !has_words && query.filter.is_empty() && search.filter.is_empty() {
            let message = format!("`{key}` has neither a query nor a filter");
            self.refuse(key, message, None);
        } else if !has_words && search.by.has_meaning() {
            let message = format!("`{key}` is by meaning, which needs words");
            self.refuse(&format!("{key}.by"), message, None);
        } else if has_only_stop_words(&query) {
            let message = format!("the query of `{key}` {ONLY_STOP_WORDS}");
            let help = OTHER_WORDS.to_owned();
            self.refuse(&format!("{key}.query"), message, Some(help));
        }
    }

    fn filter(&mut self, key: &str, filter: &BTreeMap<String, String>) {
        let options = self.query_options();
        for (name, value) in filter {
            if let Err(error) = parse_filter_value(name, value, &options) {
                let key = format!("{key}.filter.{name}");
                self.refuse(&key, error.to_string(), None);
            }
        }
    }

    fn query_options(&self) -> QueryOptions {
        let timezone = TimeZone::get(&self.config.timezone);
        QueryOptions {
            timezone: timezone.unwrap_or(TimeZone::UTC),
            ..QueryOptions::default()
        }
    }

    fn targets(&mut self, key: &str, names: &[String], tenant: &str) {
        let deliveries = &self.config.deliveries;
        let on = deliveries.iter().filter(|(_, one)| one.enabled);
        let known: Vec<&str> = on.map(|(name, _)| name.as_str()).collect();
        for name in names {
            let key = format!("{key}.deliver_to");
            match deliveries.get(name).filter(|one| one.enabled) {
                None => {
                    let help = suggestion(nearest(name, known.iter().copied()), &known);
                    let message = format!("no delivery named `{name}`");
                    let kind = ConfigErrorKind::UnknownName;
                    self.errors
                        .push(self.origins.error(kind, &key, message, help));
                }
                Some(delivery) if delivery.tenant != tenant => {
                    let message = format!(
                        "the delivery `{name}` is of the tenant `{}`, not of `{tenant}`",
                        delivery.tenant
                    );
                    self.refuse(&key, message, None);
                }
                Some(_) => {}
            }
        }
    }

    fn refuse(&mut self, key: &str, message: String, help: Option<String>) {
        let kind = ConfigErrorKind::InvalidValue;
        self.errors
            .push(self.origins.error(kind, key, message, help));
    }
}
