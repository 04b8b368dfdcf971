//! Counts of matches: found in the text index, and their values there or in
//! the records.

use crate::embedded::search::search_text;
use crate::embedded::shared::Shared;
use crate::error::StoreError;
use crate::request::check_facets;
use gannet_index::{MatchCounts, MatchRequest};

pub(crate) async fn text_matches(
    shared: &Shared,
    tenant: &str,
    request: &MatchRequest,
) -> Result<MatchCounts, StoreError> {
    check_facets(request)?;
    let matching = search_text(shared, |text| text.matching(tenant, request))?;
    let mut facets = Vec::with_capacity(request.facets.len());
    for (field, values) in request.facets.iter().zip(matching.values) {
        let records = &shared.records;
        facets.push(match values {
            Some(values) => records.spelt(values, field).await?,
            None => {
                let values = records.values_among(&matching.rows, field, request.values);
                values.await?
            }
        });
    }
    Ok(MatchCounts {
        count: matching.count,
        matched: matching.matched,
        facets,
    })
}
