//! Small learned models: boosted trees beside a linear model, read from a file
//! that a training command writes, and the features that they are given.
//!
//! A model is the same on every processor: it adds and compares `f32` in a fixed
//! order, and its features are rounded.
//!
//! ```
//! use gannet_model::{Model, features};
//!
//! features! {
//!     /// What is known of an entry.
//!     Features {
//!         /// Share of the words of the question that it has.
//!         coverage,
//!     }
//! }
//!
//! let weights = r#"{
//!     "features": ["coverage"],
//!     "linear": {"intercept": -1.0, "weights": [[2.0, 0.5, 1.0]]},
//!     "trees": [],
//!     "curve": [[-2.0, 0.0], [2.0, 1.0]]
//! }"#;
//! let model: Model = serde_json::from_str(weights)?;
//! let model = model.bind(Features::NAMES)?;
//! let whole = model.probability(&Features { coverage: 1.0 }.values());
//! let none = model.probability(&Features::default().values());
//! assert!(whole > none);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod features;
mod model;

pub use error::ModelError;
pub use features::{check_version, flag, rounded};
pub use model::Model;
