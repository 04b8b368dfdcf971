//! What requests gained after their structs were frozen.

use std::sync::Arc;

use abi_stable::std_types::RString;
use gannet_api::QueryPlan;
use serde::{Deserialize, Serialize};

use super::json::{from_slot, to_json};
use crate::last::Last;

/// The JSON of a request's `extra_json`, as it is written.
#[derive(Serialize)]
struct Written<'p> {
    plan: &'p QueryPlan,
}

/// The same as it is read. A side that does not know a part of it reads the
/// rest.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Read {
    plan: Option<QueryPlan>,
}

/// The slot with what the host read in the question; empty without a plan.
pub(super) fn plan_out(plan: Option<&Arc<QueryPlan>>) -> RString {
    static LAST: Last<QueryPlan> = Last::none();
    let write = |plan: &QueryPlan| to_json(&Written { plan });
    // Types of the contract have string keys and no failing serialisers.
    let json = plan.and_then(|plan| LAST.json(plan, write).ok());
    json.unwrap_or_default()
}

/// The plan in the slot. One that this side cannot read is as if it were not
/// there.
pub(super) fn plan_in(slot: &str) -> Option<Arc<QueryPlan>> {
    static LAST: Last<QueryPlan> = Last::none();
    if slot.is_empty() {
        return None;
    }
    let read = |slot: &str| from_slot::<Read>(slot).plan.map(Arc::new).ok_or(());
    LAST.value(slot, read).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::{PipelineRequest, SearchRequest};

    use super::*;
    use crate::layout::{AbiPipelineRequest, AbiSearchRequest};

    fn plan() -> Arc<QueryPlan> {
        Arc::new(
            QueryPlan::default()
                .with_text("leak in May")
                .with_notes(vec!["a note".to_owned()]),
        )
    }

    #[test]
    fn requests_keep_their_plan_over_the_boundary() {
        let mut search = SearchRequest::new("leak in May", 3);
        search.plan = Some(plan());
        let crossed = AbiSearchRequest::from(search.clone());
        assert_eq!(SearchRequest::try_from(crossed).unwrap(), search);

        let mut request = PipelineRequest::new("leak in May", 3);
        request.plan = Some(plan());
        let crossed = AbiPipelineRequest::from(request.clone());
        assert_eq!(PipelineRequest::try_from(crossed).unwrap(), request);
    }

    #[test]
    fn a_side_without_plans_leaves_the_slot_empty() {
        let crossed = AbiSearchRequest::from(SearchRequest::new("leak", 3));
        assert_eq!(crossed.extra_json, "");
        assert_eq!(SearchRequest::try_from(crossed).unwrap().plan, None);
    }

    #[test]
    fn a_plan_of_a_younger_side_that_cannot_be_read_is_as_if_it_were_not_there() {
        assert_eq!(plan_in(r#"{"plan": {"intent": "prophesy"}}"#), None);
        let younger = r#"{"plan": {"text": "x", "mood": "calm"}, "more": 1}"#;
        assert_eq!(plan_in(younger).unwrap().text, "x");
    }
}
