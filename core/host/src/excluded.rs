//! What a query excludes holds for every search module.
//!
//! An index of words applies a `NOT` itself. A vector knows none, so the host
//! asks the text index which of the entries found an exclusion leaves out: what
//! counts as a word is then the same in every mode.

use std::collections::HashSet;

use gannet_api::query::{Node, ParsedQuery, QueryOptions, parse};
use gannet_api::{Condition, Filter, FilterField, Hit, SearchRequest};
use gannet_store::{Store, StoreError, TextRequest};

/// The exclusions of a query, each a [`Node::Not`].
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Exclusions(Vec<Node>);

impl Exclusions {
    /// Those that hold for every entry that a request may find. A text that is
    /// read in plain mode has none.
    pub(crate) fn of(request: &SearchRequest, options: &QueryOptions) -> Self {
        let query = parse(&request.query, request.syntax, options);
        Self(query.root.as_ref().map(exclusions_of).unwrap_or_default())
    }

    /// Whether nothing is excluded.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Drops the hits whose entries have something that is excluded. Entries
    /// that the text index does not have stay.
    ///
    /// # Errors
    /// [`StoreError`] when the text index cannot be searched.
    pub(crate) async fn drop_from(
        &self,
        hits: &mut Vec<Hit>,
        store: &Store,
        tenant: &str,
    ) -> Result<(), StoreError> {
        if self.is_empty() || hits.is_empty() {
            return Ok(());
        }
        // The negation of all exclusions is read as strictly as they are, and
        // nothing in it is corrected.
        let root = Node::Not(Box::new(Node::And(self.0.clone())));
        let ids = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let request = TextRequest {
            query: ParsedQuery {
                root: Some(root),
                ..ParsedQuery::default()
            },
            filter: Filter::none().and(FilterField::EntryId, Condition::AnyOf(ids)),
            limit: hits.len(),
            fuzzy: false,
        };
        let found = store.text_search(tenant, request).await?;
        let excluded: HashSet<String> = found.hits.into_iter().map(|hit| hit.entry_id).collect();
        hits.retain(|hit| !excluded.contains(&hit.entry_id));
        Ok(())
    }
}

/// The exclusions that no part beside them relaxes: of words side by side those
/// that stand among them, of words joined by `AND` also those deeper in them.
fn exclusions_of(node: &Node) -> Vec<Node> {
    let is_exclusion = |part: &&Node| matches!(part, Node::Not(_));
    match node {
        Node::Not(_) => vec![node.clone()],
        Node::All(parts) => parts.iter().filter(is_exclusion).cloned().collect(),
        Node::And(parts) => parts.iter().flat_map(exclusions_of).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use gannet_api::QuerySyntax;

    use super::*;

    fn exclusions(text: &str, syntax: QuerySyntax) -> Vec<String> {
        let mut request = SearchRequest::new(text, 10);
        request.syntax = syntax;
        let exclusions = Exclusions::of(&request, &QueryOptions::default());
        exclusions.0.iter().map(Node::to_string).collect()
    }

    #[test]
    fn what_is_excluded_beside_the_words_holds_for_every_entry() {
        for (text, expected) in [
            ("trip -salem", vec!["NOT salem"]),
            (
                "trip NOT author:salem -\"loose tap\"",
                vec!["NOT author:salem", "NOT \"loose tap\""],
            ),
            ("trip AND (vacuum -gauge)", vec!["NOT gauge"]),
            ("NOT (salem OR hatch)", vec!["NOT (salem OR hatch)"]),
        ] {
            assert_eq!(exclusions(text, QuerySyntax::Operators), expected, "{text}");
        }
    }

    #[test]
    fn what_is_excluded_from_one_of_several_choices_holds_for_no_other() {
        for text in [
            "trip OR (vacuum -gauge)",
            "trip salem",
            "did it trip or not",
        ] {
            let none = Vec::<String>::new();
            assert_eq!(exclusions(text, QuerySyntax::Operators), none, "{text}");
        }
        let none = Vec::<String>::new();
        assert_eq!(exclusions("trip -salem", QuerySyntax::Plain), none);
    }
}
