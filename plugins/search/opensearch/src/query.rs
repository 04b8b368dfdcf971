//! A request in the query DSL of OpenSearch and Elasticsearch.
//!
//! | part of a question | query |
//! |---|---|
//! | words side by side | `match` on the field with the text: any word counts |
//! | `"phrase"` | `match_phrase` |
//! | `prefix*` | `match_phrase_prefix` |
//! | `name*with?patterns` | `wildcard` |
//! | AND, OR, NOT | `bool` with `must`, `should`, `must_not` |
//! | `/regular expression/` | refused: the syntax of the server is another |
//!
//! | condition of a filter | query |
//! |---|---|
//! | equals | `term`, letter case aside |
//! | any of | `bool.should` of these |
//! | contains | `wildcard`, letter case aside |
//! | a number or a time within bounds | `range` |
//!
//! What a filter means is decided by the host, so that a filter of the server
//! that lets more through is harmless. One that lets less through is not:
//! `term` and `wildcard` on an analysed field compare single words of it. Set
//! `exact_suffix` for such an index.

use gannet_federation::{Documents, Question, range_of_numbers, range_of_times};
use gannet_plugin::filter::{Condition, FilterClause, FilterField};
use gannet_plugin::prelude::{Error, Result};
use gannet_plugin::query::Node;
use serde_json::{Value, json};

/// The query that a server is asked.
pub struct Wanted {
    /// In the query DSL.
    pub query: Value,
}

/// What a query is made with.
struct Writer<'a> {
    documents: &'a Documents,
    exact_suffix: &'a str,
}

impl Wanted {
    /// The query of a question; `None` where its filter lets no document of
    /// this index through.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a regular expression.
    pub fn of(
        question: &Question,
        documents: &Documents,
        exact_suffix: &str,
    ) -> Result<Option<Self>> {
        let writer = Writer {
            documents,
            exact_suffix,
        };
        let mut filter = Vec::new();
        for clause in &question.filter.clauses {
            match documents.decides(clause) {
                Some(true) => {}
                Some(false) => return Ok(None),
                None => filter.extend(writer.clause(clause)),
            }
        }
        let must = match &question.parsed.root {
            None => json!({ "match_all": {} }),
            Some(Node::Or(words)) if question.parsed.plain => writer.words(words)?,
            Some(root) => writer.node(root)?,
        };
        let mut asked = json!({ "must": [must] });
        if !filter.is_empty() {
            asked["filter"] = filter.into();
        }
        let query = json!({ "bool": asked });
        Ok(Some(Self { query }))
    }
}

impl Writer<'_> {
    fn on_text(&self, kind: &str, value: impl Into<Value>) -> Value {
        let field = &self.documents.fields().text;
        let value: Value = value.into();
        json!({ kind: { field: value } })
    }

    fn node(&self, node: &Node) -> Result<Value> {
        Ok(match node {
            Node::Word(word) => self.on_text("match", word.as_str()),
            Node::Phrase(phrase) => self.on_text("match_phrase", phrase.as_str()),
            Node::Prefix(prefix) => self.on_text("match_phrase_prefix", prefix.as_str()),
            Node::Glob(glob) => self.on_text("wildcard", any_case(glob)),
            Node::Regex(_) => {
                return Err(Error::invalid_input(
                    "an index of OpenSearch is not searched with /regular expressions/: use \
                     words, \"phrases\" or prefix*",
                ));
            }
            Node::Field(clause) => {
                let all_or_none = match self.documents.decides(clause) {
                    Some(false) => "match_none",
                    _ => "match_all",
                };
                let decided = json!({ all_or_none: {} });
                self.clause(clause).unwrap_or(decided)
            }
            Node::All(parts) => self.words(parts)?,
            Node::And(parts) => json!({ "bool": { "must": self.nodes(parts)? } }),
            Node::Or(parts) => any_of(self.nodes(parts)?),
            Node::Not(part) => json!({ "bool": { "must_not": [self.node(part)?] } }),
        })
    }

    fn nodes<'n>(&self, parts: impl IntoIterator<Item = &'n Node>) -> Result<Vec<Value>> {
        parts.into_iter().map(|part| self.node(part)).collect()
    }

    /// Parts side by side: the words in one `match`, of which any counts, and
    /// the other parts beside it.
    fn words(&self, parts: &[Node]) -> Result<Value> {
        let word = |node: &Node| match node {
            Node::Word(word) => Some(word.clone()),
            _ => None,
        };
        let words: Vec<String> = parts.iter().filter_map(word).collect();
        let mut must = self.nodes(parts.iter().filter(|part| word(part).is_none()))?;
        if !words.is_empty() {
            must.insert(0, self.on_text("match", words.join(" ")));
        }
        Ok(match must.len() {
            1 => must.swap_remove(0),
            _ => json!({ "bool": { "must": must } }),
        })
    }

    /// A clause as a filter of the server; `None` where only the host can tell.
    fn clause(&self, clause: &FilterClause) -> Option<Value> {
        let keys = self.documents.keys(&clause.field);
        if keys.is_empty() {
            return self.of_ids(clause);
        }
        let queries: Vec<Value> = keys
            .into_iter()
            .map(|key| self.condition(key, clause))
            .collect();
        Some(any_of(queries))
    }

    fn condition(&self, key: &str, clause: &FilterClause) -> Value {
        match &clause.condition {
            Condition::Equals(text) => self.equals(key, text),
            Condition::AnyOf(texts) => {
                any_of(texts.iter().map(|text| self.equals(key, text)).collect())
            }
            Condition::Contains(text) => {
                let pattern = format!("*{}*", escaped(text));
                json!({ "wildcard": { self.exact(key): any_case(&pattern) } })
            }
            Condition::Number(range) => json!({ "range": { key: range_of_numbers(range) } }),
            Condition::Time(range) => json!({ "range": { key: range_of_times(range) } }),
        }
    }

    /// A number or a boolean may be in a field that knows no letter case, and
    /// refuses to hear of it.
    fn equals(&self, key: &str, text: &str) -> Value {
        let is_text = text.parse::<f64>().is_err() && text.parse::<bool>().is_err();
        match is_text {
            true => json!({ "term": { self.exact(key): any_case(text) } }),
            false => json!({ "term": { key: { "value": text } } }),
        }
    }

    fn exact(&self, key: &str) -> String {
        format!("{key}{}", self.exact_suffix)
    }

    /// The ids that the server gave, of those that are asked for.
    fn of_ids(&self, clause: &FilterClause) -> Option<Value> {
        if clause.field != FilterField::EntryId {
            return None;
        }
        let ids: Vec<&str> = match &clause.condition {
            Condition::Equals(id) => vec![id],
            Condition::AnyOf(ids) => ids.iter().map(String::as_str).collect(),
            _ => return None,
        };
        let own = ids.into_iter().filter_map(|id| self.documents.own_id(id));
        Some(json!({ "ids": { "values": own.collect::<Vec<&str>>() } }))
    }
}

/// One of several queries; nothing is one of none.
fn any_of(mut queries: Vec<Value>) -> Value {
    match queries.len() {
        0 => json!({ "match_none": {} }),
        1 => queries.swap_remove(0),
        _ => json!({ "bool": { "should": queries, "minimum_should_match": 1 } }),
    }
}

fn any_case(value: &str) -> Value {
    json!({ "value": value, "case_insensitive": true })
}

/// A text of which no character is a pattern.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
