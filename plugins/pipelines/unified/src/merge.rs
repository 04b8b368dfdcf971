//! Merge: the lists of all domains into one, with the domain of each hit.
//!
//! Scores of one module compare across domains: they are of one question on
//! one index. So each module's hits are put into one list first, and a hit's
//! rank says how well it fits among all domains. If each domain were ranked by
//! itself, the first hit of each would score the same, however little it fits.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gannet_plugin::prelude::{Error, Hit, Result};
use gannet_plugin::search::{ScoreKind, sort_hits};
use gannet_stages::{FusionSettings, ModuleHits, fuse};

use crate::retrieval::Leg;

/// What stands before the names of modules in lists of what the question names:
/// they are lists of their own, or these hits would be behind all others.
const PLAN: &str = "plan";

/// The hits of all domains, best first, before anything is raised.
pub(crate) struct Merged {
    pub(crate) hits: Vec<Hit>,
    /// The domain that found each entry, where domains are configured.
    pub(crate) domains: HashMap<String, String>,
    /// How many modules answered in each domain.
    pub(crate) answered: HashMap<String, usize>,
    /// Search modules that found something.
    pub(crate) modules: Vec<String>,
}

impl Merged {
    /// How many times as many modules searched the domain that most did: 1
    /// for those that all searched, 2 for a domain that one module of two
    /// searches. `None` for a domain that no module answered for.
    pub(crate) fn times_fewer_modules(&self, domain: &str) -> Option<f64> {
        let most = self.answered.values().max().copied().unwrap_or_default();
        let own = self.answered.get(domain).filter(|own| **own > 0)?;
        Some(most as f64 / *own as f64)
    }

    /// The greatest of [`times_fewer_modules`](Self::times_fewer_modules): 1
    /// where the ranks of all hits say the same.
    pub(crate) fn unevenness(&self) -> f64 {
        let times = self.answered.keys();
        let times = times.filter_map(|domain| self.times_fewer_modules(domain));
        times.fold(1.0, f64::max)
    }
}

/// Merges what the domains gave.
///
/// # Errors
/// [`Error::Setting`] for numbers of a fusion that cannot be used.
pub(crate) fn merge(text: &str, legs: &[Leg], settings: &FusionSettings) -> Result<Merged> {
    let mut domains: HashMap<String, String> = HashMap::new();
    let mut by_module: BTreeMap<String, Vec<(usize, Hit)>> = BTreeMap::new();
    for leg in legs {
        for list in &leg.lists {
            let name = match leg.is_part {
                true => format!("{PLAN}/{}", list.module),
                false => list.module.clone(),
            };
            let of_module = by_module.entry(name).or_default();
            for (rank, hit) in list.hits.iter().enumerate() {
                // An entry of two domains is of the first by name.
                if !leg.domain.is_empty() {
                    domains
                        .entry(hit.entry_id.clone())
                        .or_insert_with(|| leg.domain.clone());
                }
                of_module.push((rank, hit.clone()));
            }
        }
    }
    let lists: Vec<ModuleHits> = by_module
        .into_iter()
        .map(|(module, hits)| ModuleHits::new(module, in_one_order(hits)))
        .collect();
    let found = legs.iter().flat_map(|leg| &leg.lists);
    let found = found.filter(|list| !list.hits.is_empty());
    let modules: BTreeSet<String> = found.map(|list| list.module.clone()).collect();
    let is_by_time = |list: &ModuleHits| !list.hits.is_empty() && !is_scored(&list.hits);
    let hits = match lists.iter().find(|list| is_by_time(list)) {
        // What passes a filter, newest first, has an order and no scores.
        Some(listed) => listed.hits.clone(),
        None => fuse(text, &lists, settings).map_err(|error| -> Error { error.at("fusion") })?,
    };
    // A domain may be searched more than once, for all of it and for a part.
    let mut answered: HashMap<String, usize> = HashMap::new();
    for leg in legs {
        let most = answered.entry(leg.domain.clone()).or_default();
        *most = leg.lists.len().max(*most);
    }
    Ok(Merged {
        hits,
        domains,
        answered,
        modules: modules.into_iter().collect(),
    })
}

/// The hits of one module from several domains, each entry once.
fn in_one_order(mut hits: Vec<(usize, Hit)>) -> Vec<Hit> {
    let scored = hits
        .iter()
        .all(|(_, hit)| hit.score_kind != ScoreKind::None);
    if scored {
        let mut hits: Vec<Hit> = hits.into_iter().map(|(_, hit)| hit).collect();
        sort_hits(&mut hits);
        return hits;
    }
    hits.sort_by(|(a_rank, a), (b_rank, b)| {
        let by_rank = a_rank.cmp(b_rank);
        by_rank.then_with(|| order_of_ties(a, b))
    });
    hits.into_iter().map(|(_, hit)| hit).collect()
}

fn order_of_ties(a: &Hit, b: &Hit) -> Ordering {
    (&a.kind, &a.entry_id).cmp(&(&b.kind, &b.entry_id))
}

fn is_scored(hits: &[Hit]) -> bool {
    hits.iter().all(|hit| hit.score_kind != ScoreKind::None)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_stages::FusionMethod;

    use super::*;

    fn leg(domain: &str, hits: &[(&str, f64)]) -> Leg {
        let hits = hits
            .iter()
            .map(|(id, score)| Hit::new(*id, domain, *score, ScoreKind::Bm25));
        Leg {
            domain: domain.to_owned(),
            is_part: false,
            lists: vec![ModuleHits::new("keyword", hits.collect())],
            is_partial: false,
            failure: None,
        }
    }

    #[test]
    fn ranks_of_a_module_are_those_among_all_domains() {
        let legs = [
            leg("document", &[("d1", 9.0), ("d2", 1.0)]),
            leg("logbook", &[("l1", 5.0), ("l2", 4.0)]),
        ];
        let rrf = FusionSettings {
            method: FusionMethod::Rrf,
            ..FusionSettings::default()
        };
        let merged = merge("pump", &legs, &rrf).unwrap();
        let order: Vec<&str> = merged
            .hits
            .iter()
            .map(|hit| hit.entry_id.as_str())
            .collect();
        assert_eq!(order, ["d1", "l1", "l2", "d2"]);
        assert_eq!(merged.domains["l2"], "logbook");
        assert_eq!(merged.hits[0].score, 1.0 / 61.0);
    }
}
