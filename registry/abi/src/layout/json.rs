//! JSON slots: open, rare data of a frozen struct.

use abi_stable::std_types::RString;
use gannet_api::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as JSON for the other side.
///
/// # Errors
/// [`Error::Internal`]: none that is known.
pub(crate) fn to_json(value: &impl Serialize) -> Result<RString> {
    let json = serde_json::to_string(value).map_err(unreadable)?;
    Ok(json.into())
}

/// JSON of the other side as a value.
///
/// # Errors
/// [`Error::Internal`] that names what it is of.
pub(crate) fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T> {
    serde_json::from_str(json)
        .map_err(|error| Error::internal(format!("{what} cannot be read: {error}")))
}

/// What is said of JSON that cannot be written or read.
pub(crate) fn unreadable(error: serde_json::Error) -> Error {
    Error::internal(format!("JSON at the boundary: {error}"))
}

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

/// A slot as a value. What this side cannot read is as if it were not there:
/// such a slot holds what one side may know and the other not.
pub(crate) fn from_slot<T: DeserializeOwned + Default>(slot: &str) -> T {
    match slot.is_empty() {
        true => T::default(),
        false => serde_json::from_str(slot).unwrap_or_default(),
    }
}
