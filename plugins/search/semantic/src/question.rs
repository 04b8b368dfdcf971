//! What of a query text is the question, what is a filter, and what is excluded.

use gannet_plugin::filter::Filter;
use gannet_plugin::host::Level;
use gannet_plugin::prelude::{Context, SearchRequest};
use gannet_plugin::query::{Node, ParsedQuery, QueryOptions, parse};
use gannet_plugin::search::QuerySyntax;
use jiff::tz::TimeZone;

/// A request whose query is what is to be found, in words.
pub(crate) struct Question {
    pub(crate) request: SearchRequest,
    /// The exclusions of a query that has nothing else, as a query.
    pub(crate) exclusions: String,
}

/// Moves field filters such as `author:smith` from the query to the filter:
/// they are hard in every module, and no part of what the question means. What
/// the query excludes is no part of it either; the host drops entries that have
/// it. The other operators stay, because a vector knows none.
pub(crate) fn separate(mut request: SearchRequest, zone: &TimeZone, context: &Context) -> Question {
    let exclusions = String::new();
    if request.syntax == QuerySyntax::Plain {
        return Question {
            request,
            exclusions,
        };
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
    let wanted = parsed.root.clone().and_then(wanted);
    if parsed.filter.is_empty() && wanted == parsed.root {
        return Question {
            request,
            exclusions,
        };
    }

    request.filter.clauses.append(&mut parsed.filter.clauses);
    let exclusions = match (&wanted, &parsed.root) {
        (None, Some(root)) => root.to_string(),
        _ => exclusions,
    };
    let words = ParsedQuery {
        root: wanted,
        filter: Filter::none(),
        ..parsed
    };
    request.query = words.to_string();
    Question {
        request,
        exclusions,
    }
}

/// A part of a query without what it excludes; `None` when nothing is left.
fn wanted(node: Node) -> Option<Node> {
    match node {
        Node::Not(_) => None,
        Node::All(parts) => joined(parts, Node::All),
        Node::And(parts) => joined(parts, Node::And),
        Node::Or(parts) => joined(parts, Node::Or),
        word => Some(word),
    }
}

fn joined(parts: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Option<Node> {
    let mut parts: Vec<Node> = parts.into_iter().filter_map(wanted).collect();
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(join(parts)),
    }
}
