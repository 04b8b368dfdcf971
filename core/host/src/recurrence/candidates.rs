//! The entries that are compared: found by the words of the title, by those of
//! the whole text, and by those among entries of the same place.

use std::collections::HashMap;

use gannet_api::query::{Node, ParsedQuery};
use gannet_api::{Filter, Hit, Result};
use gannet_store::TextRequest;

use super::asked::AskedEvent;
use super::place::filter_of;
use crate::services::Services;

/// Hits of each search.
const BY_TITLE: usize = 60;
const BY_TEXT: usize = 100;
const OF_PLACE: usize = 60;
/// Entries that are compared, at most.
const COMPARED: usize = 120;
/// Rank 1 counts whole, rank 6 half.
const RANK_CONSTANT: f64 = 5.0;

/// How many times the best other score counts.
const MOST_ABOVE: f64 = 4.0;

/// The score of an entry in a search, over the best one of the others, and
/// what its rank counts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Standing {
    pub(super) score: f64,
    pub(super) rank: f64,
}

/// An entry to compare.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidate {
    pub(super) entry_id: String,
    pub(super) by_title: Standing,
    pub(super) by_text: Standing,
}

impl Services {
    /// The candidates, best first.
    ///
    /// # Errors
    /// [`gannet_api::Error::Store`].
    pub(super) async fn recurrence_candidates(
        &self,
        tenant: &str,
        asked: &AskedEvent<'_>,
        filter: &Filter,
    ) -> Result<Vec<Candidate>> {
        let (title, text) = (asked.searched_title(), asked.searched_words());
        let mut of_place = filter.clone();
        of_place.clauses.extend(filter_of(&asked.places).clauses);
        let by_title = self.find_words(tenant, title, filter.clone(), BY_TITLE);
        let by_title = by_title.await?;
        let by_text = self.find_words(tenant, text.clone(), filter.clone(), BY_TEXT);
        let mut by_text = by_text.await?;
        if !asked.places.is_empty() {
            let near = self.find_words(tenant, text, of_place, OF_PLACE).await?;
            add_missing(&mut by_text, near);
        }
        let own = asked.entry.map(|entry| entry.entry_id.as_str());
        let mut candidates: HashMap<String, Candidate> = HashMap::new();
        for (id, standing) in standings(by_title, own) {
            candidates.entry(id).or_default().by_title = standing;
        }
        for (id, standing) in standings(by_text, own) {
            candidates.entry(id).or_default().by_text = standing;
        }
        let candidates = candidates
            .into_iter()
            .map(|(entry_id, found)| Candidate { entry_id, ..found });
        let mut candidates: Vec<Candidate> = candidates.collect();
        let score = |one: &Candidate| one.by_title.score + 2.0 * one.by_text.score;
        candidates.sort_by(|a, b| {
            let by_score = score(b).total_cmp(&score(a));
            by_score.then_with(|| a.entry_id.cmp(&b.entry_id))
        });
        candidates.truncate(COMPARED);
        Ok(candidates)
    }

    /// Entries with any of the words, best first.
    async fn find_words(
        &self,
        tenant: &str,
        words: Vec<String>,
        filter: Filter,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let words = words.into_iter().map(Node::Word).collect();
        let request = TextRequest {
            query: ParsedQuery {
                root: Some(Node::All(words)),
                plain: true,
                ..ParsedQuery::default()
            },
            filter,
            limit,
            fuzzy: false,
        };
        Ok(self.store().text_search(tenant, request).await?.hits)
    }
}

fn add_missing(hits: &mut Vec<Hit>, more: Vec<Hit>) {
    for hit in more {
        if !hits.iter().any(|known| known.entry_id == hit.entry_id) {
            hits.push(hit);
        }
    }
    hits.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.entry_id.cmp(&b.entry_id))
    });
}

/// The standing of each hit beside the asked entry itself.
fn standings(hits: Vec<Hit>, own: Option<&str>) -> impl Iterator<Item = (String, Standing)> {
    let others: Vec<Hit> = hits
        .into_iter()
        .filter(|hit| Some(hit.entry_id.as_str()) != own)
        .collect();
    let score_at = |place: usize| others.get(place).map(|hit| hit.score);
    let first = score_at(0).unwrap_or_default();
    let second = score_at(1).unwrap_or(first);
    (0_u32..).zip(others).map(move |(rank, hit)| {
        let best_other = if rank == 0 { second } else { first };
        let standing = Standing {
            score: (hit.score / best_other.max(f64::MIN_POSITIVE)).min(MOST_ABOVE),
            rank: RANK_CONSTANT / (RANK_CONSTANT + f64::from(rank)),
        };
        (hit.entry_id, standing)
    })
}
