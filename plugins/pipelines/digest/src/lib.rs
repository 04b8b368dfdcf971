//! The pipeline `digest`: what happened in a span of time, what changed state,
//! what is open, and what waits for whom, on one page.
//!
//! It reads every entry of the time, as the store lists them and not by rank.
//! Every sentence is one of an entry, with its citation; routine entries are
//! counted. What is important follows from words for faults, repairs, changes
//! and open matters (`cues` of the stages), from classes that are rare or configured, from
//! updates, and from whether a later entry about the same device settles it.
//!
//! ```
//! use gannet_digest::Digests;
//! use gannet_plugin::prelude::*;
//! use gannet_plugin::testing::FakeHost;
//!
//! # fn main() -> Result<()> {
//! # pollster::block_on(async {
//! let entry = |id: &str, time: &str, text: &str| {
//!     Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
//! };
//! let host = FakeHost::default().with_entries([
//!     entry("E-01", "2024-01-05T08:30:00Z", "CAV1 tripped on reflected power."),
//!     entry("E-02", "2024-01-05T09:00:00Z", "Quiet, 300 mA."),
//!     entry("E-03", "2024-01-05T10:00:00Z", "SR07 awaiting the vacuum group."),
//! ]);
//! let digest = Digests::new(Default::default(), &Setup::default())?;
//! let request = PipelineRequest::new("last shift", 10);
//! let answer = digest.run(request, &host.context()).await?;
//! assert_eq!(
//!     answer.answer.as_deref(),
//!     Some(
//!         "All times (UTC): 3 entries.\n\
//!          \n\
//!          Open\n\
//!          - 2024-01-05 08:30: CAV1 tripped on reflected power. [#E-01]\n\
//!          \n\
//!          Waiting\n\
//!          - 2024-01-05 10:00: SR07 awaiting the vacuum group. [#E-03]\n\
//!          \n\
//!          Not listed: 1 routine."
//!     )
//! );
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! What it gives beyond an [`Answer`](gannet_plugin::prelude::Answer) is in the
//! extension `digest`: `sections` with their items, and what is `not_listed`.
//!
//! ```yaml
//! pipelines:
//!   digest:
//!     settings:
//!       severity: { class: [none, unusual event, alert] }
//! ```

mod digest;
mod item;
mod left_out;
mod page;
mod reading;
mod settings;
mod severity;
mod statements;
mod subject;
mod waiting;
mod window;

pub use digest::Digests;
pub use settings::DigestSettings;

gannet_plugin::export_plugin! {
    pipelines: [Digests],
}
