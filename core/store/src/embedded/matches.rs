//! Counts of matches: found in the text index, their values in the records.

use crate::embedded::search::search_text;
use crate::embedded::shared::Shared;
use crate::error::StoreError;
use crate::matching::{MatchCounts, MatchRequest};

pub(crate) async fn text_matches(
    shared: &Shared,
    tenant: &str,
    request: &MatchRequest,
) -> Result<MatchCounts, StoreError> {
    request.check()?;
    let matching = search_text(shared, |text| text.matching(tenant, request))?;
    let mut facets = Vec::with_capacity(request.facets.len());
    for field in &request.facets {
        let values = shared
            .records
            .values_among(&matching.rows, field, request.values);
        facets.push(values.await?);
    }
    Ok(MatchCounts {
        count: matching.rows.len() as u64,
        matched: matching.matched,
        facets,
    })
}
