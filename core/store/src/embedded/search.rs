//! Searches that need both the indexes and the records.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gannet_api::{Diagnostic, Filter, Found, Hit, Passage, ScoreKind, sort_hits};

use crate::embedded::model_index::ModelIndex;
use crate::embedded::records::{ModelRow, PassageRow};
use crate::embedded::shared::Shared;
use crate::error::StoreError;
use crate::models::check_finite;
use crate::request::{INCOMPLETE_INDEX, TextFound, VectorCoverage, VectorRequest};
use gannet_analysis::Highlighter;
use gannet_index::{
    Bitmap, FilterKey, IndexError, PassageHit, TextIndex, TextRequest, VectorIndex,
};

/// Entries read beyond the limit, for those that the records leave out: an
/// index may be behind them.
const SPARE_ENTRIES: usize = 16;
/// Passages asked for at first, per entry wanted: as many as an entry has on
/// average, a tenth more, and at most so many.
const MOST_PASSAGES: f64 = 3.0;

pub(crate) async fn text_search(
    shared: &Shared,
    tenant: &str,
    request: &TextRequest,
) -> Result<TextFound, StoreError> {
    // Asked before the search: what is committed meanwhile does no harm.
    let waiting = shared.is_behind().await?;
    let mut found = search_text(shared, |text| text.search(tenant, request))?;
    found.diagnostics.extend(behind(shared, waiting));
    Ok(TextFound {
        hits: found.hits,
        diagnostics: found.diagnostics,
        highlighter: Highlighter::new(found.marks),
    })
}

/// Searches the text index. Where that fails as it does on damaged files, the
/// indexing thread verifies them.
pub(super) fn search_text<T>(
    shared: &Shared,
    search: impl FnOnce(&dyn TextIndex) -> Result<T, IndexError>,
) -> Result<T, StoreError> {
    let text = shared.text()?;
    let found = search(text.as_ref()).inspect_err(|error| {
        if error.is_suspicious() {
            shared.suspect_text();
        }
    });
    Ok(found?)
}

/// What an answer of an index that lacks entries says. Where more than the
/// newest are missing, or will stay so, the answer is incomplete.
fn behind(shared: &Shared, is_waiting: bool) -> Option<Diagnostic> {
    let (message, category) = match (shared.text_trouble(), shared.records.read_only()) {
        (Some(reason), _) => (
            format!("entries are missing: the text index cannot follow the records: {reason}"),
            INCOMPLETE_INDEX,
        ),
        (None, _) if !is_waiting => return None,
        (None, Some(_)) => {
            let missing = match shared.text_sequence() {
                0 => "no entry is",
                _ => "the newest entries are not",
            };
            (
                format!("{missing} in the text index, and the store is opened read-only"),
                INCOMPLETE_INDEX,
            )
        }
        (None, None) if shared.text_sequence() == 0 => (
            "entries are missing: the text index is being built; search again in a moment"
                .to_owned(),
            INCOMPLETE_INDEX,
        ),
        (None, None) => (
            "the newest entries are not in the index yet; search again in a moment".to_owned(),
            "behind",
        ),
    };
    Some(Diagnostic::warning("store.text", message).category(category))
}

pub(crate) async fn vector_search(
    shared: &Shared,
    tenant: &str,
    request: &VectorRequest,
) -> Result<Found, StoreError> {
    let model = shared.model_row(&request.model).await?;
    let model = model.ok_or_else(|| StoreError::UnknownModel {
        name: request.model.clone(),
    })?;
    check_finite(&request.vector)?;
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
    let Some(opened) = opened.filter(|opened| opened.is_of(&model)) else {
        return without_index(shared, &model).await;
    };
    let waiting = is_behind(shared, &model, &opened).await?;
    let allowed = allowed_rows(shared, tenant, &request.filter).await?;
    let best = nearest_passages(&opened, request, allowed).await?;
    let passages: Vec<(i64, i64)> = best.iter().map(|best| (best.doc, best.ordinal)).collect();
    let mut rows = shared.records.passages(&model, &passages).await?;
    retain_passing(shared, &mut rows, &request.filter).await?;
    let mut hits: Vec<Hit> = best
        .iter()
        .filter_map(|found| {
            let row = rows.remove(&found.doc)?;
            (row.tenant == tenant).then(|| hit_of(found, row))
        })
        .collect();
    sort_hits(&mut hits);
    hits.truncate(request.limit);
    Ok(Found::new(hits).with_diagnostics(
        waiting
            .then(|| late_vectors(shared, &model))
            .into_iter()
            .collect(),
    ))
}

