//! Words, phrases and patterns as queries.

use gannet_api::query::Node;
use gannet_api::{Diagnostic, fold};
use regex::Regex;
use tantivy::query::{BoostQuery, Occur, PhraseQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};

use super::clauses::{AnyQuery, Clauses, Wanted, boolean, should};
use super::compile::Compiler;
use super::expand::{expand, is_indexed, nearest_words};
use super::schema::term;
use crate::analysis::{glob_pattern, whole_name};
use crate::analysis::{terms_of, trim_sentence};

impl Compiler<'_> {
    /// What a word, a phrase or a pattern finds; `None` when it has no letter
    /// or digit.
    pub(super) fn wanted(&mut self, node: &Node) -> tantivy::Result<Option<Wanted>> {
        match node {
            Node::Word(word) => self.word(word),
            Node::Phrase(text) => Ok(self.phrase(text)),
            Node::Prefix(prefix) => {
                let prefix = fold(prefix);
                self.mark(|marks| marks.prefixes.push(prefix.clone()));
                self.family(&prefix, None, &format!("{prefix}*")).map(Some)
            }
            Node::Glob(glob) => {
                let glob = fold(glob);
                let start = glob.find(['*', '?']).unwrap_or(glob.len());
                self.pattern(&glob, &glob[..start], glob_pattern(&glob))
            }
            Node::Regex(pattern) => self.pattern(&format!("/{pattern}/"), "", whole_name(pattern)),
            Node::Field(_) | Node::All(_) | Node::And(_) | Node::Or(_) | Node::Not(_) => Ok(None),
        }
    }

    fn word(&mut self, word: &str) -> tantivy::Result<Option<Wanted>> {
        let terms = terms_of(&mut self.analyser, word);
        if let [one] = terms.as_slice() {
            let stems = self.in_index(word, one)?;
            self.mark(|marks| marks.stems.extend(stems.iter().cloned()));
            return Ok(Some(self.alternatives(&stems)));
        }
        if terms.is_empty() {
            return Ok(None);
        }
        self.mark(|marks| marks.stems.extend(terms.iter().cloned()));
        if !word.chars().any(|c| c.is_ascii_digit()) {
            return self.joined_words(word, &terms).map(Some);
        }
        Ok(Some(self.in_sequence(&terms)))
    }

    /// `beam-loss`: side by side for certain; where any word will do, each.
    fn joined_words(&mut self, word: &str, terms: &[String]) -> tantivy::Result<Wanted> {
        let pieces: Vec<&str> = word
            .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '\u{2019}')
            .filter(|piece| !piece.is_empty())
            .collect();
        let mut stems = Vec::with_capacity(terms.len());
        for (index, one) in terms.iter().enumerate() {
            let piece = pieces.get(index).copied().unwrap_or(one);
            stems.push(self.in_index(piece, one)?);
        }
        let is_corrected = stems
            .iter()
            .zip(terms)
            .any(|(stems, one)| stems.as_slice() != std::slice::from_ref(one));
        let mut wanted = self.in_sequence(terms);
        wanted.parts = Vec::new();
        let mut each: Clauses = Vec::new();
        for stems in &stems {
            let part = self.alternatives(stems);
            wanted.parts.extend(part.parts);
            each.push((Occur::Must, part.must));
        }
        if is_corrected {
            wanted.must = boolean(each);
        }
        Ok(wanted)
    }

    /// The word itself when it is indexed, else its corrections, as terms.
    fn in_index(&mut self, word: &str, stem: &str) -> tantivy::Result<Vec<String>> {
        let itself = vec![stem.to_owned()];
        if !self.fuzzy
            || self.is_excluding
            || is_indexed(self.searcher, self.visible, self.fields.text, stem)?
        {
            return Ok(itself);
        }
        if let Some(known) = self.corrections.get(stem) {
            return Ok(known.clone());
        }
        let folded = fold(trim_sentence(word));
        let mut near = self.nearest(&folded)?;
        if near.is_empty() && stem != folded {
            near = self.nearest(stem)?;
        }
        let stems = if near.is_empty() {
            itself
        } else {
            self.diagnostics.push(corrected(word, &near));
            let mut stems: Vec<String> = near
                .iter()
                .flat_map(|word| terms_of(&mut self.analyser, word))
                .collect();
            stems.sort_unstable();
            stems.dedup();
            stems
        };
        self.corrections.insert(stem.to_owned(), stems.clone());
        Ok(stems)
    }

    fn nearest(&self, word: &str) -> tantivy::Result<Vec<String>> {
        nearest_words(self.searcher, self.visible, self.fields.words, word)
    }

    fn phrase(&mut self, text: &str) -> Option<Wanted> {
        let terms = terms_of(&mut self.analyser, text);
        self.mark(|marks| marks.stems.extend(terms.iter().cloned()));
        match terms.as_slice() {
            [] => None,
            [_] => Some(self.alternatives(&terms)),
            _ => Some(self.in_sequence(&terms)),
        }
    }

    fn in_sequence(&self, terms: &[String]) -> Wanted {
        let terms = terms
            .iter()
            .map(|text| term(self.fields.text, text))
            .collect();
        let phrase: AnyQuery = Box::new(PhraseQuery::new(terms));
        Wanted {
            parts: vec![phrase.box_clone()],
            must: phrase,
            extras: Vec::new(),
        }
    }

    /// Documents with any of these terms.
    fn alternatives(&self, stems: &[String]) -> Wanted {
        let weights = self.weights;
        let in_text: Vec<AnyQuery> = stems
            .iter()
            .map(|stem| weighted(self.fields.text, stem, weights.text))
            .collect();
        let extras: Vec<AnyQuery> = [
            (self.fields.title, weights.title),
            (self.fields.keywords, weights.keywords),
            (self.fields.author, weights.author),
        ]
        .into_iter()
        .filter(|(_, weight)| *weight > 0.0)
        .flat_map(|(field, weight)| stems.iter().map(move |stem| weighted(field, stem, weight)))
        .collect();
        let mut parts: Vec<AnyQuery> = in_text.iter().map(|query| query.box_clone()).collect();
        parts.extend(extras.iter().map(|query| query.box_clone()));
        Wanted {
            must: boolean(should(in_text).collect()),
            extras,
            parts,
        }
    }

    fn pattern(
        &mut self,
        written: &str,
        prefix: &str,
        pattern: Result<Regex, regex::Error>,
    ) -> tantivy::Result<Option<Wanted>> {
        let pattern = match pattern {
            Ok(pattern) => pattern,
            Err(error) => {
                let message =
                    format!("`{written}` is too large a pattern and was left out: {error}");
                self.diagnostics
                    .push(Diagnostic::warning("store.text", message));
                return Ok(None);
            }
        };
        let wanted = self.family(prefix, Some(&pattern), written)?;
        self.mark(|marks| marks.patterns.push(pattern));
        Ok(Some(wanted))
    }

    fn family(
        &mut self,
        prefix: &str,
        pattern: Option<&Regex>,
        written: &str,
    ) -> tantivy::Result<Wanted> {
        let expansion = expand(self.searcher, self.fields.words, prefix, pattern)?;
        if expansion.is_cut {
            let message = format!(
                "`{written}` matches too many names: only the first ones were looked at; \
                 write more of the name"
            );
            let note = Diagnostic::warning("store.text", message).category("pattern_cut");
            if !self.diagnostics.contains(&note) {
                self.diagnostics.push(note);
            }
        }
        let query: AnyQuery = Box::new(expansion.query);
        Ok(Wanted {
            parts: vec![query.box_clone()],
            must: query,
            extras: Vec::new(),
        })
    }
}

fn weighted(field: Field, text: &str, weight: f32) -> AnyQuery {
    let query: AnyQuery = Box::new(TermQuery::new(
        term(field, text),
        IndexRecordOption::WithFreqs,
    ));
    if weight == 1.0 {
        return query;
    }
    Box::new(BoostQuery::new(query, weight))
}

fn corrected(word: &str, near: &[String]) -> Diagnostic {
    let quoted: Vec<String> = near.iter().map(|word| format!("`{word}`")).collect();
    let message = format!(
        "`{word}` is in no entry; searched for {} instead",
        quoted.join(", ")
    );
    Diagnostic::info("store.text", message).category("spelling")
}
