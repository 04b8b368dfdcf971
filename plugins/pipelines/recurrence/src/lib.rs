//! The pipeline `recurrence`: has this happened before, how often, and what
//! fixed it?
//!
//! It asks the host for entries that tell of an event like that of an entry or
//! a text, states those that are probable enough, groups them by device and
//! symptom, counts occurrences and intervals, and has the reader say what caused
//! and what fixed each.
//!
//! ```yaml
//! pipelines:
//!   recurrence:
//!     settings: { stated_probability: 0.65 }
//! ```
//!
//! What it gives beyond an [`Answer`](gannet_plugin::prelude::Answer) is in the
//! extension `recurrence`: `asked`, `entries` and `groups`.

mod answer;
mod group;
mod intervals;
mod recurrence;
mod settings;
mod statement;

pub use recurrence::Recurrences;
pub use settings::RecurrenceSettings;

gannet_plugin::export_plugin! {
    pipelines: [Recurrences],
}
