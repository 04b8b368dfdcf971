//! Grouping: hits that are about one thing, as one cluster.

use std::collections::BTreeMap;

use gannet_plugin::prelude::Entry;

use crate::entity::{Entity, EntityType, Origin};
use crate::entries::{EntryText, heading_of};
use crate::names::names_in;
use crate::ranking::Ranked;
use crate::run::Run;

/// The kind of entries that are documents.
pub(crate) const DOCUMENT: &str = "document";

/// Hits about one thing, best first.
#[derive(Debug, Clone)]
pub(crate) struct Cluster {
    pub(crate) key: String,
    pub(crate) kind: EntityType,
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    /// Places in the ranked hits.
    pub(crate) places: Vec<usize>,
    /// The score of the first.
    pub(crate) score: f64,
}

/// What a hit is about.
struct Subject {
    key: String,
    kind: EntityType,
    name: String,
    aliases: Vec<String>,
}

impl Cluster {
    /// Whether it is about a thing that several entries can be about.
    pub(crate) fn is_of_entity(&self) -> bool {
        !matches!(self.kind, EntityType::Entry | EntityType::Document)
    }
}

impl Run<'_> {
    /// The clusters of the ranked hits, in the order of their best ones.
    ///
    /// A hit is about the first entity of the question that it is of; else
    /// about a device that its heading names and the heading of another hit
    /// too; else about itself.
    pub(crate) fn clusters(&self, ranked: &Ranked) -> Vec<Cluster> {
        let shared = self.names_in_headings(ranked);
        let mut clusters: Vec<Cluster> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (place, one) in ranked.hits.iter().enumerate() {
            let Some((entry, text)) = ranked.entries.get(&one.hit.entry_id) else {
                continue;
            };
            let subject = self.subject_of(entry, text, &shared);
            match places.get(&subject.key) {
                Some(at) => clusters[*at].places.push(place),
                None => {
                    places.insert(subject.key.clone(), clusters.len());
                    clusters.push(Cluster {
                        key: subject.key,
                        kind: subject.kind,
                        name: subject.name,
                        aliases: subject.aliases,
                        places: vec![place],
                        score: one.hit.score,
                    });
                }
            }
        }
        clusters
    }

    fn subject_of(
        &self,
        entry: &Entry,
        text: &EntryText,
        shared: &BTreeMap<String, usize>,
    ) -> Subject {
        let named = self.plan.entities.iter();
        let mut named = named.filter(|one| one.origin == Origin::Question && one.kind.has_cards());
        if let Some(entity) = named.find(|entity| entity.is_in(entry, text)) {
            return Subject::of(entity);
        }
        let mut of_heading = self.things_in(&text.heading).into_iter();
        let is_shared = |one: &Subject| shared.get(&one.key).is_some_and(|count| *count > 1);
        if let Some(thing) = of_heading.find(is_shared) {
            return thing;
        }
        let kind = match entry.kind.as_str() {
            DOCUMENT => EntityType::Document,
            _ => EntityType::Entry,
        };
        Subject {
            key: Entity::key_of(kind, &entry.entry_id),
            kind,
            name: heading_of(entry),
            aliases: Vec::new(),
        }
    }

    /// How many headings name each thing.
    fn names_in_headings(&self, ranked: &Ranked) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for one in &ranked.hits {
            if let Some((_, text)) = ranked.entries.get(&one.hit.entry_id) {
                for thing in self.things_in(&text.heading) {
                    *counts.entry(thing.key).or_default() += 1;
                }
            }
        }
        counts
    }

    /// The things that a heading names, each under the name that stands for
    /// all.
    fn things_in(&self, heading: &str) -> Vec<Subject> {
        let known = self.aliases.named_in(heading).into_iter();
        let mut things: Vec<Subject> = known
            .map(|(thing, _)| Subject {
                key: Entity::key_of(thing.kind, &thing.name),
                kind: thing.kind,
                name: thing.name.clone(),
                aliases: thing.aliases.clone(),
            })
            .collect();
        for (kind, name) in names_in(heading) {
            let key = Entity::key_of(kind, name);
            let is_known = self.aliases.resolve(name).is_some();
            if !is_known && !things.iter().any(|thing| thing.key == key) {
                things.push(Subject {
                    key,
                    kind,
                    name: name.to_owned(),
                    aliases: Vec::new(),
                });
            }
        }
        things
    }
}

impl Subject {
    fn of(entity: &Entity) -> Self {
        Self {
            key: entity.key.clone(),
            kind: entity.kind,
            name: entity.name.clone(),
            aliases: entity.aliases.clone(),
        }
    }
}
