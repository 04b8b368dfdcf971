//! The order in time that a question asks for: of the hits that match it well,
//! the newest or the oldest first.

use std::cmp::Reverse;
use std::collections::HashSet;

use gannet_plugin::plan::TimeOrder;
use gannet_plugin::prelude::Entry;
use gannet_stages::{MEANT_BY_TIME, Relevance, of_times};
use serde_json::{Value, json};

use crate::entity::{Entity, Origin};
use crate::entries::{Entries, EntryText};
use crate::grouping::DOCUMENT;
use crate::ranking::{Ranked, RankedHit, add_reason, score_by_place};
use crate::run::Run;

/// Hits whose entries are read for such a question, at least; so many each
/// module is asked for.
pub(crate) const POOL: usize = 100;

/// A hit that may be meant, with what was read of it.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    hit: &'a RankedHit,
    entry: &'a Entry,
    text: &'a EntryText,
}

impl Run<'_> {
    /// Whether the question asks for the last or the first of something.
    pub(crate) fn is_by_time(&self) -> bool {
        self.host.time_order().is_some()
    }

    /// Puts the hits that are meant first, in the order of the question; those
    /// in scope before the others.
    pub(crate) fn put_in_time_order(&self, ranked: &mut Ranked) {
        let Some(order) = self.host.time_order() else {
            return;
        };
        let meant = self.meant(ranked);
        let scores: Vec<f64> = ranked.hits.iter().map(|one| one.hit.score).collect();
        let (mut first, others): (Vec<RankedHit>, Vec<RankedHit>) = ranked
            .hits
            .drain(..)
            .partition(|one| meant.contains(&one.hit.entry_id));
        let entries = &ranked.entries;
        let time = |one: &RankedHit| entries.get(&one.hit.entry_id).map(|(own, _)| own.timestamp);
        match order {
            TimeOrder::Newest => first.sort_by_key(|one| (!one.in_scope, Reverse(time(one)))),
            TimeOrder::Oldest => first.sort_by_key(|one| (!one.in_scope, time(one))),
        }
        first.iter_mut().for_each(|one| explain(one, order));
        ranked.hits.extend(first);
        ranked.hits.extend(others);
        score_by_place(&mut ranked.hits, &scores);
    }

    /// The ids of the entries that are meant.
    fn meant(&self, ranked: &Ranked) -> HashSet<String> {
        let candidates: Vec<Candidate<'_>> = ranked
            .hits
            .iter()
            .filter_map(|hit| candidate(hit, &ranked.entries))
            .collect();
        let candidates = those_or_all(candidates, |one| self.is_of_events(one.hit, ranked));
        let entries: Vec<&Entry> = candidates.iter().map(|one| one.entry).collect();
        let relevance = Relevance::new(&self.host, &entries);
        let of_things = candidates.iter().filter(|one| self.is_of_things(one));
        let of_things: Vec<&Entry> = of_things.map(|one| one.entry).collect();
        let named = of_times(&of_things, &self.host, &self.setup.timezone);
        let named = match named.is_empty() {
            // Every entry would be meant.
            true if !relevance.has_words() => return HashSet::new(),
            true => entries,
            false => named,
        };
        let scored: Vec<(&str, f64)> = named
            .iter()
            .map(|entry| (entry.entry_id.as_str(), relevance.of(entry)))
            .collect();
        let best = scored.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        scored
            .into_iter()
            .filter(|(_, score)| best > 0.0 && *score >= MEANT_BY_TIME * best)
            .map(|(id, _)| id.to_owned())
            .collect()
    }

    /// Whether a hit is of a domain whose time says when something happened.
    /// The date of a document does not, unless documents are asked for.
    fn is_of_events(&self, one: &RankedHit, ranked: &Ranked) -> bool {
        let is_named = |domain: &str| {
            let weight = ranked.weights.get(domain);
            weight.is_some_and(|weight| weight.boosts.iter().any(|own| own.name == "domain_named"))
        };
        if ranked.weights.keys().any(|domain| is_named(domain)) {
            return is_named(&one.domain);
        }
        let is_scoped = !self.plan.scope.is_empty() && one.in_scope;
        is_scoped || one.hit.kind != DOCUMENT
    }

    /// Whether an entry is of each thing that the question names, and of one of
    /// those that it leans on.
    fn is_of_things(&self, one: &Candidate<'_>) -> bool {
        let all = &self.plan.entities;
        let of_question = all.iter().filter(|one| one.origin == Origin::Question);
        let asked: Vec<&Entity> = of_question.collect();
        let is_of = |entity: &&Entity| entity.is_in(one.entry, one.text);
        // Several readings of the same words are one thing.
        let is_of_any_reading = |entity: &&Entity| {
            let same_words = |other: &&&Entity| entity.span.is_some() && other.span == entity.span;
            is_of(entity) || asked.iter().filter(same_words).any(is_of)
        };
        let leans_on = &self.plan.leans_on;
        let mut before = all.iter().filter(|one| leans_on.contains(&one.name));
        asked.iter().all(is_of_any_reading)
            && (leans_on.is_empty() || before.any(|entity| is_of(&entity)))
    }
}

fn candidate<'a>(hit: &'a RankedHit, entries: &'a Entries) -> Option<Candidate<'a>> {
    let (entry, text) = entries.get(&hit.hit.entry_id)?;
    Some(Candidate { hit, entry, text })
}

/// Those for which something holds; all when it holds for none.
fn those_or_all<'a>(
    all: Vec<Candidate<'a>>,
    holds: impl Fn(&Candidate<'a>) -> bool,
) -> Vec<Candidate<'a>> {
    let those: Vec<Candidate<'a>> = all.iter().copied().filter(|one| holds(one)).collect();
    match those.is_empty() {
        true => all,
        false => those,
    }
}

/// Says in the explanation of a hit that its time decided its place.
fn explain(one: &mut RankedHit, order: TimeOrder) {
    let name = order.name();
    add_reason(
        one,
        &format!("of those that match well, the {name} is first"),
    );
    if let Some(Value::Object(explain)) = &mut one.hit.explain {
        explain.insert("timeOrder".to_owned(), json!(name));
    }
}
