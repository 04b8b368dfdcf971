//! The entries of a row of counts, as a query.

use super::{GroupBy, SetGroup, SetQuery};
use crate::query::{Node, ParsedQuery};
use crate::{Condition, FilterClause, FilterField};

impl SetQuery {
    /// A text of the query language that finds the members of a set, or those
    /// of one of its [groups](SetGroup). `None` for a set about a topic, whose
    /// members no filter decides. The author of a group is matched as part of a
    /// name, as the query language does.
    ///
    /// ```
    /// use gannet_api::{Condition, FilterField, GroupBy, SetOperation, SetQuery, Filter};
    ///
    /// let alerts = Condition::Equals("alert".into());
    /// let filter = Filter::none().and(FilterField::from_name("class"), alerts);
    /// let set = SetQuery::new(SetOperation::Count)
    ///     .with_filter(filter)
    ///     .with_group_by(GroupBy::from_name("meta.state"));
    /// let query = set.row_query(Some("OH"));
    /// assert_eq!(query.unwrap(), "meta.class:alert meta.state:OH");
    /// let query = set.with_group_by(GroupBy::Year).row_query(Some("2010"));
    /// assert_eq!(query.unwrap(), "meta.class:alert date:2010");
    /// ```
    pub fn row_query(&self, group: Option<&str>) -> Option<String> {
        if !self.is_exact() {
            return None;
        }
        let mut query = ParsedQuery {
            filter: self.filter.clone(),
            ..ParsedQuery::default()
        };
        let times = self.times.iter().map(|time| FilterClause {
            field: FilterField::Timestamp,
            condition: Condition::Time(*time),
        });
        let times: Vec<FilterClause> = times.collect();
        let excluded = self.excluded.iter().cloned();
        let excluded = excluded.map(|clause| Node::Not(Box::new(Node::Field(clause))));
        let mut any: Vec<Node> = excluded.collect();
        match times.as_slice() {
            [_, _, ..] => any.push(Node::Or(times.into_iter().map(Node::Field).collect())),
            _ => query.filter.clauses.extend(times),
        }
        let mut date = None;
        match (&self.group_by, group) {
            (Some(GroupBy::Day | GroupBy::Month | GroupBy::Year), Some(value)) => {
                date = Some(format!("date:{value}"));
            }
            (Some(GroupBy::Field(field)), Some(SetGroup::NO_VALUE)) => any.push(without(field)),
            (Some(GroupBy::Field(field)), Some(value)) => {
                query.filter.clauses.push(equals(field, value));
            }
            (None, _) | (_, None) => {}
        }
        // In parentheses, so that more can stand beside them.
        let any = any.iter().map(|node| format!("({node})"));
        let parts = any.chain([query.to_string()]).chain(date);
        let parts = parts.filter(|part| !part.is_empty());
        Some(parts.collect::<Vec<_>>().join(" "))
    }
}

fn equals(field: &FilterField, value: &str) -> FilterClause {
    FilterClause {
        field: field.clone(),
        condition: Condition::Equals(value.to_owned()),
    }
}

/// Entries without a value of a field, or with an empty one.
fn without(field: &FilterField) -> Node {
    let empty = Node::Field(equals(field, ""));
    if !matches!(field, FilterField::Metadata(_)) {
        return empty;
    }
    let any = FilterClause {
        field: field.clone(),
        condition: Condition::Contains(String::new()),
    };
    Node::Or(vec![Node::Not(Box::new(Node::Field(any))), empty])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::query::{QueryOptions, parse};
    use crate::{QuerySyntax, SetOperation, TimeRange};

    fn year(year: i32) -> TimeRange {
        let start = |year: i32| format!("{year}-01-01T00:00:00Z").parse().ok();
        TimeRange {
            from: start(year),
            until: start(year + 1),
        }
    }

    fn set(group_by: &str, times: Vec<TimeRange>) -> SetQuery {
        SetQuery::new(SetOperation::Count)
            .with_group_by(GroupBy::from_name(group_by))
            .with_times(times)
    }

    #[test]
    fn a_row_of_a_field_and_several_times_reads_as_what_it_is() {
        let text = set("meta.state", vec![year(2006), year(2009)]).row_query(Some("New York"));
        let text = text.unwrap();
        assert_eq!(
            text,
            "(date:2006-01-01T00:00:00Z..<2007-01-01T00:00:00Z OR \
             date:2009-01-01T00:00:00Z..<2010-01-01T00:00:00Z) meta.state:\"New York\""
        );
        let read = parse(&text, QuerySyntax::Operators, &QueryOptions::default());
        assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
        assert_eq!(read.to_string(), text);
    }

    #[test]
    fn a_row_without_a_value_excludes_every_value() {
        let text = set("meta.state", Vec::new()).row_query(Some(SetGroup::NO_VALUE));
        let text = text.unwrap();
        assert_eq!(text, "(NOT meta.state:* OR meta.state:\"\")");
        let read = parse(&text, QuerySyntax::Operators, &QueryOptions::default());
        assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
        assert_eq!(format!("({read})"), text);
        let authors = set("author", Vec::new()).row_query(Some(SetGroup::NO_VALUE));
        assert_eq!(authors.unwrap(), "(author:\"\")");
    }

    #[test]
    fn what_is_excluded_is_left_out_by_the_query() {
        let set = set("meta.state", Vec::new())
            .with_excluded(vec![equals(&FilterField::from_name("meta.class"), "alert")]);
        let text = set.row_query(Some("OH")).unwrap();
        assert_eq!(text, "(NOT meta.class:alert) meta.state:OH");
        let read = parse(&text, QuerySyntax::Operators, &QueryOptions::default());
        assert!(matches!(read.root, Some(Node::Not(_))), "{:?}", read.root);
        assert_eq!(read.filter.clauses.len(), 1);
    }

    #[test]
    fn members_about_a_topic_are_found_by_no_filter() {
        let set = set("year", Vec::new()).with_topic(vec!["leaks".to_owned()]);
        assert_eq!(set.row_query(Some("2010")), None);
    }
}
