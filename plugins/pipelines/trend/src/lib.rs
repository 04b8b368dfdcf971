//! The pipeline `trend`: how many entries of a set there are in each day, week,
//! month or year, where their rate changes, and the mean time between them.
//!
//! The set is that of a question ("scrams per month", "reports about leaks at
//! Surry"), as the host plans it. Every period from the first to the last entry
//! of the logbook is counted, also with no entry. Periods that the logbook covers
//! in part are shown, and left out of the test for change points ([`change_points`]).
//!
//! ```
//! use gannet_plugin::prelude::*;
//! use gannet_plugin::testing::FakeHost;
//! use gannet_trend::Trends;
//!
//! # fn main() -> Result<()> {
//! # pollster::block_on(async {
//! let entry = |day: usize| {
//!     let time = format!("2024-01-{day:02}T08:30:00Z").parse().unwrap_or_default();
//!     Entry::new(format!("E-{day}"), "shift log", time, "RF tripped.")
//! };
//! let host = FakeHost::default().with_entries([1, 2, 4].map(entry));
//! let trend = Trends::new(Default::default(), &Setup::default())?;
//! let request = PipelineRequest::new("trips", 10);
//! let answer = trend.run(request, &host.context()).await?;
//! let found = answer.extensions.get("trend").cloned().unwrap_or_default();
//! assert_eq!(found["unit"], "day");
//! let counts = found["rows"].as_array().into_iter().flatten();
//! let counts: Vec<_> = counts.filter_map(|row| row["count"].as_u64()).collect();
//! assert_eq!(counts, [1, 1, 0, 1]);
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! What it gives beyond an [`Answer`](gannet_plugin::prelude::Answer) is in the
//! extension `trend`: `rows`, `change_points`, `follows_logbook`,
//! `mean_time_between`, `series`, and `svg` where it is asked for.
//!
//! ```yaml
//! pipelines:
//!   trend:
//!     settings: { by: system, series: 5 }
//! ```

mod changes;
mod chart;
mod counting;
mod coverage;
mod details;
mod interval;
mod period;
mod question;
mod settings;
mod text;
mod trend;
mod volume;

pub use changes::{ChangePoint, Changes, change_points};
pub use interval::{MeanTime, mean_time_between};
pub use settings::TrendSettings;
pub use trend::Trends;

gannet_plugin::export_plugin! {
    pipelines: [Trends],
}
