//! What a query wants, as queries of the engine.

use std::collections::HashMap;

use gannet_api::{Diagnostic, FilterClause};
use tantivy::Searcher;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::docs::DocsQuery;
use super::expand::{as_query, expand};
use super::filter::Filters;
use super::schema::{Fields, term};
use crate::analysis::{Family, Wanted, pattern_cut};
use crate::options::FieldWeights;

pub(super) type AnyQuery = Box<dyn Query>;
type Clauses = Vec<(Occur, AnyQuery)>;

/// Makes the queries of one search.
pub(super) struct Compiler<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    filters: &'a Filters,
    weights: FieldWeights,
    /// The documents of the families that were looked up.
    families: HashMap<usize, DocsQuery>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        searcher: &'a Searcher,
        fields: &'a Fields,
        filters: &'a Filters,
        weights: FieldWeights,
    ) -> Self {
        Self {
            searcher,
            fields,
            filters,
            weights,
            families: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn query(
        &mut self,
        wanted: &Wanted,
        families: &[Family],
    ) -> tantivy::Result<AnyQuery> {
        match wanted {
            Wanted::Word(_) => {
                let mut clauses = Vec::new();
                self.require(wanted, families, &mut clauses)?;
                Ok(boolean(clauses))
            }
            Wanted::Sequence(terms) => Ok(self.sequence(terms)),
            Wanted::Family(place) => self.family(*place, families),
            Wanted::Filter(clause) => self.filter(clause),
            Wanted::All(parts) => self.all(parts, families),
            Wanted::Any(parts) => self.any(parts, families),
            Wanted::Not(_) => self.all(std::slice::from_ref(wanted), families),
        }
    }

    fn all(&mut self, parts: &[Wanted], families: &[Family]) -> tantivy::Result<AnyQuery> {
        let mut clauses = Vec::new();
        for part in parts {
            self.require(part, families, &mut clauses)?;
        }
        // The engine finds nothing by exclusions alone.
        if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            clauses.push((Occur::Must, everything()));
        }
        Ok(boolean(clauses))
    }

    fn require(
        &mut self,
        part: &Wanted,
        families: &[Family],
        clauses: &mut Clauses,
    ) -> tantivy::Result<()> {
        match part {
            Wanted::Word(terms) => {
                clauses.push((Occur::Must, boolean(self.in_text(terms))));
                clauses.extend(self.in_fields(terms));
            }
            Wanted::Not(excluded) => {
                clauses.push((Occur::MustNot, self.query(excluded, families)?));
            }
            part => clauses.push((Occur::Must, self.query(part, families)?)),
        }
        Ok(())
    }

    /// Words are not grouped: unions of plain terms are what the engine
    /// prunes best.
    fn any(&mut self, parts: &[Wanted], families: &[Family]) -> tantivy::Result<AnyQuery> {
        let mut clauses = Vec::new();
        for part in parts {
            match part {
                Wanted::Word(terms) => {
                    clauses.extend(self.in_text(terms));
                    clauses.extend(self.in_fields(terms));
                }
                part => clauses.push((Occur::Should, self.query(part, families)?)),
            }
        }
        Ok(boolean(clauses))
    }

    /// What decides whether a document has a word.
    fn in_text(&self, terms: &[String]) -> Clauses {
        terms
            .iter()
            .map(|text| weighted(self.fields.text, text, self.weights.text))
            .collect()
    }

    /// What only adds to the score: the weighted fields.
    fn in_fields(&self, terms: &[String]) -> Clauses {
        [
            (self.fields.title, self.weights.title),
            (self.fields.keywords, self.weights.keywords),
            (self.fields.author, self.weights.author),
        ]
        .into_iter()
        .filter(|(_, weight)| *weight > 0.0)
        .flat_map(|(field, weight)| terms.iter().map(move |text| weighted(field, text, weight)))
        .collect()
    }

    fn sequence(&self, terms: &[String]) -> AnyQuery {
        let terms = terms.iter().map(|text| term(self.fields.text, text));
        Box::new(PhraseQuery::new(terms.collect()))
    }

    fn family(&mut self, place: usize, families: &[Family]) -> tantivy::Result<AnyQuery> {
        if let Some(known) = self.families.get(&place) {
            return Ok(Box::new(known.clone()));
        }
        let family = &families[place];
        let pattern = family.pattern.as_ref();
        let expansion = expand(self.searcher, self.fields.words, &family.prefix, pattern)?;
        if expansion.is_cut {
            self.diagnostics.push(pattern_cut(&family.written));
        }
        self.families.insert(place, expansion.query.clone());
        Ok(Box::new(expansion.query))
    }

    fn filter(&mut self, clause: &FilterClause) -> tantivy::Result<AnyQuery> {
        let mut by_segment = HashMap::new();
        for segment in self.searcher.segment_readers() {
            let docs = self.filters.clause(clause, segment, self.fields)?;
            by_segment.insert(segment.segment_id(), docs);
        }
        Ok(Box::new(as_query(by_segment)))
    }
}

fn weighted(field: Field, text: &str, weight: f32) -> (Occur, AnyQuery) {
    let query = TermQuery::new(term(field, text), IndexRecordOption::WithFreqs);
    let query: AnyQuery = if weight == 1.0 {
        Box::new(query)
    } else {
        Box::new(BoostQuery::new(Box::new(query), weight))
    };
    (Occur::Should, query)
}

/// One clause alone is itself.
fn boolean(mut clauses: Clauses) -> AnyQuery {
    if clauses.len() == 1 && clauses[0].0 != Occur::MustNot {
        return clauses.remove(0).1;
    }
    Box::new(BooleanQuery::new(clauses))
}

fn everything() -> AnyQuery {
    Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0))
}
