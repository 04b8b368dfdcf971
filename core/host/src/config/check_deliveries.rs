//! Digests and deliveries: names that must mean a delivery, schedules that
//! cannot be read, and deliveries with no target or several.

use gannet_outbound::Origin;
use jiff::tz::TimeZone;

use super::deliveries::DeliveryConfig;
use super::digests::CronSchedule;
use super::error::{ConfigError, ConfigErrorKind, suggestion};
use super::layer::Origins;
use super::model::Config;
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
        check.targets(&key, &digest.deliver_to, &digest.tenant);
    }
    for (name, search) in config.searches.iter().filter(|(_, one)| one.enabled) {
        let key = format!("searches.{name}");
        if search.query.trim().is_empty() && search.filter.is_empty() {
            let message = format!("`{key}` has neither a query nor a filter");
            check.refuse(&key, message, None);
        }
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
        if let Err(fault) = CronSchedule::new(line, timezone) {
            let help = "for example `0 6 * * *`: every day at 6:00";
            self.refuse(&format!("{key}.schedule"), fault, Some(help.to_owned()));
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
