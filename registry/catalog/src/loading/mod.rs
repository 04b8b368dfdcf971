//! Dylibs of plugins, up to where their code begins to run.
//!
//! Opening a dylib runs code of it, so everything that can be known before is
//! checked before, on the bytes that are opened afterwards. The gates, in
//! this order:
//!
//! | gate | what it asks |
//! |---|---|
//! | `place` | is it a regular file inside an allowed folder, links followed? |
//! | `permissions` | can nobody but root and the user that runs this change it? |
//! | `read` | can it be read, and is it of a sane size? |
//! | `pin` | has it the `sha256` that the configuration says? |
//! | `object` | is it a whole dynamic library for this machine? |
//! | `manifest` | does it hold a manifest? |
//! | `contract`, `abi_stable` | does it speak what this host speaks? |
//! | `panic` | can its panics be caught? |
//!
//! [`preflight`] stops at the first that is shut. [`inspect`] tells of all of
//! them, for whoever wants to know why a file is refused.
//!
//! ```
//! use gannet_registry::loading::{DylibWish, LoadingRules, preflight};
//!
//! let rules = LoadingRules {
//!     dirs: vec!["/opt/facility/plugins".into()],
//!     require_pin: false,
//! };
//! let refused = preflight(&DylibWish::of("../../../etc/passwd"), &rules).unwrap_err();
//! assert_eq!(refused.gate(), "place");
//! ```

mod error;
#[cfg(all(test, target_os = "linux"))]
mod fixtures;
mod image;
mod inspect;
mod manifests;
#[cfg(target_os = "linux")]
mod memory_file;
mod object_file;
mod permissions;
mod place;
mod preflight;
#[cfg(any(test, not(target_os = "linux")))]
mod private_copy;
mod report;
mod sealed;
#[cfg(all(test, target_os = "linux"))]
mod tests;
mod wish;

pub use error::LoadError;
pub use inspect::{Gate, Inspection, inspect};
pub use preflight::{Preflight, preflight};
pub use report::{FailedPlugin, FileReport, PluginState};
pub use sealed::SealedImage;
pub use wish::{DylibWish, LoadingRules};
