//! What of a query text is the question, and what is a filter.

use gannet_plugin::filter::Filter;
use gannet_plugin::host::Level;
use gannet_plugin::prelude::{Context, SearchRequest};
use gannet_plugin::query::{ParsedQuery, QueryOptions, parse};
use gannet_plugin::search::QuerySyntax;
use jiff::tz::TimeZone;

/// Moves field filters such as `author:smith` from the query to the filter:
/// they are hard in every module, and no part of what the question means. The
/// other operators stay, because a vector knows none.
pub(crate) fn separate(
    mut request: SearchRequest,
    zone: &TimeZone,
    context: &Context,
) -> SearchRequest {
    if request.syntax == QuerySyntax::Plain {
        return request;
    }
    let options = QueryOptions {
        timezone: zone.clone(),
        ..QueryOptions::default()
    };
    let mut parsed = parse(&request.query, request.syntax, &options);
    let warnings = std::mem::take(&mut parsed.diagnostics).into_iter();
    context
        .diagnostics
        .extend(warnings.filter(|note| note.level == Level::Warning));
    if parsed.filter.is_empty() {
        return request;
    }

    request.filter.clauses.append(&mut parsed.filter.clauses);
    let words = ParsedQuery {
        filter: Filter::none(),
        ..parsed
    };
    request.query = words.to_string();
    request
}
