//! The list of plugins as it crosses the boundary: JSON. All calls under one
//! configuration share a list, so each side keeps the last one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abi_stable::std_types::RString;
use gannet_api::Descriptor;
use serde_json::Value;

type Last = Mutex<Option<(Arc<[Descriptor]>, RString)>>;

/// The list as JSON.
pub(crate) fn list_out(list: Arc<[Descriptor]>) -> serde_json::Result<RString> {
    static LAST: Last = Mutex::new(None);
    let mut last = lock(&LAST);
    if let Some((known, json)) = &*last
        && Arc::ptr_eq(known, &list)
    {
        return Ok(json.clone());
    }
    let json: RString = serde_json::to_string(&list[..])?.into();
    *last = Some((list, json.clone()));
    Ok(json)
}

/// The list that was written as JSON. A plugin of a kind that is younger than
/// this side is left out.
pub(crate) fn list_in(json: RString) -> serde_json::Result<Arc<[Descriptor]>> {
    static LAST: Last = Mutex::new(None);
    let mut last = lock(&LAST);
    if let Some((list, known)) = &*last
        && *known == json
    {
        return Ok(list.clone());
    }
    let all: Vec<Value> = serde_json::from_str(&json)?;
    let known = |one| serde_json::from_value::<Descriptor>(one).ok();
    let list: Arc<[Descriptor]> = all.into_iter().filter_map(known).collect();
    *last = Some((list.clone(), json));
    Ok(list)
}

fn lock(last: &Last) -> MutexGuard<'_, Option<(Arc<[Descriptor]>, RString)>> {
    // It is replaced as a whole, so a panic leaves it whole.
    last.lock().unwrap_or_else(PoisonError::into_inner)
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
            let read = list_in(list_out(given.clone()).unwrap()).unwrap();
            assert_eq!(read, *given);
        }
    }

    #[test]
    fn a_kind_that_is_not_known_is_left_out() {
        let mut all = serde_json::to_value(&list(&["one", "two"])[..]).unwrap();
        all[0]["kind"] = "chunker".into();
        let read = list_in(all.to_string().into()).unwrap();
        assert_eq!(read, list(&["two"]));
    }
}
