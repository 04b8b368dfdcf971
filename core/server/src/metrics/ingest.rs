//! What the followed sources did.

use std::collections::BTreeMap;

use gannet_core::{SourceReport, WatchState};

use super::Page;

impl Page {
    pub(super) fn ingest(&mut self, sources: &BTreeMap<String, SourceReport>) {
        self.polls(sources);
        self.records(sources);
        self.gauge(
            sources,
            "gannet_ingest_consecutive_failures",
            "Failed polls in a row by source.",
            |one| Some(f64::from(one.consecutive_failures)),
        );
        self.gauge(
            sources,
            "gannet_ingest_last_success_timestamp_seconds",
            "When a source was last read to its end, in seconds since 1970.",
            |one| Some(one.last_success?.as_millisecond() as f64 / 1000.0),
        );
        self.gauge(
            sources,
            "gannet_ingest_given_up",
            "1 for a source that failed too often and is not followed any more.",
            |one| Some(f64::from(u8::from(one.state == WatchState::GivenUp))),
        );
    }

    fn polls(&mut self, sources: &BTreeMap<String, SourceReport>) {
        let name = "gannet_ingest_polls_total";
        self.head(name, "counter", "Polls by source and outcome.");
        for (source, report) in sources {
            for (outcome, count) in [("success", report.polls), ("failed", report.failed_polls)] {
                self.value(name, &[("source", source), ("outcome", outcome)], count);
            }
        }
    }

    fn records(&mut self, sources: &BTreeMap<String, SourceReport>) {
        let name = "gannet_ingest_records_total";
        self.head(
            name,
            "counter",
            "Records by source and what became of them.",
        );
        for (source, report) in sources {
            for (result, count) in [
                ("added", report.added),
                ("updated", report.updated),
                ("unchanged", report.unchanged),
                ("rejected", report.rejected),
                ("deleted", report.deleted),
            ] {
                self.value(name, &[("source", source), ("result", result)], count);
            }
        }
    }

    fn gauge(
        &mut self,
        sources: &BTreeMap<String, SourceReport>,
        name: &str,
        help: &str,
        value: impl Fn(&SourceReport) -> Option<f64>,
    ) {
        self.head(name, "gauge", help);
        for (source, report) in sources {
            if let Some(value) = value(report) {
                self.value(name, &[("source", source)], value);
            }
        }
    }
}
