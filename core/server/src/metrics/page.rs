//! The text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;

use gannet_core::config::StoreParts;
use gannet_core::store::StoreStats;
use gannet_core::{HISTOGRAM_BOUNDS, Histogram};

/// The text, line by line.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    /// The whole text.
    pub fn into_text(self) -> String {
        self.0
    }

    pub fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    pub fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        match labels.is_empty() {
            true => self.line(format_args!("{name} {value}")),
            false => self.line(format_args!("{name}{{{}}} {value}", labels.join(","))),
        }
    }

    pub fn histogram(&mut self, name: &str, labels: &[(&str, &str)], histogram: &Histogram) {
        let bucket = format!("{name}_bucket");
        let mut total = 0;
        let bounds = HISTOGRAM_BOUNDS.iter().map(ToString::to_string);
        for (bound, count) in bounds.zip(histogram.buckets) {
            total += count;
            self.value(&bucket, &[labels, &[("le", &bound)]].concat(), total);
        }
        let all = [labels, &[("le", "+Inf")]].concat();
        self.value(&bucket, &all, histogram.count);
        self.value(&format!("{name}_sum"), labels, histogram.sum);
        self.value(&format!("{name}_count"), labels, histogram.count);
    }

    pub fn store(&mut self, store: &StoreStats, parts: &StoreParts) {
        self.head("gannet_store_entries", "gauge", "Entries of the store.");
        self.value("gannet_store_entries", &[], store.entries);
        let help = "The parts of the store by name; always 1.";
        self.head("gannet_store_info", "gauge", help);
        let records = parts.records.to_string();
        let labels = [
            ("records", records.as_str()),
            ("text", &parts.text),
            ("vectors", &parts.vectors),
        ];
        self.value("gannet_store_info", &labels, 1);
        let name = "gannet_store_changes";
        self.head(name, "gauge", "The last change of the records.");
        self.value(name, &[], store.sequence);
        let name = "gannet_store_lag_changes";
        self.head(
            name,
            "gauge",
            "Changes that an index has not taken over yet.",
        );
        let lag = store.lag(store.text_sequence);
        self.value(name, &[("index", "text")], lag);
        for (model, applied) in &store.vector_sequences {
            let labels = [("index", "vector"), ("model", model)];
            self.value(name, &labels, store.lag(*applied));
        }
    }

    /// By the names of the Retriever's documentation.
    pub fn retriever(&mut self, methods: &BTreeMap<&'static str, Histogram>) {
        self.head(
            "retriever_searches_total",
            "counter",
            "Requests of the Retriever by method.",
        );
        for (method, histogram) in methods {
            self.value(
                "retriever_searches_total",
                &[("method", method)],
                histogram.count,
            );
        }
        let name = "retriever_search_latency_seconds";
        self.head(
            name,
            "histogram",
            "Time of the requests of the Retriever by method.",
        );
        for (method, histogram) in methods {
            self.histogram(name, &[("method", method)], histogram);
        }
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{line}");
    }
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn buckets_of_a_histogram_count_all_below_their_bound() {
        let mut histogram = Histogram::default();
        for millis in [4, 20, 60_000] {
            histogram.add(Duration::from_millis(millis));
        }
        let mut page = Page::default();
        page.histogram("t", &[("route", "/a\"b")], &histogram);
        for line in [
            "t_bucket{route=\"/a\\\"b\",le=\"0.005\"} 1",
            "t_bucket{route=\"/a\\\"b\",le=\"0.025\"} 2",
            "t_bucket{route=\"/a\\\"b\",le=\"30\"} 2",
            "t_bucket{route=\"/a\\\"b\",le=\"+Inf\"} 3",
            "t_count{route=\"/a\\\"b\"} 3",
        ] {
            assert!(page.0.lines().any(|one| one == line), "{line}\n{}", page.0);
        }
    }
}
