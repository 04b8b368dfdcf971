//! What the configuration and a call can set.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Result};

/// What the configuration can set of a plugin, and what of it a call can set.
/// `#[settings]` of `gannet-plugin` implements it. A type that is written
/// without it has no parameters and no bounds: `impl Settings for Mine {}`.
pub trait Settings: Clone + DeserializeOwned + JsonSchema {
    /// Whether every value is within its bounds.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first that is not.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// These settings with what the parameters of a call set in their place.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when a parameter is of another type or out of
    /// its bounds.
    fn for_call(&self, _params: &Map<String, Value>) -> Result<Self> {
        Ok(self.clone())
    }
}

/// Settings as the configuration has them, as a plugin's type.
///
/// # Errors
/// [`Error::Configuration`] where the value does not fit the type,
/// [`Error::Setting`] where a setting is out of its bounds.
pub fn read_settings<S: Settings>(settings: Value) -> Result<S> {
    let settings: S = serde_json::from_value(settings)
        .map_err(|error| Error::configuration("settings", error.to_string()))?;
    settings.check()?;
    Ok(settings)
}

/// The settings of a plugin that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl Settings for NoSettings {}

/// A number with bounds, or none where it is not set.
pub trait Bounded {
    /// Its value.
    fn value(&self) -> Option<f64>;
}

macro_rules! bounded {
    ($($number:ty),*) => {
        $(impl Bounded for $number {
            fn value(&self) -> Option<f64> {
                #[allow(
                    clippy::cast_precision_loss,
                    clippy::cast_lossless,
                    reason = "bounds are compared as `f64`, whatever the type"
                )]
                Some(*self as f64)
            }
        })*
    };
}

bounded!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

impl<T: Bounded> Bounded for Option<T> {
    fn value(&self) -> Option<f64> {
        self.as_ref().and_then(Bounded::value)
    }
}

/// What is wrong with a number by its bounds, both included: nothing, or the
/// end of a sentence. Not a number is out of any bounds.
pub fn out_of_bounds(
    value: &impl Bounded,
    least: Option<f64>,
    most: Option<f64>,
) -> Option<String> {
    let value = value.value()?;
    let is_within = !value.is_nan()
        && least.is_none_or(|least| value >= least)
        && most.is_none_or(|most| value <= most);
    if is_within {
        return None;
    }
    let bounds = match (least, most) {
        (Some(least), Some(most)) => format!("between {least} and {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "a number".to_owned(),
    };
    Some(format!("must be {bounds}, found {value}"))
}
