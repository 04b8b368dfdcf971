//! Things of the host that another image holds.

#![allow(
    unsafe_code,
    reason = "a value that is dropped by hand, in the host's runtime"
)]

use std::mem::ManuallyDrop;

use super::services::EnterHost;
use crate::contain::drop_contained;

/// Something of the host that another image may drop, on a thread of its own:
/// it is dropped where the host's runtime can be reached, with panics
/// contained.
pub(super) struct Lent<T> {
    value: ManuallyDrop<T>,
    enter_host: EnterHost,
}

impl<T> Lent<T> {
    pub(super) fn new(value: T, enter_host: &EnterHost) -> Self {
        Self {
            value: ManuallyDrop::new(value),
            enter_host: enter_host.clone(),
        }
    }

    pub(super) fn value(&self) -> &T {
        &self.value
    }

    pub(super) fn enter_host(&self) -> &EnterHost {
        &self.enter_host
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        // SAFETY: the value is taken once, here, and not looked at again.
        let mut value = Some(unsafe { ManuallyDrop::take(&mut self.value) });
        (self.enter_host)(&mut || {
            if let Err(error) = drop_contained(value.take()) {
                tracing::warn!("what a plugin held failed when it was dropped: {error}");
            }
        });
    }
}
