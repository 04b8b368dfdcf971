//! Comparison: the things that a question compares, each with hits of its own.

use gannet_plugin::prelude::Entry;

use crate::entity::{Entity, EntityType, Origin};
use crate::entries::EntryText;
use crate::intent::Intent;
use crate::ranking::{Ranked, RankedHit, add_reason, score_by_place};
use crate::run::Run;

/// Hits of each thing that come first, at most.
const OF_EACH: usize = 3;

impl Run<'_> {
    /// The things that the question compares: those of one sort that it names,
    /// two at least. Empty for any other question.
    pub(crate) fn compared(&self) -> Vec<&Entity> {
        if self.plan.intent != Intent::Compare {
            return Vec::new();
        }
        let mut things: Vec<&Entity> = Vec::new();
        for entity in &self.plan.entities {
            // Several readings of the same words are one thing.
            let is_known = |known: &&Entity| known.span.is_some() && known.span == entity.span;
            let is_named = entity.origin == Origin::Question && entity.kind.is_a_thing();
            if is_named && !things.iter().any(is_known) {
                things.push(entity);
            }
        }
        let count = |kind: EntityType| things.iter().filter(|one| one.kind == kind).count();
        let mut kinds = things.iter().map(|one| one.kind);
        let kind = kinds.find(|kind| count(*kind) > 1);
        things.retain(|one| Some(one.kind) == kind);
        things
    }

    /// Puts hits of each thing that is compared first, in turn: what is told of
    /// one only often fills the result, and nothing could be compared.
    pub(crate) fn show_each_compared(&self, ranked: &mut Ranked) {
        let compared = self.compared();
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); compared.len()];
        for (place, one) in ranked.hits.iter().enumerate() {
            let Some((entry, text)) = ranked.entries.get(&one.hit.entry_id) else {
                continue;
            };
            if let Some(thing) = only_one(&compared, entry, text)
                && places[thing].len() < OF_EACH
            {
                places[thing].push(place);
            }
        }
        if places.iter().filter(|own| !own.is_empty()).count() < 2 {
            return;
        }
        let mut first: Vec<usize> = Vec::new();
        for turn in 0..OF_EACH {
            first.extend(places.iter().filter_map(|own| own.get(turn)));
        }
        let others = (0..ranked.hits.len()).filter(|place| !first.contains(place));
        let order = first.iter().copied().chain(others);
        let hits = order.filter_map(|place| ranked.hits.get(place).cloned());
        let mut hits: Vec<RankedHit> = hits.collect();
        let scores: Vec<f64> = ranked.hits.iter().map(|one| one.hit.score).collect();
        score_by_place(&mut hits, &scores);
        for one in hits.iter_mut().take(first.len()) {
            add_reason(one, "it is about one of the things that are compared");
        }
        ranked.hits = hits;
    }
}

/// Which of the things an entry is about, when it is about one only. What
/// belongs to several says nothing of how they differ.
pub(crate) fn only_one(compared: &[&Entity], entry: &Entry, text: &EntryText) -> Option<usize> {
    let things = compared.iter().enumerate();
    let mut own = things.filter(|(_, thing)| thing.is_in(entry, text));
    let (place, _) = own.next()?;
    own.next().is_none().then_some(place)
}
