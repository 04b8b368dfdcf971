//! The rows that may be among the best, with the places of the wanted terms.

use std::collections::HashMap;

use gannet_api::{Filter, FilterClause};
use sqlx::{PgConnection, Postgres, QueryBuilder};

use super::condition::{push_condition, push_match, ranking};
use super::families::Names;
use super::score::{Candidate, Places};
use super::statistics::FIELDS;
use crate::error::{DatabaseContext, StoreError};
use crate::postgres::as_i64;
use crate::postgres::filter::{push_clause, push_filter};
use gannet_analysis::Wanted;

/// So many rows are judged at least: the best by `ts_rank`, which knows
/// nothing of how rare a word is, are the best 10 by BM25 and more.
const CANDIDATES: usize = 300;
/// Rows judged for each one that is wanted.
const CANDIDATES_PER_HIT: usize = 3;
/// The letters of `terms`, in the order of the fields. The first field is
/// all of it.
const LETTERS: [char; FIELDS] = ['*', 'A', 'B', 'C'];

/// Whose rows are looked through.
pub(super) struct Scope<'a> {
    pub(super) tenant: &'a str,
    pub(super) filter: &'a Filter,
}

struct PlaceRow {
    doc: i64,
    kind: String,
    entry_id: String,
    lengths: Option<Vec<i32>>,
    fits: Vec<bool>,
    lexeme: Option<String>,
    positions: Option<Vec<i16>>,
    weights: Option<Vec<String>>,
}

from_row!(Postgres => PlaceRow { doc, kind, entry_id, lengths, fits, lexeme, positions, weights });

/// Finds the candidates of a query.
pub(super) async fn find(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    wanted: &Wanted,
    families: &[Names],
    limit: usize,
) -> Result<Vec<Candidate>, StoreError> {
    let Some(ranking) = ranking(wanted, families) else {
        return Ok(Vec::new());
    };
    let count = CANDIDATES.max(limit.saturating_mul(CANDIDATES_PER_HIT));
    let mut query = QueryBuilder::new(
        "WITH candidate AS MATERIALIZED (SELECT e.doc, e.kind, e.entry_id, e.lengths, e.terms, ",
    );
    push_fits(&mut query, wanted, families);
    query.push(" FROM enhanced_entries e WHERE ");
    push_scope(&mut query, scope);
    query.push(" AND ");
    push_condition(&mut query, wanted, families);
    query
        .push(" ORDER BY ts_rank('{0.8, 1, 0.9, 0.9}', e.terms, ")
        .push_bind(ranking)
        .push("::tsquery, 1) DESC, e.kind COLLATE \"C\", e.entry_id COLLATE \"C\" LIMIT ")
        .push_bind(as_i64(count))
        .push(
            ") SELECT c.doc, c.kind, c.entry_id, c.lengths, c.fits, w.lexeme, w.positions, \
             w.weights FROM candidate c LEFT JOIN LATERAL ( \
                 SELECT * FROM unnest(c.terms) u WHERE u.lexeme = ANY (",
        )
        .push_bind(terms_of(wanted))
        .push(")) w ON TRUE");
    let rows: Vec<PlaceRow> = query
        .build_query_as()
        .fetch_all(connection)
        .await
        .doing("search for words")?;
    Ok(gathered(rows))
}

/// Adds whose rows may be found, over a table `e`.
pub(super) fn push_scope(query: &mut QueryBuilder<Postgres>, scope: &Scope<'_>) {
    query
        .push("e.seq IS NOT NULL AND e.tenant = ")
        .push_bind(scope.tenant.to_owned());
    push_filter(query, scope.filter);
}

/// Whether a row fits each family, then each filter inside the query.
fn push_fits(query: &mut QueryBuilder<Postgres>, wanted: &Wanted, families: &[Names]) {
    query.push("ARRAY[");
    let mut separator = "";
    for names in families {
        query.push(separator);
        push_match(query, names.query.clone());
        separator = ", ";
    }
    let mut filters = Vec::new();
    gather_filters(wanted, &mut filters);
    for clause in filters {
        query.push(separator).push("coalesce(");
        push_clause(query, clause);
        query.push(", FALSE)");
        separator = ", ";
    }
    query.push("]::boolean[] AS fits");
}

fn gather_filters<'a>(wanted: &'a Wanted, filters: &mut Vec<&'a FilterClause>) {
    match wanted {
        Wanted::Filter(clause) => filters.push(clause),
        Wanted::Not(part) | Wanted::Repeated(part, _) => gather_filters(part, filters),
        Wanted::All(parts) | Wanted::Any(parts) => {
            for part in parts {
                gather_filters(part, filters);
            }
        }
        Wanted::Word(_) | Wanted::Sequence(_) | Wanted::Family(_) => {}
    }
}

/// Every term that a score may need.
pub(super) fn terms_of(wanted: &Wanted) -> Vec<String> {
    let mut terms = Vec::new();
    gather_terms(wanted, &mut terms);
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn gather_terms(wanted: &Wanted, terms: &mut Vec<String>) {
    match wanted {
        Wanted::Word(own) | Wanted::Sequence(own) => terms.extend(own.iter().cloned()),
        Wanted::All(parts) | Wanted::Any(parts) => {
            for part in parts {
                gather_terms(part, terms);
            }
        }
        Wanted::Not(part) | Wanted::Repeated(part, _) => gather_terms(part, terms),
        Wanted::Family(_) | Wanted::Filter(_) => {}
    }
}

/// One candidate of the rows of its terms.
fn gathered(rows: Vec<PlaceRow>) -> Vec<Candidate> {
    let mut index: HashMap<i64, usize> = HashMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for row in rows {
        let place = *index.entry(row.doc).or_insert_with(|| {
            candidates.push(candidate(&row));
            candidates.len() - 1
        });
        if let (Some(term), Some(positions), Some(letters)) =
            (row.lexeme, row.positions, row.weights)
        {
            let places = Places {
                counts: counts(&letters),
                positions,
            };
            candidates[place].places.insert(term, places);
        }
    }
    candidates
}

fn candidate(row: &PlaceRow) -> Candidate {
    let mut lengths = [0.0; FIELDS];
    for (length, stored) in lengths.iter_mut().zip(row.lengths.iter().flatten()) {
        *length = f64::from(*stored);
    }
    Candidate {
        doc: row.doc,
        kind: row.kind.clone(),
        entry_id: row.entry_id.clone(),
        lengths,
        fits: row.fits.clone(),
        places: HashMap::new(),
    }
}

fn counts(letters: &[String]) -> [f64; FIELDS] {
    let mut counts = LETTERS.map(|letter| {
        let same = letters.iter().filter(|own| own.starts_with(letter));
        same.count() as f64
    });
    counts[0] = letters.len() as f64;
    counts
}
