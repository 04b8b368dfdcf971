//! What search modules over other servers share.
//!
//! - [`Server`] asks one server, within its own time, and lets it rest when it
//!   fails again and again ([`Breaker`]).
//! - [`Documents`] makes entries of the documents of another server, and knows
//!   what of a filter is decided without asking.
//! - [`Question`] is what of a request is asked, and what is a filter.
//! - [`range_of_numbers`] and [`range_of_times`] write ranges for the engines.
//!
//! ```
//! use gannet_federation::{Access, Server};
//! use gannet_plugin::host::Health;
//!
//! let access = Access { timeout_seconds: 3.0, failures: 5, pause_seconds: 30.0 };
//! let server = Server::new("archive", "https://archive.lab.example/", access)?;
//! assert_eq!(server.url("/_search"), "https://archive.lab.example/_search");
//! assert_eq!(server.health(), Health::Healthy);
//! # Ok::<(), gannet_plugin::prelude::Error>(())
//! ```

mod breaker;
mod documents;
mod question;
mod range;
mod server;

pub use breaker::{Breaker, Pass};
pub use documents::{Documents, Fields};
pub use question::Question;
pub use range::{range_of_numbers, range_of_times};
pub use server::{Access, Server, name_in_path};
