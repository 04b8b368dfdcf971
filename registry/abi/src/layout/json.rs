//! JSON slots: open, rare data of a frozen struct.

use abi_stable::std_types::RString;
use gannet_api::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A value as a slot; empty when it is the default.
pub(crate) fn to_slot<T: Serialize + Default + PartialEq>(value: &T) -> RString {
    match *value == T::default() {
        true => RString::new(),
        // Types of the contract have string keys and no failing serialisers.
        false => serde_json::to_string(value).unwrap_or_default().into(),
    }
}

/// A slot as a value that must be understood: a filter that is not read would
/// let everything through.
///
/// # Errors
/// [`Error::Internal`] that names the slot.
pub(crate) fn read_slot<T: DeserializeOwned + Default>(what: &str, slot: &str) -> Result<T> {
    if slot.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(slot).map_err(|error| {
        Error::internal(format!(
            "{what} has an unknown format: {error}; build the plugin with the `gannet-plugin` of \
             this host"
        ))
    })
}

/// A part of a slot that is `None` when it is a value that is younger than
/// this side, so that the other parts are read.
pub(crate) fn known_or_none<'de, T, D>(reader: D) -> std::result::Result<Option<T>, D::Error>
where
    T: DeserializeOwned,
    D: Deserializer<'de>,
{
    let value = Value::deserialize(reader)?;
    Ok(serde_json::from_value(value).ok())
}

/// A slot as a value. What this side cannot read is as if it were not there:
/// such a slot holds what one side may know and the other not.
pub(crate) fn from_slot<T: DeserializeOwned + Default>(slot: &str) -> T {
    match slot.is_empty() {
        true => T::default(),
        false => serde_json::from_str(slot).unwrap_or_default(),
    }
}
