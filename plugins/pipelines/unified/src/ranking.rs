//! Rank: what was found, raised by the boosts and in its order, with the
//! entries and the explanation of each hit.

use std::collections::{BTreeMap, BTreeSet};

use gannet_plugin::prelude::{Diagnostic, Hit, Result};
use gannet_plugin::query::named_entry;
use gannet_plugin::search::{ScoreKind, sort_hits};
use gannet_stages::{stem, words as words_of};
use serde_json::{Value, json};

use crate::boosts::{Boosts, Raiser};
use crate::entries::{Entries, EntryText};
use crate::merge::Merged;
use crate::planning::DomainWeight;
use crate::run::Run;
use crate::time_order;

/// Hits whose entries are read and compared, at least: below them nothing
/// comes up that is shown.
const POOL: usize = 60;

/// The hits in their order.
pub(crate) struct Ranked {
    pub(crate) hits: Vec<RankedHit>,
    pub(crate) entries: Entries,
    /// The weight of each domain with a hit.
    pub(crate) weights: BTreeMap<String, DomainWeight>,
    pub(crate) degraded: bool,
}

/// A hit and where it is from.
#[derive(Debug, Clone)]
pub(crate) struct RankedHit {
    pub(crate) hit: Hit,
    pub(crate) domain: String,
    /// Whether it is of a domain that comes first; so are all without a scope.
    pub(crate) in_scope: bool,
}

impl Run<'_> {
    /// Ranks what was found.
    ///
    /// # Errors
    /// The entries cannot be read.
    pub(crate) async fn rank(&self, mut merged: Merged) -> Result<Ranked> {
        let mut weights = BTreeMap::new();
        let asked = self.asked_stems();
        let is_scored = merged
            .hits
            .iter()
            .all(|hit| hit.score_kind != ScoreKind::None);
        if is_scored {
            self.raise_domains(&mut merged, &mut weights);
        }
        let mut found = std::mem::take(&mut merged.hits);
        let pool = match self.is_by_time() {
            true => time_order::POOL,
            false => POOL,
        };
        found.truncate(pool.max(self.request.limit));
        let (hits, entries, missing) = self.read(found).await?;
        let mut ranked = Vec::with_capacity(hits.len());
        let raiser = Raiser::new(
            (&self.host, &self.plan),
            &self.settings.boosts,
            &self.setup.timezone,
            &self.ambient.popular,
            (&hits, &entries),
        );
        for (mut hit, base) in hits.iter().cloned().zip(hits.iter().map(base_of)) {
            let Some((entry, text)) = entries.get(&hit.entry_id) else {
                continue;
            };
            let found_by = merged.domains.get(&hit.entry_id).cloned();
            let of_field = || self.domains.of_entry(&hit.kind, Some(entry));
            let domain = found_by.unwrap_or_else(of_field);
            let weight = self.weight_of(&domain, &mut weights);
            let boosts = raiser.boosts(&weight, (entry, text));
            let in_scope = self.is_in_scope(&domain);
            let base = base * evened(&merged, &domain, || fit(&asked, text));
            if is_scored {
                hit.score = base * weight.base * (1.0 + boosts.total);
                hit.score_kind = ScoreKind::WeightedRrf;
            }
            hit.explain = Some(explained(&domain, in_scope, base, &weight, &boosts));
            ranked.push((hit, domain, in_scope));
        }
        if is_scored {
            in_order(&mut ranked);
        }
        let hits = ranked
            .into_iter()
            .map(|(hit, domain, in_scope)| RankedHit {
                hit,
                domain,
                in_scope,
            })
            .collect();
        let mut ranked = Ranked {
            hits,
            entries,
            weights,
            degraded: missing > 0,
        };
        if is_scored {
            self.show_each_compared(&mut ranked);
            self.put_in_time_order(&mut ranked);
        }
        self.keep_named_first(&mut ranked.hits);
        Ok(ranked)
    }

    /// The stems of the words that say what is asked about.
    fn asked_stems(&self) -> BTreeSet<String> {
        let words = self.host.content_terms().join(" ");
        words_of(&words).iter().map(|word| stem(word)).collect()
    }

    /// Whether a domain comes first; each does where none is put first.
    pub(crate) fn is_in_scope(&self, domain: &str) -> bool {
        self.plan.scope.is_empty() || self.plan.scope.iter().any(|name| name == domain)
    }

    /// Puts the hits into the order that they have with the boosts of their
    /// domains, so that what is in scope is among those that are read. Their
    /// scores before are kept in `explain` until then.
    fn raise_domains(&self, merged: &mut Merged, weights: &mut BTreeMap<String, DomainWeight>) {
        let at_most = self.settings.boosts.at_most;
        for hit in &mut merged.hits {
            let found_by = merged.domains.get(&hit.entry_id).cloned();
            let domain = found_by.unwrap_or_else(|| self.domains.of_entry(&hit.kind, None));
            let weight = self.weight_of(&domain, weights);
            let sum: f64 = weight.boosts.iter().map(|boost| boost.value).sum();
            hit.explain = Some(hit.score.into());
            hit.score *= weight.base * (1.0 + sum.min(at_most));
        }
        sort_hits(&mut merged.hits);
    }

    fn weight_of(
        &self,
        domain: &str,
        weights: &mut BTreeMap<String, DomainWeight>,
    ) -> DomainWeight {
        let unknown = || DomainWeight {
            domain: domain.to_owned(),
            base: 1.0,
            boosts: Vec::new(),
        };
        let weight = weights.entry(domain.to_owned()).or_insert_with(|| {
            let known = self.domains.get(domain);
            known.map_or_else(unknown, |known| self.planner().weight(&known, &self.plan))
        });
        weight.clone()
    }

    /// Reads the entries of the hits. A hit without an entry is dropped.
    async fn read(&self, mut hits: Vec<Hit>) -> Result<(Vec<Hit>, Entries, usize)> {
        let ids: Vec<String> = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let read = match ids.is_empty() {
            true => Vec::new(),
            false => self.context.entries(ids).await?,
        };
        let entries = Entries::of(read);
        let found = hits.len();
        hits.retain(|hit| entries.get(&hit.entry_id).is_some());
        let missing = found - hits.len();
        if missing > 0 {
            let message = format!("{missing} of the entries found no longer exist");
            let note = Diagnostic::warning(self.source("retrieve"), message);
            self.context.diagnose(note.category("not_found"));
        }
        Ok((hits, entries, missing))
    }

    /// An entry that the question names by its id stays first.
    fn keep_named_first(&self, hits: &mut Vec<RankedHit>) {
        let named = named_entry(&self.request.query);
        let place = hits
            .iter()
            .position(|one| Some(one.hit.entry_id.as_str()) == named);
        if let (Some(place @ 1..), Some(best)) = (place, hits.first().map(|one| one.hit.score)) {
            let mut named = hits.remove(place);
            named.hit.score = best.next_up();
            hits.insert(0, named);
        }
    }
}

