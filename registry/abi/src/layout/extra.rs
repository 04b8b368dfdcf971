//! What requests and streams gained after their structs were frozen.

use std::sync::Arc;

use abi_stable::std_types::RString;
use gannet_api::QueryPlan;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::json::{from_slot, to_json, to_slot};
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

/// The JSON of a stream's `extra_json`.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct OfStream {
    #[serde(skip_serializing_if = "Option::is_none")]
    complete_since: Option<Timestamp>,
}

/// The slot with the instant since when a stream is complete; empty without
/// one.
pub(crate) fn complete_since_out(complete_since: Option<Timestamp>) -> RString {
    to_slot(&OfStream { complete_since })
}

/// The instant in the slot. One that this side cannot read is as if it were not
/// there.
pub(crate) fn complete_since_in(slot: &str) -> Option<Timestamp> {
    from_slot::<OfStream>(slot).complete_since
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

    #[test]
    fn a_stream_of_an_older_plugin_is_complete_since_no_instant() {
        assert_eq!(complete_since_out(None), "");
        assert_eq!(complete_since_in(""), None);
        assert_eq!(complete_since_in(r#"{"mood": "calm"}"#), None);
        assert_eq!(complete_since_in(r#"{"complete_since": "lately"}"#), None);
    }

    #[test]
    fn what_a_younger_plugin_says_besides_does_not_hide_the_instant() {
        let younger = r#"{"complete_since": "1970-01-01T00:00:00Z", "mood": "calm"}"#;
        assert_eq!(complete_since_in(younger), Some(Timestamp::UNIX_EPOCH));
    }
}
