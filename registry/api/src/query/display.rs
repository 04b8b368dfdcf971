//! The tree as a query text again.

use std::fmt;

use super::hoist::has_one_value;
use super::notes::Notes;
use super::tokens::{Token, tokenize};
use super::{Node, ParsedQuery, QueryOptions};
use crate::{Condition, FilterClause, NumberRange, TimeRange};

impl fmt::Display for ParsedQuery {
    /// The query as a text that reads as the same thing; plain queries as
    /// their words.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match &self.root {
            Some(Node::Or(words)) if self.plain => parts.extend(words.iter().map(bare)),
            Some(root @ Node::Or(_)) if !self.filter.is_empty() => parts.push(format!("({root})")),
            Some(root) => parts.push(root.to_string()),
            None => {}
        }
        parts.extend(self.filter.clauses.iter().map(FilterClause::to_string));
        out.write_str(&parts.join(" "))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => out.write_str(&word_text(word)),
            Self::Phrase(phrase) => out.write_str(&in_quotes(phrase)),
            Self::Prefix(stem) => write!(out, "{stem}*"),
            Self::Glob(glob) => out.write_str(glob),
            Self::Regex(body) => write!(out, "/{body}/"),
            Self::Field(clause) => out.write_str(&clause_text(clause)),
            Self::All(parts) => out.write_str(&joined(parts, " ", self)),
            Self::And(parts) => out.write_str(&joined(parts, " AND ", self)),
            Self::Or(parts) => out.write_str(&joined(parts, " OR ", self)),
            Self::Not(inner) => write!(out, "NOT {}", within(inner, self)),
        }
    }
}

fn joined(parts: &[Node], separator: &str, parent: &Node) -> String {
    let parts: Vec<String> = parts.iter().map(|part| within(part, parent)).collect();
    parts.join(separator)
}

/// A part inside its parent, in parentheses where it would be read otherwise.
fn within(part: &Node, parent: &Node) -> String {
    let is_list = matches!(part, Node::All(_) | Node::And(_) | Node::Or(_));
    let sequence_in_or = !matches!(part, Node::Or(_)) && matches!(parent, Node::Or(_));
    if is_list && !sequence_in_or {
        format!("({part})")
    } else {
        part.to_string()
    }
}

fn bare(node: &Node) -> String {
    match node {
        Node::Word(word) => word.clone(),
        other => other.to_string(),
    }
}

/// The word as it is, or quoted where it would be read as something else: an
/// open parenthesis in it would take the one that closes its group.
fn word_text(word: &str) -> String {
    if word.matches('(').count() != word.matches(')').count() {
        return in_quotes(word);
    }
    let read = tokenize(word, &QueryOptions::default(), &mut Notes::default());
    match read.as_slice() {
        [Token::Operand(Node::Word(same))] if same == word => word.to_owned(),
        _ => in_quotes(word),
    }
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', " "))
}

impl fmt::Display for FilterClause {
    /// The condition as a query of its own. Several values of a field with one
    /// value are written one by one: that is how they were read.
    ///
    /// ```
    /// use gannet_api::{Condition, FilterClause, FilterField};
    ///
    /// let field = FilterField::from_name("state");
    /// let condition = Condition::Equals("OH".to_owned());
    /// assert_eq!(FilterClause { field, condition }.to_string(), "meta.state:OH");
    /// ```
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&match &self.condition {
            Condition::AnyOf(values) if has_one_value(&self.field) => any_of(self, values, " "),
            _ => clause_text(self),
        })
    }
}

fn clause_text(clause: &FilterClause) -> String {
    let name = clause.field.query_name();
    match &clause.condition {
        Condition::Contains(value) if value.is_empty() => format!("{name}:*"),
        Condition::Equals(value) | Condition::Contains(value) => {
            format!("{name}:{}", value_text(value))
        }
        Condition::AnyOf(values) => format!("({})", any_of(clause, values, " OR ")),
        Condition::Number(range) => number_text(&name, range),
        Condition::Time(range) => format!("{name}:{}", time_text(range)),
    }
}

fn any_of(clause: &FilterClause, values: &[String], separator: &str) -> String {
    let name = clause.field.query_name();
    let values: Vec<String> = values
        .iter()
        .map(|value| format!("{name}:{}", value_text(value)))
        .collect();
    values.join(separator)
}

fn value_text(value: &str) -> String {
    let safe = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '@' | '/');
    if value.chars().all(safe) && !value.is_empty() {
        value.to_owned()
    } else {
        in_quotes(value)
    }
}

fn number_text(name: &str, range: &NumberRange) -> String {
    if let (Some(first), Some(last)) = (range.at_least, range.at_most) {
        return format!("{name}:{first}..{last}");
    }
    let bounds = [
        (">=", range.at_least),
        (">", range.above),
        ("<=", range.at_most),
        ("<", range.below),
    ];
    let written: Vec<String> = bounds
        .into_iter()
        .filter_map(|(sign, bound)| Some(format!("{name}:{sign}{}", bound?)))
        .collect();
    written.join(" ")
}

/// Instants in UTC, so that the text does not depend on a time zone.
fn time_text(range: &TimeRange) -> String {
    match (range.from, range.until) {
        (Some(from), Some(until)) => format!("{from}..<{until}"),
        (Some(from), None) => format!(">={from}"),
        (None, Some(until)) => format!("<{until}"),
        (None, None) => "..".to_owned(),
    }
}
