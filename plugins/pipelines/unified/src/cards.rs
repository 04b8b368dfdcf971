//! Cards: the clusters of a result as a page shows them.

use serde::Serialize;

use crate::entity::EntityType;
use crate::entries::{heading_of, shortened, snippet_of};
use crate::grouping::Cluster;
use crate::ranking::{Ranked, RankedHit};
use crate::settings::CardSettings;

/// Characters of the passage that a facet shows.
const SNIPPET_CHARS: usize = 240;
/// Ids of entries that a card lists, at most.
const ENTRIES_AT_MOST: usize = 50;
/// Actions of a card, at most.
const ACTIONS_AT_MOST: usize = 3;

/// What was found about one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Card {
    /// Type and name of the entity: `device:cav1`.
    pub(crate) entity_key: String,
    pub(crate) entity_type: EntityType,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<String>,
    /// The score of its best hit.
    pub(crate) score: f64,
    /// Whether any of its hits is in scope.
    pub(crate) in_scope: bool,
    /// The domains of its hits, in the order of their best ones.
    pub(crate) domains: Vec<String>,
    /// How many hits it has.
    pub(crate) hits: usize,
    /// Their ids, best first.
    pub(crate) entries: Vec<String>,
    /// The best of them.
    pub(crate) facets: Vec<Facet>,
    pub(crate) actions: Vec<Action>,
    /// What a model, or a page, may say of the whole card.
    pub(crate) synthesis_hints: Hints,
}

/// One entry of a card.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Facet {
    pub(crate) domain: String,
    pub(crate) entry_id: String,
    pub(crate) title: String,
    pub(crate) snippet: String,
    pub(crate) author: String,
    pub(crate) timestamp: jiff::Timestamp,
    pub(crate) score: f64,
    /// Why it is here, for people.
    pub(crate) why: String,
}

/// Something that can be done next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Action {
    /// `open` an entry, or `search` a query.
    pub(crate) action: &'static str,
    pub(crate) label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entry_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) query: Option<String>,
}

/// Figures of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hints {
    /// When its first and its last entry was logged.
    pub(crate) first: Option<jiff::Timestamp>,
    pub(crate) last: Option<jiff::Timestamp>,
    /// The same in a sentence.
    pub(crate) summary: String,
}

/// The cards of the first clusters.
pub(crate) fn cards(clusters: &[Cluster], ranked: &Ranked, settings: &CardSettings) -> Vec<Card> {
    let clusters = clusters.iter().take(settings.most);
    clusters
        .filter_map(|one| card(one, ranked, settings))
        .collect()
}

fn card(cluster: &Cluster, ranked: &Ranked, settings: &CardSettings) -> Option<Card> {
    let hits = cluster
        .places
        .iter()
        .filter_map(|place| ranked.hits.get(*place));
    let hits: Vec<&RankedHit> = hits.collect();
    let first = hits.first()?;
    let mut domains: Vec<String> = Vec::new();
    for hit in &hits {
        if !domains.contains(&hit.domain) {
            domains.push(hit.domain.clone());
        }
    }
    let facets = hits.iter().take(settings.facets);
    Some(Card {
        entity_key: cluster.key.clone(),
        entity_type: cluster.kind,
        title: cluster.name.clone(),
        aliases: cluster.aliases.clone(),
        score: cluster.score,
        in_scope: hits.iter().any(|one| one.in_scope),
        hits: hits.len(),
        entries: hits
            .iter()
            .take(ENTRIES_AT_MOST)
            .map(|one| one.hit.entry_id.clone())
            .collect(),
        facets: facets.filter_map(|one| facet(one, ranked)).collect(),
        actions: actions(cluster, first, ranked),
        synthesis_hints: hints(&hits, &domains, ranked),
        domains,
    })
}

fn facet(one: &RankedHit, ranked: &Ranked) -> Option<Facet> {
    let (entry, _) = ranked.entries.get(&one.hit.entry_id)?;
    let passage = one.hit.passage.as_ref();
    let why = one
        .hit
        .explain
        .as_ref()
        .and_then(|explain| explain.get("why"));
    Some(Facet {
        domain: one.domain.clone(),
        entry_id: entry.entry_id.clone(),
        title: heading_of(entry),
        snippet: match passage {
            Some(passage) => shortened(&passage.text, SNIPPET_CHARS),
            None => snippet_of(entry),
        },
        author: entry.author.clone(),
        timestamp: entry.timestamp,
        score: one.hit.score,
        why: why
            .and_then(|why| why.as_str())
            .unwrap_or_default()
            .to_owned(),
    })
}

/// What can be done with a card: to open its best entry, and to search for
/// more about its entity.
pub(crate) fn actions(cluster: &Cluster, first: &RankedHit, ranked: &Ranked) -> Vec<Action> {
    let entry = ranked.entries.get(&first.hit.entry_id);
    let heading = entry.map_or_else(String::new, |(entry, _)| heading_of(entry));
    let mut actions = vec![Action {
        action: "open",
        label: format!("Open {heading}"),
        entry_id: Some(first.hit.entry_id.clone()),
        query: None,
    }];
    if cluster.is_of_entity() {
        let search = |label: String, query: String| Action {
            action: "search",
            label,
            entry_id: None,
            query: Some(query),
        };
        let name = &cluster.name;
        actions.push(search(
            format!("Newest about {name}"),
            format!("latest {name}"),
        ));
        if cluster.places.len() > 1 {
            let query = format!("what went wrong with {name}?");
            actions.push(search(format!("Problems of {name}"), query));
        }
    }
    actions.truncate(ACTIONS_AT_MOST);
    actions
}

fn hints(hits: &[&RankedHit], domains: &[String], ranked: &Ranked) -> Hints {
    let entries = hits
        .iter()
        .filter_map(|one| ranked.entries.get(&one.hit.entry_id));
    let times: Vec<jiff::Timestamp> = entries.map(|(entry, _)| entry.timestamp).collect();
    let (first, last) = (times.iter().min().copied(), times.iter().max().copied());
    let entries = match hits.len() {
        1 => "1 entry".to_owned(),
        number => format!("{number} entries"),
    };
    let day = |time: jiff::Timestamp| time.strftime("%Y-%m-%d").to_string();
    let between = match (first.map(day), last.map(day)) {
        (Some(first), Some(last)) if first == last => format!(" of {first}"),
        (Some(first), Some(last)) => format!(" from {first} to {last}"),
        _ => String::new(),
    };
    Hints {
        first,
        last,
        summary: format!("{entries}{between} in {}", domains.join(", ")),
    }
}
