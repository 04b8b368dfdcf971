//! What instances count and time, for the page of metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gannet_api::{Error, MetricRequest, PluginKind, Result, limits};

use crate::histogram::Histogram;
use crate::instance_key::InstanceKey;

/// What one instance counted and timed since the start of the host.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InstanceMetrics {
    /// Of which kind the instance is.
    pub kind: PluginKind,
    /// Its name in the configuration.
    pub name: String,
    /// Counts by their names.
    pub counts: BTreeMap<String, u64>,
    /// Times by their names.
    pub times: BTreeMap<String, Histogram>,
    /// How often a name was not allowed, or there were too many.
    pub refused: u64,
}

/// The counts and times of all instances. An instance that a reload took out
/// stays: counters of Prometheus do not go back.
#[derive(Debug, Default)]
pub(crate) struct AllMetrics(Mutex<BTreeMap<InstanceKey, InstanceMetrics>>);

impl AllMetrics {
    /// Answers the host service [`MetricRequest::SERVICE`] to an instance.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a name that is not allowed, and for more
    /// names than an instance may have.
    pub(crate) fn answer(&self, instance: &InstanceKey, payload: &[u8]) -> Result<Vec<u8>> {
        let request = serde_json::from_slice(payload).map_err(|error| {
            Error::invalid_input(format!(
                "the request of the service `{}`: {error}",
                MetricRequest::SERVICE
            ))
        })?;
        let mut all = self.lock();
        if !all.contains_key(instance) {
            all.insert(instance.clone(), InstanceMetrics::of(instance));
        }
        let metrics = all.get_mut(instance);
        let added = metrics.map_or(Ok(()), |metrics| metrics.add(request));
        added.map(|()| b"null".to_vec())
    }

    /// The metrics of every instance that has some, sorted by kind and name.
    pub(crate) fn list(&self) -> Vec<InstanceMetrics> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<InstanceKey, InstanceMetrics>> {
        // Counts are whole after a panic too.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InstanceMetrics {
    fn of(instance: &InstanceKey) -> Self {
        Self {
            kind: instance.kind(),
            name: instance.name().to_owned(),
            counts: BTreeMap::new(),
            times: BTreeMap::new(),
            refused: 0,
        }
    }

    fn add(&mut self, request: MetricRequest) -> Result<()> {
        match request {
            MetricRequest::Count { name, by } => {
                let is_known = self.counts.contains_key(&name);
                let count = self.admit(&name, is_known)?.counts.entry(name).or_default();
                *count = count.saturating_add(by);
            }
            MetricRequest::Time { name, seconds } => {
                let took = Duration::try_from_secs_f64(seconds)
                    .map_err(|error| Error::invalid_input(format!("`{name}`: {error}")))?;
                let is_known = self.times.contains_key(&name);
                let times = &mut self.admit(&name, is_known)?.times;
                times.entry(name).or_default().add(took);
            }
            _ => return Err(Error::missing_service(MetricRequest::SERVICE)),
        }
        Ok(())
    }

    /// Lets a name through that is known, or that may become so.
    fn admit(&mut self, name: &str, is_known: bool) -> Result<&mut Self> {
        let is_full = self.counts.len() + self.times.len() >= limits::METRICS;
        if is_known || (is_name(name) && !is_full) {
            return Ok(self);
        }
        let shown: String = name.chars().take(limits::METRIC_NAME_BYTES).collect();
        let reason = match is_name(name) {
            true => format!("an instance has at most {} metrics", limits::METRICS),
            false => format!(
                "names of metrics are at most {} lower-case letters, digits and underscores, \
                 beginning with a letter",
                limits::METRIC_NAME_BYTES
            ),
        };
        self.refused += 1;
        if self.refused == 1 {
            let (kind, instance) = (self.kind.label(), &self.name);
            tracing::warn!("the metric {shown:?} of {kind} `{instance}` is not kept: {reason}");
        }
        Err(Error::invalid_input(format!("{shown:?}: {reason}")))
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let is_part = |byte: u8| is_letter(byte) || byte.is_ascii_digit() || byte == b'_';
    name.len() <= limits::METRIC_NAME_BYTES
        && name.bytes().next().is_some_and(is_letter)
        && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    fn add(metrics: &AllMetrics, instance: &str, request: &Value) -> Result<()> {
        let instance = InstanceKey::new(PluginKind::SearchModule, instance);
        let payload = serde_json::to_vec(request).unwrap();
        metrics.answer(&instance, &payload).map(drop)
    }

    fn count(metrics: &AllMetrics, name: &str) -> Result<()> {
        let request = json!({"action": "count", "name": name, "by": 1});
        add(metrics, "pv", &request)
    }

    #[test]
    fn each_instance_has_counts_and_times_of_its_own() {
        let metrics = AllMetrics::default();
        for (instance, by) in [("a", 2), ("b", 5), ("a", 3)] {
            let request = json!({"action": "count", "name": "hits", "by": by});
            add(&metrics, instance, &request).unwrap();
        }
        let request = json!({"action": "time", "name": "hits", "seconds": 0.5});
        add(&metrics, "b", &request).unwrap();
        let list = metrics.list();
        let counts = |at: usize| list[at].counts["hits"];
        assert_eq!((list.len(), counts(0), counts(1)), (2, 5, 5));
        assert_eq!((list[0].times.len(), list[1].times["hits"].sum), (0, 0.5));
    }

    #[test]
    fn names_beyond_the_limit_and_those_that_are_none_are_refused_and_counted() {
        let metrics = AllMetrics::default();
        let long = "x".repeat(limits::METRIC_NAME_BYTES + 1);
        for name in ["", "Hits", "9lives", "a b", "a\nb", "né", &long] {
            assert!(count(&metrics, name).is_err(), "{name:?}");
        }
        for number in 0..2 * limits::METRICS {
            let refused = count(&metrics, &format!("n{number}")).is_err();
            assert_eq!(refused, number >= limits::METRICS, "{number}");
        }
        assert!(count(&metrics, "n0").is_ok());
        let one = metrics.list().remove(0);
        assert_eq!(one.counts.len(), limits::METRICS);
        assert_eq!(one.refused, 7 + limits::METRICS as u64);
    }

    #[test]
    fn a_count_does_not_wrap_and_a_time_is_not_negative() {
        let metrics = AllMetrics::default();
        for _ in 0..2 {
            let request = json!({"action": "count", "name": "n", "by": u64::MAX});
            add(&metrics, "pv", &request).unwrap();
        }
        assert_eq!(metrics.list()[0].counts["n"], u64::MAX);
        let request = json!({"action": "time", "name": "t", "seconds": -1.0});
        assert!(add(&metrics, "pv", &request).is_err());
    }
}
