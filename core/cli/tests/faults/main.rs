//! Faults at random points: processes that are killed, disks that fill up.
//! Nothing acknowledged is lost or doubled, no result is
//! wrong without an error or a diagnostic, and one command mends what can be
//! mended.
//!
//! The short form has a few points. The full form:
//!
//! ```sh
//! GANNET_FAULT_POINTS=200 cargo nextest run -p gannet --test faults --no-capture
//! ```
//!
//! The seed is printed; `GANNET_FAULT_SEED` repeats a run.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod disk;
mod kill;
mod points;
mod store;
