//! The pipeline `thread`: what belongs to an entry, in the order of time.
//!
//! A thread has the entries that it refers to and that refer to it (`links`), its
//! replies and what it replies to, and events of the same kind on its device
//! (`events`), which the pipeline `recurrence` finds. Each step has its kind and
//! why it is there. "First seen", "seen again" and "repaired" are said only
//! where an entry says so in words, or reports it as an earlier one did, or after
//! its repair.
//!
//! ```yaml
//! pipelines:
//!   thread:
//!     settings: { recurrence: recurrence }
//! ```
//!
//! What it gives beyond an [`Answer`](gannet_plugin::prelude::Answer) is in the
//! extension `thread`: `entry_id`, `steps`, and the `groups` of `recurrence`.

mod events;
mod links;
mod said;
mod settings;
mod step;
mod text;
mod thread;

pub use settings::ThreadSettings;
pub use thread::Threads;

gannet_plugin::export_plugin! {
    pipelines: [Threads],
}