/// Drops what the filter leaves out. The records have the last word: an index
/// may be behind them.
async fn retain_passing(
    shared: &Shared,
    rows: &mut HashMap<i64, PassageRow>,
    filter: &Filter,
) -> Result<(), StoreError> {
    if filter.is_empty() {
        return Ok(());
    }
    let docs: Vec<i64> = rows.keys().copied().collect();
    let entries = shared.records.by_doc(&docs).await?;
    rows.retain(|doc, _| entries.get(doc).is_some_and(|entry| filter.matches(entry)));
    Ok(())
}

/// Whether vectors of a model were written that its index does not have.
async fn is_behind(
    shared: &Shared,
    model: &ModelRow,
    opened: &ModelIndex,
) -> Result<bool, StoreError> {
    if opened.was_caught_up() {
        return Ok(false);
    }
    let applied = opened.index.applied();
    let is_behind = shared.records.waiting_for_vectors(model, applied).await?;
    if !is_behind {
        opened.note_caught_up();
    }
    Ok(is_behind)
}

/// No vectors of a model are open: there are none, or they cannot be had.
async fn without_index(shared: &Shared, model: &ModelRow) -> Result<Found, StoreError> {
    if let Some(reason) = shared.failure_of(&model.name) {
        return Err(StoreError::VectorsUnusable {
            model: model.name.clone(),
            reason,
        });
    }
    if shared.records.waiting_for_vectors(model, 0).await? {
        return Err(StoreError::VectorsNotReady {
            model: model.name.clone(),
        });
    }
    Ok(Found::default())
}

fn late_vectors(shared: &Shared, model: &ModelRow) -> Diagnostic {
    let name = &model.name;
    let message = match shared.failure_of(name) {
        Some(reason) => {
            format!("the newest vectors of model `{name}` cannot be searched: {reason}")
        }
        None => format!(
            "the newest vectors of model `{name}` are not in the index yet; search again in a \
             moment"
        ),
    };
    Diagnostic::warning("store.vectors", message).category("behind")
}

/// How many entries of a tenant have vectors of a model.
pub(crate) async fn vector_coverage(
    shared: &Shared,
    tenant: &str,
    model: &str,
) -> Result<VectorCoverage, StoreError> {
    // Counting in the records takes long in a large store; when every entry
    // of all tenants has a vector there is nothing to count.
    if let (Some(opened), Ok(text)) = (shared.model(model), shared.text()) {
        let entries = text.entries();
        let embedded = opened.index.entries();
        if embedded >= entries && !shared.is_text_behind(i64::MAX).await? {
            return Ok(VectorCoverage {
                entries,
                missing: 0,
            });
        }
    }
    shared.records.vector_coverage(tenant, model).await
}

/// The entries that vectors may belong to.
struct AllowedRows {
    key: FilterKey,
    text: Option<Arc<dyn TextIndex>>,
    /// Read from the records while the text index cannot be.
    rows: Option<Bitmap>,
    tenant: String,
    filter: Filter,
}

