//! Faults at random points: processes that are killed, disks that fill up,
//! bits that flip. Nothing acknowledged is lost or doubled, no result is wrong
//! without an error or a diagnostic, and one command mends what can be mended.
//!
//! The short form has a few points. The full form:
//!
//! ```sh
//! GANNET_FAULT_POINTS=200 cargo nextest run -p gannet --test cli --no-capture faults
//! ```
//!
//! Disks fill up, and bits of each kind of file flip, at half as many points.
//! The seed is printed; `GANNET_FAULT_SEED` repeats a run. `GANNET_FAULT_PROGRAM`
//! is another build of `gannet` to test, such as a release build.
#![cfg(target_os = "linux")]
mod disk;
mod flip;
mod kill;
mod points;
mod store;