/// The factor that makes scores of domains comparable which different numbers
/// of modules searched; 1 where all were searched by as many.
///
/// A domain with fewer modules has fewer ranks to add up, so its hits count as
/// often as modules are missing. But ranks of different modules do not say how
/// well the hits of one domain fit beside those of another: the first hit of
/// each is first. What the texts hold of the question does, so every hit, of
/// whatever domain, keeps as much of its score as it fits, and the share that
/// it would have had without the missing modules.
fn evened(merged: &Merged, domain: &str, fit: impl FnOnce() -> f64) -> f64 {
    let most = merged.unevenness();
    if most <= 1.0 {
        return 1.0;
    }
    let own = merged.times_fewer_modules(domain).unwrap_or(1.0);
    own * (1.0 + (most - 1.0) * fit()) / most
}

/// How many of the words that are asked about an entry holds, 0 to 1.
fn fit(asked: &BTreeSet<String>, text: &EntryText) -> f64 {
    if asked.is_empty() {
        return 0.0;
    }
    let held: BTreeSet<String> = words_of(&text.lower)
        .iter()
        .map(|word| stem(word))
        .collect();
    asked.intersection(&held).count() as f64 / asked.len() as f64
}

/// The score of a hit before anything raised it.
fn base_of(hit: &Hit) -> f64 {
    let kept = hit.explain.as_ref().and_then(Value::as_f64);
    kept.unwrap_or(hit.score)
}

/// Puts hits into the one order of all results.
fn in_order(ranked: &mut [(Hit, String, bool)]) {
    let mut hits: Vec<Hit> = ranked.iter().map(|(hit, ..)| hit.clone()).collect();
    sort_hits(&mut hits);
    let places: BTreeMap<&str, usize> = hits
        .iter()
        .enumerate()
        .map(|(place, hit)| (hit.entry_id.as_str(), place))
        .collect();
    ranked.sort_by_key(|(hit, ..)| places.get(hit.entry_id.as_str()).copied());
}

/// Why a hit is where it is, for programs and, as `why`, for people.
fn explained(
    domain: &str,
    in_scope: bool,
    base: f64,
    weight: &DomainWeight,
    boosts: &Boosts,
) -> Value {
    let reasons: Vec<String> = boosts
        .boosts
        .iter()
        .map(|boost| format!("{} (+{:.0} %)", boost.reason, 100.0 * boost.value))
        .collect();
    let why = match reasons.is_empty() {
        true => "it fits the words and meaning of the question".to_owned(),
        false => format!("it fits the question; {}", reasons.join("; ")),
    };
    json!({
        "domain": domain,
        "inScope": in_scope,
        "fused": base,
        "weight": weight.base,
        "boosts": boosts.boosts,
        "boostTotal": boosts.total,
        "capped": boosts.is_capped,
        "why": why,
    })
}

/// Adds a reason to the explanation of a hit.
pub(crate) fn add_reason(one: &mut RankedHit, reason: &str) {
    if let Some(Value::Object(explain)) = &mut one.hit.explain {
        let why = explain.get("why").and_then(Value::as_str);
        let why = format!("{}; {reason}", why.unwrap_or_default());
        explain.insert("why".to_owned(), why.into());
    }
}

/// Gives the hits the scores of their places, so that they fall from hit to
/// hit and stay comparable with those of other questions.
pub(crate) fn score_by_place(hits: &mut [RankedHit], scores: &[f64]) {
    let mut above = f64::INFINITY;
    for (one, score) in hits.iter_mut().zip(scores) {
        above = score.min(above.next_down());
        one.hit.score = above;
        one.hit.score_kind = ScoreKind::Other;
    }
}
