//! Ambient context: where a question was asked, and what its user did before.

use std::collections::BTreeMap;

use gannet_plugin::prelude::{PipelineRequest, Result};

use crate::parameters::{LAST_DOMAIN, LAST_ENTITY, POPULAR, ROUTE, SCOPE, SESSION, VISIBLE};

/// Names of one list that are read, at most.
const NAMES_AT_MOST: usize = 50;

/// What a call says of its surroundings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ambient {
    /// Domains that were chosen.
    pub(crate) scope: Vec<String>,
    /// The address of the page.
    pub(crate) route: Option<String>,
    pub(crate) visible_entities: Vec<String>,
    pub(crate) last_domain: Option<String>,
    pub(crate) last_entity: Option<String>,
    pub(crate) session_entities: Vec<String>,
    /// How often users opened entries.
    pub(crate) popular: BTreeMap<String, u64>,
}

impl Ambient {
    /// Reads the parameters of a call.
    ///
    /// # Errors
    /// [`Error::InvalidInput`](gannet_plugin::prelude::Error::InvalidInput) for a
    /// parameter that is not a string.
    pub(crate) fn of(request: &PipelineRequest) -> Result<Self> {
        let text = |name: &str| -> Result<String> {
            Ok(request.param::<String>(name)?.unwrap_or_default())
        };
        let one = |text: String| {
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        Ok(Self {
            scope: names_in(&text(SCOPE)?),
            route: one(text(ROUTE)?),
            visible_entities: names_in(&text(VISIBLE)?),
            last_domain: one(text(LAST_DOMAIN)?),
            last_entity: one(text(LAST_ENTITY)?),
            session_entities: names_in(&text(SESSION)?),
            popular: counts_in(&text(POPULAR)?),
        })
    }
}

/// The names of a list, each once.
fn names_in(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    for part in parts.take(NAMES_AT_MOST) {
        if !names.iter().any(|known| known == part) {
            names.push(part.to_owned());
        }
    }
    names
}

/// `ID=NUMBER, ID=NUMBER`; what is not of this form counts nothing.
fn counts_in(text: &str) -> BTreeMap<String, u64> {
    let pairs = text.split(',').filter_map(|part| {
        let (id, count) = part.rsplit_once('=')?;
        Some((id.trim().to_owned(), count.trim().parse().ok()?))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_read_from_texts() {
        let mut request = PipelineRequest::new("why?", 10);
        let params = json!({
            "scope": " logbook, document,logbook ",
            "route": " ",
            "popular": "a=3, b=x, c=d=2",
        });
        request.params = params.as_object().unwrap().clone();
        let ambient = Ambient::of(&request).unwrap();
        assert_eq!(ambient.scope, ["logbook", "document"]);
        assert_eq!(ambient.route, None);
        let expected = BTreeMap::from([("a".to_owned(), 3), ("c=d".to_owned(), 2)]);
        assert_eq!(ambient.popular, expected);
    }
}
