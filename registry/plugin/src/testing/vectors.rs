//! The vector search of the fake host.

use gannet_api::{
    Entry, Error, Hit, Passage, PassageEmbeddings, Result, ScoreKind, VectorSearch, sort_hits,
};

/// The vectors of one entry by one model.
#[derive(Debug, Clone)]
pub(super) struct EntryVectors {
    pub(super) entry_id: String,
    pub(super) embeddings: PassageEmbeddings,
}

/// Searches entries that pass the filter already. An entry counts by its best
/// passage.
///
/// # Errors
/// [`Error::InvalidInput`] when the question's vector has another length than
/// one of the model's.
pub(super) fn search<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    vectors: &[EntryVectors],
    request: &VectorSearch,
) -> Result<Vec<Hit>> {
    let mut hits = Vec::new();
    for entry in entries {
        if let Some(best) = best_hit(entry, vectors, request)? {
            hits.push(best);
        }
    }
    sort_hits(&mut hits);
    hits.truncate(request.limit);
    Ok(hits)
}

fn best_hit(
    entry: &Entry,
    vectors: &[EntryVectors],
    request: &VectorSearch,
) -> Result<Option<Hit>> {
    let of_entry = vectors
        .iter()
        .filter(|vectors| vectors.entry_id == entry.entry_id)
        .map(|vectors| &vectors.embeddings);
    let of_model = of_entry.filter(|embeddings| {
        let model = request.model.as_deref();
        model.is_none_or(|model| embeddings.model == model)
    });

    let mut best: Option<Hit> = None;
    for (ordinal, passage) in of_model.flat_map(|e| (0..).zip(&e.passages)) {
        let score = cosine(&request.vector, &passage.vector)?;
        let is_near = request
            .min_similarity
            .is_none_or(|least| score >= f64::from(least));
        if !is_near || best.as_ref().is_some_and(|best| score <= best.score) {
            continue;
        }
        let text = entry.raw_text.get(passage.start..passage.end);
        let mut hit = Hit::new(&entry.entry_id, &entry.kind, score, ScoreKind::Cosine);
        hit.passage = Some(Passage::new(
            ordinal,
            passage.start..passage.end,
            text.unwrap_or_default().to_owned(),
        ));
        best = Some(hit);
    }
    Ok(best)
}

/// The cosine of the angle between two vectors; 0 where one has no direction.
fn cosine(a: &[f32], b: &[f32]) -> Result<f64> {
    if a.len() != b.len() {
        return Err(Error::invalid_input(format!(
            "a vector of {} dimensions was searched among vectors of {}",
            a.len(),
            b.len()
        )));
    }
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y));
        products.sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    Ok(if lengths == 0.0 {
        0.0
    } else {
        dot(a, b) / lengths
    })
}
