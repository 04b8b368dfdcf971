//! Features: numbers with names.

use crate::ModelError;

/// Defines a struct of numbers with their names.
///
/// `NAMES` has the names in order, and `values` the numbers, rounded as
/// [`rounded`] says.
#[macro_export]
macro_rules! features {
    ($(#[$of_struct:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident,)* }) => {
        $(#[$of_struct])*
        #[derive(Debug, Clone, Default, PartialEq)]
        #[allow(missing_docs, reason = "neighbours share a comment")]
        pub struct $name {
            $($(#[$of_field])* pub $field: f32,)*
        }

        impl $name {
            /// The names, in the order of [`values`](Self::values).
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// The numbers in order, rounded.
            pub fn values(&self) -> Vec<f32> {
                vec![$($crate::rounded(self.$field)),*]
            }
        }
    };
}

/// Checks that weights were made for this version of the meaning of the
/// features, which is raised when one changes and keeps its name.
///
/// # Errors
/// [`ModelError::OtherVersion`].
pub fn check_version(made_for: Option<u32>, version: u32) -> Result<(), ModelError> {
    match made_for {
        Some(made_for) if made_for == version => Ok(()),
        made_for => Err(ModelError::OtherVersion {
            made_for: made_for.unwrap_or_default(),
            version,
        }),
    }
}

/// Rounds to a multiple of 1/4096: differences in the last bit of a logarithm
/// on another processor change nothing.
pub fn rounded(value: f32) -> f32 {
    (value * 4096.0).round() / 4096.0
}

/// Whether something holds, as a feature.
pub fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}
