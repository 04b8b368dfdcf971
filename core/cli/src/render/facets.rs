//! Counts of values over the entries that match.

use gannet_core::{Facet, SearchResult};

use super::safe::safe_line;
use super::wrap::wrapped;
use super::{DIM, HEADING, number};

/// Prints a paragraph for each field: its values with their counts.
pub fn print_facets(result: &SearchResult) {
    for facet in &result.facets {
        outln!("{}", wrapped(&line(facet), "", "  "));
    }
    if !result.facets.is_empty() {
        outln!();
    }
}

/// `system: RF 12 · VAC 3`
fn line(facet: &Facet) -> String {
    let value = |of: &gannet_core::FacetValue| {
        let count = number::grouped(of.count);
        format!("{} {DIM}{count}{DIM:#}", safe_line(&of.value))
    };
    let values: Vec<String> = facet.values.iter().map(value).collect();
    let values = match values.is_empty() {
        true => "no values".to_owned(),
        false => values.join(" · "),
    };
    format!("{HEADING}{}{HEADING:#}: {values}", safe_line(&facet.field))
}
