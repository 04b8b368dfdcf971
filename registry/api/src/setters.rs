//! The `with_…` methods of requests and results. Their structs may get more
//! fields, so that a plugin makes them by a constructor and these.

/// Writes a method for each field, which takes the struct and gives it with
/// that field set. They are called from other crates, where each would copy the
/// struct twice if it was not inlined.
macro_rules! setters {
    ($type:ident { $($setter:ident($field:ident: $value:ty)),+ $(,)? }) => {
        impl $type {
            $(
                #[doc = concat!("With [`", stringify!($field), "`](field@Self::", stringify!($field), ").")]
                #[must_use]
                #[inline]
                pub fn $setter(mut self, $field: $value) -> Self {
                    self.$field = $field.into();
                    self
                }
            )+
        }
    };
}

pub(crate) use setters;
