//! Features: numbers with names.

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

/// Rounds to a multiple of 1/4096: differences in the last bit of a logarithm
/// on another processor change nothing.
pub fn rounded(value: f32) -> f32 {
    (value * 4096.0).round() / 4096.0
}

/// Whether something holds, as a feature.
pub fn flag(holds: bool) -> f32 {
    if holds { 1.0 } else { 0.0 }
}
