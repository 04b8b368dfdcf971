//! What instances keep in the store, each in a place of its own.

use gannet_api::{Call, Error, Result, StateRequest, limits};
use gannet_store::{StateKey, Store};

use crate::instance_key::InstanceKey;

/// Answers the host service [`StateRequest::SERVICE`] to an instance, for the
/// tenant of its call.
///
/// # Errors
/// [`Error::InvalidInput`] for a key or a value that is too long, or when the
/// instance keeps too much; the store's own.
pub(crate) async fn answer(
    store: &Store,
    call: &Call,
    instance: &InstanceKey,
    payload: &[u8],
) -> Result<Vec<u8>> {
    let request = serde_json::from_slice(payload).map_err(|error| {
        Error::invalid_input(format!(
            "the request of the service `{}`: {error}",
            StateRequest::SERVICE
        ))
    })?;
    let place = |key: String| StateKey {
        owner: instance.to_string(),
        tenant: call.tenant.to_string(),
        key,
    };
    let found = match request {
        StateRequest::Read { key } => store.plugin_state(&place(checked(key)?)).await?,
        StateRequest::Write { key, value } => {
            let place = place(checked(key)?);
            if let Some(value) = &value {
                check_room(store, &place, value).await?;
            }
            store.set_plugin_state(&place, value.as_deref()).await?;
            None
        }
        _ => return Err(Error::missing_service(StateRequest::SERVICE)),
    };
    serde_json::to_vec(&found).map_err(|error| Error::internal(error.to_string()))
}

fn checked(key: String) -> Result<String> {
    let is_usable = (1..=limits::NAME_BYTES).contains(&key.len()) && !key.contains('\0');
    match is_usable {
        true => Ok(key),
        false => Err(Error::invalid_input(format!(
            "a key of the state is 1 to {} bytes without NUL",
            limits::NAME_BYTES
        ))),
    }
}

/// PostgreSQL keeps no NUL in a text.
async fn check_room(store: &Store, place: &StateKey, value: &str) -> Result<()> {
    if value.len() > limits::STATE_VALUE_BYTES || value.contains('\0') {
        return Err(Error::invalid_input(format!(
            "the value of `{}` is {} bytes; at most {} bytes without NUL are kept",
            place.key,
            value.len(),
            limits::STATE_VALUE_BYTES
        )));
    }
    let kept = store.plugin_state_bytes(&place.owner).await?;
    let added = (place.key.len() + value.len()) as u64;
    if kept + added > limits::STATE_BYTES {
        return Err(Error::invalid_input(format!(
            "{} keeps {kept} bytes already, and at most {} are kept for one instance; forget keys \
             that are not needed",
            place.owner,
            limits::STATE_BYTES
        )));
    }
    Ok(())
}
