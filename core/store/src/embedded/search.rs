//! Searches that need both the indexes and the records.

use std::collections::HashMap;

use gannet_api::{Diagnostic, Entry, Found, Hit, ScoreKind, sort_hits};

use crate::analysis::{highlights, text_analyser};
use crate::embedded::model_index::{FilterKey, FoundPassage, ModelIndex};
use crate::embedded::records::PassageRow;
use crate::embedded::shared::{Shared, read};
use crate::embedded::text::TextHits;
use crate::error::StoreError;
use crate::request::{TextRequest, VectorRequest};
use crate::stored::passage;

/// Passages asked for, per entry wanted, at first.
const PASSAGES_PER_ENTRY: usize = 3;

pub(crate) async fn text_search(
    shared: &Shared,
    tenant: &str,
    request: &TextRequest,
) -> Result<Found, StoreError> {
    // Asked before the search: what is committed meanwhile does no harm.
    let waiting = shared.is_behind().await?;
    let mut found = shared.text().search(tenant, request)?;
    if waiting {
        found.diagnostics.push(behind());
    }
    if request.highlights && !found.hits.is_empty() {
        mark(shared, &mut found).await?;
    }
    Ok(Found {
        hits: found.hits.into_iter().map(|(_, hit)| hit).collect(),
        diagnostics: found.diagnostics,
    })
}

fn behind() -> Diagnostic {
    let message = "the newest entries are not in the index yet; search again in a moment";
    Diagnostic::warning("store.text", message).category("behind")
}

async fn mark(shared: &Shared, found: &mut TextHits) -> Result<(), StoreError> {
    let docs: Vec<i64> = found.hits.iter().map(|(doc, _)| *doc).collect();
    let entries = shared.records.by_doc(&docs).await?;
    let mut analyser = text_analyser();
    for (doc, hit) in &mut found.hits {
        if let Some(entry) = entries.get(doc) {
            hit.highlights = highlights(&entry.raw_text, &found.marks, &mut analyser);
        }
    }
    Ok(())
}

pub(crate) async fn vector_search(
    shared: &Shared,
    tenant: &str,
    request: &VectorRequest,
) -> Result<Found, StoreError> {
    let model = shared.records.model(&request.model).await?;
    let model = model.ok_or_else(|| StoreError::UnknownModel {
        name: request.model.clone(),
    })?;
    if i64::try_from(request.vector.len()) != Ok(model.dimension) {
        return Err(StoreError::InvalidRequest {
            message: format!(
                "the question's vector has {} dimensions, those of `{}` have {}",
                request.vector.len(),
                model.name,
                model.dimension
            ),
        });
    }
    let opened = shared.model(&model.name);
    let Some(index) = opened.filter(|index| read(index).is_of(&model)) else {
        // Registered, but nothing was indexed yet.
        return Ok(Found::default());
    };
    let best = best_passages(shared, &read(&index), tenant, request)?;
    let docs: Vec<i64> = best.iter().map(|found| found.doc).collect();
    let entries = shared.records.by_doc(&docs).await?;
    let passages = shared.records.passages(&model, &docs).await?;
    let mut hits: Vec<Hit> = best
        .iter()
        .filter_map(|found| {
            let entry = entries.get(&found.doc)?;
            // The records have the last word: an index may be behind them.
            let is_allowed = entry.tenant == tenant && request.filter.matches(entry);
            is_allowed.then(|| hit_of(found, entry, &passages))
        })
        .collect();
    sort_hits(&mut hits);
    hits.truncate(request.limit);
    Ok(Found {
        hits,
        diagnostics: Vec::new(),
    })
}

/// The best passage of each of the best entries, `limit` of them or a few
/// more where scores tie at the cut.
fn best_passages(
    shared: &Shared,
    index: &ModelIndex,
    tenant: &str,
    request: &VectorRequest,
) -> Result<Vec<FoundPassage>, StoreError> {
    let text = shared.text();
    let key = FilterKey {
        name: format!("{tenant}\u{0}{:?}", request.filter),
        generation: text.generation(),
    };
    let least = request.min_similarity.unwrap_or(f32::NEG_INFINITY);
    let mut wanted = (request.limit * PASSAGES_PER_ENTRY).max(16);
    loop {
        let found = index.search(&request.vector, wanted, &key, || {
            text.allowed_rows(tenant, &request.filter)
        })?;
        let reaches_below = found.last().is_some_and(|last| last.cosine < least);
        let is_everything = reaches_below || found.len() < wanted || wanted >= index.live_rows();
        let mut best: Vec<FoundPassage> = Vec::new();
        for passage in found.into_iter().filter(|found| found.cosine >= least) {
            let is_known = best.iter().any(|known| known.doc == passage.doc);
            if !is_known {
                best.push(passage);
            }
        }
        if is_everything || best.len() > request.limit {
            return Ok(best);
        }
        if best.len() < wanted && best.len() >= request.limit {
            return Ok(best);
        }
        wanted *= 4;
    }
}

fn hit_of(found: &FoundPassage, entry: &Entry, passages: &HashMap<(i64, i64), PassageRow>) -> Hit {
    let mut hit = Hit::new(
        entry.entry_id.clone(),
        entry.kind.clone(),
        f64::from(found.cosine),
        ScoreKind::Cosine,
    );
    hit.passage = passages
        .get(&(found.doc, found.ordinal))
        .and_then(|row| passage(row.ordinal, row.start, row.end, &entry.raw_text));
    hit
}
