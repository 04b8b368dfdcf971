//! Settings that must not compile. Each example differs from the one before it
//! that compiles in the option that is wrong.
//!
//! ```
//! #[gannet_plugin::prelude::settings]
//! struct Right {
//!     /// How many.
//!     #[setting(default = 5, min = 1, max = 9, parameter, call_max = 7)]
//!     count: u32,
//! }
//! # fn main() {}
//! ```
//!
//! A lower bound above the upper one:
//!
//! ```compile_fail,E0080
//! #[gannet_plugin::prelude::settings]
//! struct Wrong {
//!     /// How many.
//!     #[setting(default = 5, min = 9, max = 1)]
//!     count: u32,
//! }
//! # fn main() {}
//! ```
//!
//! A default outside of the bounds:
//!
//! ```compile_fail,E0080
//! #[gannet_plugin::prelude::settings]
//! struct Wrong {
//!     /// How many.
//!     #[setting(default = 10, min = 1, max = 9)]
//!     count: u32,
//! }
//! # fn main() {}
//! ```
//!
//! Bounds for callers that no value of the configuration meets:
//!
//! ```compile_fail,E0080
//! #[gannet_plugin::prelude::settings]
//! struct Wrong {
//!     /// How many.
//!     #[setting(default = 5, min = 3, max = 9, parameter, call_max = 2)]
//!     count: u32,
//! }
//! # fn main() {}
//! ```
//!
//! An option that there is not:
//!
//! ```compile_fail
//! #[gannet_plugin::prelude::settings]
//! struct Wrong {
//!     /// How many.
//!     #[setting(default = 5, minimum = 1)]
//!     count: u32,
//! }
//! # fn main() {}
//! ```
