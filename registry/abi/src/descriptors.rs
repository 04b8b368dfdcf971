//! The list of plugins as it crosses the boundary: JSON. All calls under one
//! configuration share a list, so it is written and read once for them.

use std::sync::Arc;

use abi_stable::std_types::RString;
use gannet_api::Descriptor;
use serde_json::Value;

use crate::last::Last;

/// The list as JSON.
pub(crate) fn list_out(list: &Arc<[Descriptor]>) -> serde_json::Result<RString> {
    static LAST: Last<[Descriptor]> = Last::none();
    LAST.json(list, |list| serde_json::to_string(list).map(RString::from))
}

/// The list that was written as JSON. A plugin of a kind that is younger than
/// this side is left out.
pub(crate) fn list_in(json: &str) -> serde_json::Result<Arc<[Descriptor]>> {
    static LAST: Last<[Descriptor]> = Last::none();
    LAST.value(json, |json| {
        let all: Vec<Value> = serde_json::from_str(json)?;
        let known = |one| serde_json::from_value::<Descriptor>(one).ok();
        Ok(all.into_iter().filter_map(known).collect())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn list(names: &[&str]) -> Arc<[Descriptor]> {
        let describe = |name: &&str| Descriptor::search_module(name, "Label", "Does it.");
        names.iter().map(describe).collect()
    }

    #[test]
    fn a_list_is_that_of_the_host_also_when_it_changes() {
        let (one, two) = (list(&["one"]), list(&["one", "two"]));
        for given in [&one, &one, &two, &one] {
            let read = list_in(&list_out(given).unwrap()).unwrap();
            assert_eq!(read, *given);
        }
    }

    #[test]
    fn a_kind_that_is_not_known_is_left_out() {
        let mut all = serde_json::to_value(&list(&["one", "two"])[..]).unwrap();
        all[0]["kind"] = "chunker".into();
        let read = list_in(&all.to_string()).unwrap();
        assert_eq!(read, list(&["two"]));
    }
}
