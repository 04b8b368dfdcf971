//! Saved queries that entries are matched against: a search the other way
//! round, as percolators of search engines do it.
//!
//! An entry becomes its terms once. Of the queries only those are evaluated
//! that can match: each stands under the terms of which one must be in the
//! entry, the rarest that it has. What a query means is what it means in the
//! text index in its strict reading: all of its words.
//!
//! ```
//! use gannet_api::query::{QueryOptions, parse};
//! use gannet_api::{Entry, Filter, QuerySyntax};
//! use gannet_analysis::PercolatorBuilder;
//!
//! let read = |text| parse(text, QuerySyntax::Operators, &QueryOptions::default());
//! let mut builder = PercolatorBuilder::default();
//! builder.add(read("RF-2 trip"), Filter::none());
//! builder.add(read("\"beam lost\" -vacuum"), Filter::none());
//! let percolator = builder.build(&[]);
//!
//! let entry = Entry::new("1", "demo", "2024-06-12T08:00:00Z".parse()?, "RF-2 tripped");
//! assert_eq!(percolator.matches(&entry), [0]);
//! let marked = percolator.highlighter(0).highlight(&entry.raw_text);
//! assert_eq!(marked[0].text, "RF-2 tripped");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entry_terms;
mod evaluate;

use std::collections::{BTreeSet, HashMap};

use gannet_api::query::ParsedQuery;
use gannet_api::{Entry, Filter};

use crate::{Family, Highlighter, Reader, Reading, Spelling, Wanted, with_all_words};
use entry_terms::EntryTerms;

/// A saved query as it is evaluated.
struct SavedQuery {
    /// None where the filter says all.
    wanted: Option<Wanted>,
    families: Vec<Family>,
    filter: Filter,
    highlighter: Highlighter,
}

/// Collects queries for a [`Percolator`].
#[derive(Default)]
pub struct PercolatorBuilder(Vec<SavedQuery>);

/// Saved queries, indexed by their terms.
pub struct Percolator {
    queries: Vec<SavedQuery>,
    by_term: HashMap<String, Vec<u32>>,
    /// Queries without a term that must be there, such as a filter alone.
    always: Vec<u32>,
}

impl PercolatorBuilder {
    /// Adds a query with a filter; queries are numbered from 0. One that asks
    /// for nothing matches nothing.
    pub fn add(&mut self, query: ParsedQuery, mut filter: Filter) {
        filter.clauses.extend(query.filter.clauses);
        let spelling = Spelling::default();
        let mut reader = Reader::new(&spelling);
        let root = query.root.as_ref().map(with_all_words);
        let wanted = root.and_then(|root| reader.read(&root, Reading::Strict));
        self.0.push(SavedQuery {
            wanted,
            families: reader.families,
            filter,
            highlighter: Highlighter::new(reader.marks),
        });
    }

    /// The terms of all queries, each once, in alphabetical order.
    pub fn terms(&self) -> Vec<String> {
        let mut terms = BTreeSet::new();
        for query in &self.0 {
            if let Some(wanted) = &query.wanted {
                evaluate::collect_terms(wanted, &mut terms);
            }
        }
        terms.into_iter().collect()
    }

    /// Indexes the queries. `counts` has the number of entries with each of
    /// [`terms`](Self::terms); where it is shorter, the queries that have a term
    /// are counted instead.
    pub fn build(self, counts: &[u64]) -> Percolator {
        let terms = self.terms();
        let counts: HashMap<&str, u64> = match counts.len() == terms.len() {
            true => terms
                .iter()
                .map(String::as_str)
                .zip(counts.iter().copied())
                .collect(),
            false => self.uses(&terms),
        };
        let rarity = |term: &str| counts.get(term).copied().unwrap_or_default();
        let mut by_term: HashMap<String, Vec<u32>> = HashMap::new();
        let mut always = Vec::new();
        for (number, query) in (0..).zip(&self.0) {
            let wanted = query.wanted.as_ref();
            match wanted.and_then(|wanted| evaluate::required(wanted, &rarity)) {
                Some(terms) => {
                    for term in terms {
                        by_term.entry(term).or_default().push(number);
                    }
                }
                None => always.push(number),
            }
        }
        Percolator {
            queries: self.0,
            by_term,
            always,
        }
    }

    fn uses<'t>(&self, terms: &'t [String]) -> HashMap<&'t str, u64> {
        let mut uses: HashMap<&str, u64> = terms.iter().map(|term| (term.as_str(), 0)).collect();
        for query in &self.0 {
            let mut own = BTreeSet::new();
            if let Some(wanted) = &query.wanted {
                evaluate::collect_terms(wanted, &mut own);
            }
            for term in own {
                if let Some(count) = uses.get_mut(term.as_str()) {
                    *count += 1;
                }
            }
        }
        uses
    }
}

impl Percolator {
    /// How many queries there are.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// The queries that an entry matches, in their order.
    pub fn matches(&self, entry: &Entry) -> Vec<usize> {
        let terms = EntryTerms::of(entry);
        let mut candidates = self.always.clone();
        for term in terms.distinct() {
            candidates.extend(self.by_term.get(term).into_iter().flatten());
        }
        candidates.sort_unstable();
        candidates.dedup();
        let numbers = candidates.into_iter().map(|number| number as usize);
        numbers
            .filter(|number| self.queries[*number].matches(entry, &terms))
            .collect()
    }

    /// Whether an entry passes the filter of a query, whatever its words are.
    pub fn passes_filter(&self, query: usize, entry: &Entry) -> bool {
        let query = self.queries.get(query);
        query.is_some_and(|query| query.filter.matches(entry))
    }

    /// What marks the words of a query in a text.
    pub fn highlighter(&self, query: usize) -> Highlighter {
        let query = self.queries.get(query);
        query
            .map(|query| query.highlighter.clone())
            .unwrap_or_default()
    }
}

impl SavedQuery {
    fn matches(&self, entry: &Entry, terms: &EntryTerms) -> bool {
        let has_words = match &self.wanted {
            Some(wanted) => evaluate::holds(wanted, &self.families, (entry, terms)),
            None => !self.filter.is_empty(),
        };
        has_words && self.filter.matches(entry)
    }
}
