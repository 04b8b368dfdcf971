//! The words of a parsed query, with others beside them.

use gannet_api::query::{Node, ParsedQuery};

use super::{Vocabulary, normalized};

/// A word or phrase of a row, and where its own words begin among all.
struct Part {
    node: Node,
    /// Whether it is a word or a phrase.
    is_words: bool,
    /// Its own words.
    words: Vec<String>,
}

impl Vocabulary {
    /// Adds other words to those of a query. One with operators is left as it
    /// is: it says exactly what it wants.
    pub(crate) fn expand(&self, query: &mut ParsedQuery) {
        let Some(root) = query.root.take() else {
            return;
        };
        query.root = Some(match root {
            Node::Or(parts) if query.plain => Node::Or(self.any(parts)),
            Node::All(parts) if parts.iter().all(is_plain) => joined(self.row(parts), Node::All),
            Node::Word(_) | Node::Phrase(_) if query.plain => {
                joined(self.any(vec![root]), Node::Or)
            }
            Node::Word(_) | Node::Phrase(_) => joined(self.row(vec![root]), Node::All),
            other => other,
        });
    }

    /// What is searched for beside the words of a question, for people.
    pub(crate) fn notes(&self, query: &ParsedQuery, text: &str) -> Vec<String> {
        let mut expanded = query.clone();
        self.expand(&mut expanded);
        if expanded.root == query.root {
            return Vec::new();
        }
        let mut notes: Vec<String> = Vec::new();
        for group in self.groups(text) {
            let others = group.alternatives.join("`, `");
            let note = format!(
                "`{}` also finds `{others}`, by the vocabulary",
                group.original
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// Words of which any will do: others join them.
    fn any(&self, parts: Vec<Node>) -> Vec<Node> {
        let rows = parts_of(parts);
        let words: Vec<&str> = words(&rows).collect();
        let mut added = Vec::new();
        for found in self.found(&words) {
            added.extend(found.alternatives.iter().map(|other| node(other)));
        }
        let mut all: Vec<Node> = rows.into_iter().map(|part| part.node).collect();
        for other in added {
            if !all.contains(&other) {
                all.push(other);
            }
        }
        all
    }

    /// Words side by side: in the place of those that there are others for,
    /// one of them is wanted.
    fn row(&self, parts: Vec<Node>) -> Vec<Node> {
        let rows = parts_of(parts);
        let words: Vec<&str> = words(&rows).collect();
        let found: Vec<(usize, usize, Vec<Node>)> = self
            .found(&words)
            .into_iter()
            .map(|found| {
                let others = found.alternatives.iter().map(|other| node(other));
                (found.start, found.end, others.collect())
            })
            .collect();
        let mut out = Vec::new();
        let mut rows = rows.into_iter().peekable();
        let mut at = 0;
        while let Some(part) = rows.next() {
            let begins = at;
            at += part.words.len();
            let Some((_, end, others)) = found
                .iter()
                .find(|(start, _, _)| *start == begins && part.is_words)
            else {
                out.push(part.node);
                continue;
            };
            let mut own = vec![part.node];
            while at < *end {
                let Some(next) = rows.next() else {
                    break;
                };
                at += next.words.len();
                own.push(next.node);
            }
            // What ends within a word is not what was found.
            if at != *end {
                out.extend(own);
                continue;
            }
            let mut any = vec![joined(own, Node::All)];
            any.extend(others.iter().cloned());
            out.push(Node::Or(any));
        }
        out
    }
}

fn is_plain(part: &Node) -> bool {
    !matches!(
        part,
        Node::And(_) | Node::Or(_) | Node::All(_) | Node::Not(_)
    )
}

fn parts_of(parts: Vec<Node>) -> Vec<Part> {
    let part = |node: Node| {
        let text = match &node {
            Node::Word(text) | Node::Phrase(text) => Some(normalized(text)),
            _ => None,
        };
        Part {
            is_words: text.is_some(),
            // Another part is a word that nothing is known of.
            words: text.map_or_else(
                || vec![String::new()],
                |text| text.split(' ').map(str::to_owned).collect(),
            ),
            node,
        }
    };
    parts.into_iter().map(part).collect()
}

fn words(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts
        .iter()
        .flat_map(|part| &part.words)
        .map(String::as_str)
}

fn node(words: &str) -> Node {
    match words.contains(' ') {
        true => Node::Phrase(words.to_owned()),
        false => Node::Word(words.to_owned()),
    }
}

/// One part as it is, several joined.
fn joined(parts: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    match <[Node; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => join(parts),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_api::QuerySyntax;
    use gannet_api::query::{QueryOptions, parse};

    use super::super::{Concept, ConceptKind};
    use super::*;
    use crate::config::VocabularyConfig;

    fn expanded(text: &str, syntax: QuerySyntax) -> String {
        let concept = |canonical: &str, forms: &[&str]| Concept {
            canonical: canonical.to_owned(),
            kind: ConceptKind::Acronym,
            forms: forms.iter().map(|form| (*form).to_owned()).collect(),
        };
        let concepts = [
            concept("beam position monitor", &["bpm"]),
            concept("troubleshoot", &["t/s", "ts"]),
        ];
        let vocabulary = Vocabulary::of(&concepts, &VocabularyConfig::default());
        let mut query = parse(text, syntax, &QueryOptions::default());
        vocabulary.expand(&mut query);
        query.to_string()
    }

    #[test]
    fn words_and_phrases_are_expanded_and_operators_are_not() {
        let strict = |text| expanded(text, QuerySyntax::Operators);
        for (text, expected) in [
            (
                "ts BPM",
                "(ts OR troubleshoot) (BPM OR \"beam position monitor\")",
            ),
            ("bpm", "bpm OR \"beam position monitor\""),
            (
                "\"beam position monitor\" offset",
                "(\"beam position monitor\" OR bpm) offset",
            ),
            (
                "beam-position monitor offset",
                "(beam-position monitor OR bpm) offset",
            ),
            ("SR01C* bpm", "SR01C* (bpm OR \"beam position monitor\")"),
        ] {
            assert_eq!(strict(text), expected, "{text}");
        }
        for text in ["bpm AND offset", "bpm -offset", "author:ts offset"] {
            let query = parse(text, QuerySyntax::Operators, &QueryOptions::default());
            assert_eq!(strict(text), query.to_string(), "{text}");
        }
    }

    #[test]
    fn of_a_question_in_plain_words_others_join_the_words() {
        let plain = expanded("bpm drift", QuerySyntax::Plain);
        assert_eq!(plain, "bpm drift \"beam position monitor\"");
    }
}
