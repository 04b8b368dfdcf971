//! What a query wants, as queries of the engine.

use std::collections::HashMap;

use gannet_api::{Diagnostic, FilterClause};
use tantivy::query::{
    AllQuery, Bm25StatisticsProvider, BooleanQuery, BoostQuery, ConstScoreQuery, Occur,
    PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::docs::DocsQuery;
use super::expand::{as_query, expand};
use super::filter::Filters;
use super::schema::{Fields, term};
use super::statistics::TermStatistics;
use super::top::Traversal;
use gannet_analysis::{Family, Wanted, pattern_cut};
use gannet_index::FieldWeights;

pub(super) type AnyQuery = Box<dyn Query>;
type Clauses = Vec<(Occur, AnyQuery)>;

/// Above so many lists of documents, keeping them sorted for pruning costs
/// more than pruning saves.
const MOST_PRUNED: usize = 8;

/// Makes the queries of one search.
pub(super) struct Compiler<'a> {
    searcher: &'a Searcher,
    fields: &'a Fields,
    filters: &'a Filters,
    weights: FieldWeights,
    pub(super) statistics: TermStatistics<'a>,
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
            statistics: TermStatistics::new(searcher),
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
            Wanted::Repeated(part, factor) => Ok(boosted(self.query(part, families)?, *factor)),
            Wanted::Sequence(terms) => Ok(self.sequence(terms)),
            Wanted::Family(place) => self.family(*place, families),
            Wanted::Filter(clause) => self.filter(clause),
            Wanted::All(parts) => self.all(parts, families),
            Wanted::Any(parts) => self.any(parts, families),
            Wanted::Not(_) => self.all(std::slice::from_ref(wanted), families),
        }
    }

    /// How the documents with what is wanted are walked over best.
    pub(super) fn traversal(&self, wanted: &Wanted) -> tantivy::Result<Traversal> {
        let Wanted::Any(parts) = wanted else {
            return Ok(Traversal::Pruned);
        };
        let mut lists = 0_usize;
        let mut postings = 0_u64;
        for (terms, _) in parts.iter().filter_map(word) {
            for (field, _) in self.weighted_fields() {
                for text in terms {
                    let found = self.statistics.doc_freq(&term(field, text))?;
                    lists += usize::from(found > 0);
                    postings += found;
                }
            }
        }
        let is_dense = postings > self.searcher.num_docs() / 2;
        Ok(match lists > MOST_PRUNED || is_dense {
            true => Traversal::Exhaustive,
            false => Traversal::Pruned,
        })
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
        if let Some((terms, factor)) = word(part) {
            clauses.push((Occur::Must, boolean(self.in_text(terms, factor)?)));
            clauses.extend(self.in_fields(terms, factor)?);
            return Ok(());
        }
        match part {
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
            match word(part) {
                Some((terms, factor)) => {
                    clauses.extend(self.in_text(terms, factor)?);
                    clauses.extend(self.in_fields(terms, factor)?);
                }
                None => clauses.push((Occur::Should, self.query(part, families)?)),
            }
        }
        Ok(boolean(clauses))
    }

    /// What decides whether a document has a word.
    fn in_text(&self, terms: &[String], factor: f32) -> tantivy::Result<Clauses> {
        self.in_field(self.fields.text, self.weights.text * factor, terms)
    }

    /// What only adds to the score: the weighted fields.
    fn in_fields(&self, terms: &[String], factor: f32) -> tantivy::Result<Clauses> {
        let mut clauses = Vec::new();
        for (field, weight) in self.weighted_fields().skip(1) {
            clauses.extend(self.in_field(field, weight * factor, terms)?);
        }
        Ok(clauses)
    }

    /// The fields that make scores; the text is the first.
    fn weighted_fields(&self) -> impl Iterator<Item = (Field, f32)> {
        let small = [
            (self.fields.title, self.weights.title),
            (self.fields.keywords, self.weights.keywords),
            (self.fields.author, self.weights.author),
        ];
        let small = small.into_iter().filter(|(_, weight)| *weight > 0.0);
        std::iter::once((self.fields.text, self.weights.text)).chain(small)
    }

    /// The terms that any document has in a field.
    fn in_field(&self, field: Field, weight: f32, terms: &[String]) -> tantivy::Result<Clauses> {
        let mut clauses = Vec::new();
        for text in terms {
            let term = term(field, text);
            if self.statistics.has(&term)? {
                clauses.push(weighted(term, weight));
            }
        }
        Ok(clauses)
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

/// The forms of a word, and how much it counts.
fn word(part: &Wanted) -> Option<(&[String], f32)> {
    match part {
        Wanted::Word(terms) => Some((terms, 1.0)),
        Wanted::Repeated(part, factor) => {
            let (terms, inner) = word(part)?;
            Some((terms, inner * factor))
        }
        _ => None,
    }
}

fn weighted(term: Term, weight: f32) -> (Occur, AnyQuery) {
    let query = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
    (Occur::Should, boosted(query, weight))
}

fn boosted(query: AnyQuery, weight: f32) -> AnyQuery {
    match weight == 1.0 {
        true => query,
        false => Box::new(BoostQuery::new(query, weight)),
    }
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
