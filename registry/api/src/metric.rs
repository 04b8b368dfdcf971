//! What an instance counts and times, for the host's page of metrics.

use std::time::Duration;

use futures::FutureExt;
use serde::{Deserialize, Serialize};

use crate::Context;

/// A request to the host's service [`MetricRequest::SERVICE`];
/// [`Context::count`] and [`Context::time`] make it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[non_exhaustive]
pub enum MetricRequest {
    /// Adds to a count.
    Count {
        /// What is counted.
        name: String,
        /// How many more.
        by: u64,
    },
    /// Adds a duration to a histogram.
    Time {
        /// What is timed.
        name: String,
        /// How long it took, in seconds; not negative.
        seconds: f64,
    },
}

impl MetricRequest {
    /// The host service that answers it; see [`Host::call`](crate::Host::call).
    pub const SERVICE: &str = "metric";
}

impl Context {
    /// Adds to a count of this instance: `context.count("cache_hits", 1)`. The
    /// host's page of metrics shows it under the names of the instance and of
    /// the count; it begins at zero when the host starts.
    ///
    /// A name is lower-case letters, digits and underscores, begins with a
    /// letter, and has at most
    /// [`limits::METRIC_NAME_BYTES`](crate::limits::METRIC_NAME_BYTES). An
    /// instance has [`limits::METRICS`](crate::limits::METRICS) of them. What
    /// is beyond is counted as refused, and the log says so once.
    pub fn count(&self, name: &str, by: u64) {
        let name = name.to_owned();
        self.measure(&MetricRequest::Count { name, by });
    }

    /// Adds a duration to a histogram of this instance, such as the time that
    /// a server took to answer. Names are as for [`count`](Self::count).
    pub fn time(&self, name: &str, took: Duration) {
        let (name, seconds) = (name.to_owned(), took.as_secs_f64());
        self.measure(&MetricRequest::Time { name, seconds });
    }

    /// The host answers at once. Nothing depends on the answer: a host that is
    /// older than this service shows no such metrics.
    fn measure(&self, request: &MetricRequest) {
        let asked = self.ask::<()>(MetricRequest::SERVICE, request);
        let _ = asked.now_or_never();
    }
}