async fn allowed_rows(
    shared: &Shared,
    tenant: &str,
    filter: &Filter,
) -> Result<AllowedRows, StoreError> {
    let name = format!("{tenant}\u{0}{filter:?}");
    let text = shared.text().ok();
    let (generation, rows) = match &text {
        Some(text) => (text.generation(), None),
        // The highest bit keeps it apart from every state of the text index.
        None => (
            (1 << 63) | shared.records.sequence().await?.unsigned_abs(),
            Some(shared.records.matching_rows(tenant, filter).await?),
        ),
    };
    Ok(AllowedRows {
        key: FilterKey { name, generation },
        text,
        rows,
        tenant: tenant.to_owned(),
        filter: filter.clone(),
    })
}

impl AllowedRows {
    fn read(&self) -> Result<Option<Bitmap>, IndexError> {
        match &self.text {
            Some(text) => text.allowed_rows(&self.tenant, &self.filter),
            None => Ok(self.rows.clone()),
        }
    }
}

/// The best passages; where the index waits for a server, on a thread that may
/// wait.
async fn nearest_passages(
    opened: &ModelIndex,
    request: &VectorRequest,
    allowed: AllowedRows,
) -> Result<Vec<PassageHit>, StoreError> {
    if !opened.index.waits() {
        return best_passages(opened.index.as_ref(), request, &allowed);
    }
    let (index, request) = (Arc::clone(&opened.index), request.clone());
    let search = move || best_passages(index.as_ref(), &request, &allowed);
    let found = tokio::task::spawn_blocking(search).await;
    found.map_err(|_| StoreError::Closed)?
}

/// The best passage of each of the best entries, `limit` of them or a few
/// more where scores tie at the cut.
fn best_passages(
    index: &dyn VectorIndex,
    request: &VectorRequest,
    allowed: &AllowedRows,
) -> Result<Vec<PassageHit>, StoreError> {
    let least = request.min_similarity.unwrap_or(f32::NEG_INFINITY);
    let per_entry = index.passages_per_entry().min(MOST_PASSAGES);
    let mut wanted = (request.limit as f64 * per_entry * 1.1) as usize;
    wanted = wanted.saturating_add(SPARE_ENTRIES);
    loop {
        // More than there are costs memory and finds nothing.
        wanted = wanted.min(index.vectors().max(1));
        let found = index.search(&request.vector, wanted, &allowed.key, &|| allowed.read())?;
        let reaches_below = found.last().is_some_and(|last| last.cosine < least);
        let is_everything = reaches_below || found.len() < wanted || wanted >= index.vectors();
        let mut known = HashSet::new();
        let mut best: Vec<PassageHit> = found
            .into_iter()
            .filter(|found| found.cosine >= least && known.insert(found.doc))
            .collect();
        if is_everything || best.len() >= request.limit {
            best.truncate(cut_after(
                &best,
                request.limit.saturating_add(SPARE_ENTRIES),
            ));
            return Ok(best);
        }
        wanted = wanted.saturating_mul(4);
    }
}

/// Where to cut, best first, so that none is left out that ties with the last.
fn cut_after(best: &[PassageHit], limit: usize) -> usize {
    let Some(last) = limit.checked_sub(1).and_then(|last| best.get(last)) else {
        return best.len();
    };
    best.partition_point(|found| found.cosine >= last.cosine)
}

fn hit_of(found: &PassageHit, row: PassageRow) -> Hit {
    let passage = passage_of(found, &row);
    let cosine = f64::from(found.cosine);
    let mut hit = Hit::new(row.entry_id, row.kind, cosine, ScoreKind::Cosine);
    hit.passage = passage;
    hit
}

/// The passage, unless it was read beside a text that it is not of.
fn passage_of(found: &PassageHit, row: &PassageRow) -> Option<Passage> {
    let start = usize::try_from(row.start?).ok()?;
    let end = usize::try_from(row.end?).ok()?;
    let text = row.text.as_deref()?;
    (start.checked_add(text.len()) == Some(end)).then(|| {
        Passage::new(
            u32::try_from(found.ordinal).unwrap_or(u32::MAX),
            start..end,
            text,
        )
    })
}
