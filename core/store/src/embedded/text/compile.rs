//! The query's tree as queries of the engine.

use std::collections::HashMap;
use std::sync::Arc;

use gannet_api::query::{Node, is_stop_word};
use gannet_api::{Diagnostic, FilterClause};
use tantivy::Searcher;
use tantivy::query::Occur;
use tantivy::tokenizer::TextAnalyzer;

use super::clauses::{AnyQuery, Clauses, Soft, boolean, everything, should};
use super::docs::Docs;
use super::expand::as_query;
use super::filter::Filters;
use super::schema::Fields;
use crate::analysis::Marks;
use crate::analysis::text_analyser;
use crate::options::FieldWeights;

/// How strictly a tree is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it stands.
    Strict,
    /// Of words side by side, any will do.
    Relaxed,
}

/// Compiles one query; collects on the way what a result wants to say.
pub(super) struct Compiler<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) fields: &'a Fields,
    pub(super) filters: &'a Filters,
    pub(super) weights: FieldWeights,
    /// The tenant's documents, by segment: only their words are suggested.
    pub(super) visible: &'a [Option<Arc<Docs>>],
    pub(super) fuzzy: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What is to be marked in the texts.
    pub(super) marks: Marks,
    /// Whether the relaxed reading finds more than the strict one.
    pub(super) can_relax: bool,
    pub(super) analyser: TextAnalyzer,
    pub(super) corrections: HashMap<String, Vec<String>>,
    pub(super) is_excluding: bool,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        searcher: &'a Searcher,
        fields: &'a Fields,
        filters: &'a Filters,
        weights: FieldWeights,
        visible: &'a [Option<Arc<Docs>>],
        fuzzy: bool,
    ) -> Self {
        Self {
            searcher,
            fields,
            filters,
            weights,
            visible,
            fuzzy,
            diagnostics: Vec::new(),
            marks: Marks::default(),
            can_relax: false,
            analyser: text_analyser(),
            corrections: HashMap::new(),
            is_excluding: false,
        }
    }

    /// The query of a tree; `None` when nothing of it can be searched for.
    pub(super) fn query(
        &mut self,
        node: &Node,
        reading: Reading,
    ) -> tantivy::Result<Option<AnyQuery>> {
        match node {
            Node::All(parts) => self.all(parts, reading, true),
            Node::And(parts) => self.all(parts, reading, false),
            Node::Or(parts) => self.any(parts, reading),
            Node::Not(part) => {
                let excluded = self.excluded(part)?;
                Ok(excluded.map(|excluded| {
                    boolean(vec![
                        (Occur::Must, everything()),
                        (Occur::MustNot, excluded),
                    ])
                }))
            }
            Node::Field(clause) => self.field(clause).map(Some),
            word => Ok(self.wanted(word)?.map(|wanted| {
                let mut clauses = vec![(Occur::Must, wanted.must)];
                clauses.extend(should(wanted.extras));
                boolean(clauses)
            })),
        }
    }

    /// A tree where any word will do: the plain mode.
    pub(super) fn any_word(&mut self, node: &Node) -> tantivy::Result<Option<AnyQuery>> {
        let words = match node {
            Node::Or(words) | Node::All(words) | Node::And(words) => words.as_slice(),
            word => std::slice::from_ref(word),
        };
        self.any(words, Reading::Relaxed)
    }

    /// Parts of which all must hold. Stop words and strictness give way in a
    /// row of words, not in an explicit AND.
    fn all(
        &mut self,
        parts: &[Node],
        reading: Reading,
        gives_way: bool,
    ) -> tantivy::Result<Option<AnyQuery>> {
        let mut hard: Clauses = Vec::new();
        let mut soft: Vec<Soft> = Vec::new();
        let drops_stop_words = gives_way && has_content(parts);
        for part in parts {
            match part {
                Node::Not(inner) => {
                    hard.extend(self.excluded(inner)?.map(|query| (Occur::MustNot, query)));
                }
                Node::Field(clause) => hard.push((Occur::Must, self.field(clause)?)),
                Node::Word(word) if drops_stop_words && is_stop_word(word) => {}
                part => soft.extend(self.soft(part, reading)?),
            }
        }
        self.can_relax |= gives_way && soft.len() > 1;
        if gives_way && reading == Reading::Relaxed && soft.len() > 1 {
            let any: Clauses = soft
                .into_iter()
                .flat_map(|part| should(part.loose()))
                .collect();
            if hard.is_empty() {
                return Ok(Some(boolean(any)));
            }
            hard.push((Occur::Must, boolean(any)));
            return Ok(Some(boolean(hard)));
        }
        for part in soft {
            hard.extend(part.strict());
        }
        let nothing_wanted = hard.iter().all(|(occur, _)| *occur == Occur::MustNot);
        if hard.is_empty() {
            return Ok(None);
        }
        if nothing_wanted {
            hard.push((Occur::Must, everything()));
        }
        Ok(Some(boolean(hard)))
    }

    /// Parts of which one must hold.
    fn any(&mut self, parts: &[Node], reading: Reading) -> tantivy::Result<Option<AnyQuery>> {
        let drops_stop_words = has_content(parts);
        let mut clauses: Clauses = Vec::new();
        for part in parts {
            if matches!(part, Node::Word(word) if drops_stop_words && is_stop_word(word)) {
                continue;
            }
            let Some(part) = self.soft(part, reading)? else {
                continue;
            };
            clauses.extend(should(match reading {
                Reading::Relaxed => part.loose(),
                Reading::Strict => part.alternatives(),
            }));
        }
        Ok((!clauses.is_empty()).then(|| boolean(clauses)))
    }

    fn soft(&mut self, part: &Node, reading: Reading) -> tantivy::Result<Option<Soft>> {
        match part {
            Node::All(_) | Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Field(_) => {
                Ok(self.query(part, reading)?.map(Soft::Tree))
            }
            word => Ok(self.wanted(word)?.map(Soft::Word)),
        }
    }

    /// What must not hold: nothing in it is corrected or marked.
    fn excluded(&mut self, part: &Node) -> tantivy::Result<Option<AnyQuery>> {
        let before = std::mem::replace(&mut self.is_excluding, true);
        let can_relax = self.can_relax;
        let query = self.query(part, Reading::Strict);
        self.is_excluding = before;
        self.can_relax = can_relax;
        query
    }

    fn field(&mut self, clause: &FilterClause) -> tantivy::Result<AnyQuery> {
        let mut by_segment = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let docs = self.filters.clause(clause, segment, self.fields)?;
            by_segment.insert(segment.segment_id(), docs);
        }
        Ok(Box::new(as_query(by_segment)))
    }

    pub(super) fn mark(&mut self, add: impl FnOnce(&mut Marks)) {
        if !self.is_excluding {
            add(&mut self.marks);
        }
    }
}

fn has_content(parts: &[Node]) -> bool {
    parts.iter().any(|part| match part {
        Node::Word(word) => !is_stop_word(word),
        Node::Not(_) | Node::Field(_) => false,
        _ => true,
    })
}
