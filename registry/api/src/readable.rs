//! Reading what a younger version wrote: what is not known is left out.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The items of a list that this side can read.
pub(crate) fn known<'de, T, D>(reader: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let items = Vec::<Value>::deserialize(reader)?.into_iter();
    Ok(items
        .filter_map(|item| serde_json::from_value(item).ok())
        .collect())
}

/// A value that this side can read, or none.
pub fn known_or_none<'de, T, D>(reader: D) -> Result<Option<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let value = Value::deserialize(reader)?;
    Ok(serde_json::from_value(value).ok())
}

/// A number; NaN where JSON has `null`, which is how it writes a number that is
/// not finite.
pub(crate) fn number_or_nan<'de, D: Deserializer<'de>>(reader: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(reader)?.unwrap_or(f64::NAN))
}

/// A value that this side can read, or the default.
pub(crate) fn known_or_default<'de, T, D>(reader: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    known_or_none(reader).map(Option::unwrap_or_default)
}
