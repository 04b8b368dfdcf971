//! What requests gained after their structs were frozen.

use std::sync::Arc;

use abi_stable::std_types::RString;
use gannet_api::QueryPlan;
use serde::{Deserialize, Serialize};

use super::json::from_slot;

/// The JSON of a request's `extra_json`. A side that does not know a part of
/// it reads the rest.
#[derive(Debug, Default)]
pub(super) struct RequestExtra {
    /// What the host read in the question.
    pub(super) plan: Option<Arc<QueryPlan>>,
}

#[derive(Serialize)]
struct Written<'p> {
    plan: &'p QueryPlan,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Read {
    plan: Option<QueryPlan>,
}

impl RequestExtra {
    /// The slot; empty without a plan.
    pub(super) fn write(plan: Option<&QueryPlan>) -> RString {
        match plan {
            None => RString::new(),
            // Types of the contract have string keys and no failing
            // serialisers.
            Some(plan) => serde_json::to_string(&Written { plan })
                .unwrap_or_default()
                .into(),
        }
    }

    /// What the slot says. A plan that this side cannot read is as if it were
    /// not there.
    pub(super) fn read(slot: &str) -> Self {
        let read: Read = from_slot(slot);
        Self {
            plan: read.plan.map(Arc::new),
        }
    }
}
