//! A search for words, from the query to the hits.

use std::collections::HashSet;

use gannet_api::query::Node;
use gannet_api::{Diagnostic, Hit, Matched, ScoreKind};
use sqlx::{PgConnection, QueryBuilder};

use super::candidates::{Scope, find, push_scope, terms_of};
use super::condition::push_condition;
use super::families::{self, Names};
use super::score::{Candidate, Judge, in_order};
use super::spelling::{check_spelling, near_words};
use super::statistics::Statistics;
use crate::error::{DatabaseContext, StoreError};
use crate::postgres::clean::holds_nul;
use crate::postgres::instant::Instant;
use crate::postgres::replica::reading;
use crate::postgres::{PostgresStore, as_i64};
use crate::request::TextFound;
use gannet_analysis::{
    Family, Highlighter, Reader, Reading, Spelling, Wanted, has_words, pattern_cut, with_all_words,
};
use gannet_index::{FieldWeights, TextRequest};

impl PostgresStore {
    /// Searches the texts, see [`Store::text_search`](crate::Store::text_search).
    pub async fn text_search(
        &self,
        tenant: &str,
        request: TextRequest,
    ) -> Result<TextFound, StoreError> {
        if holds_nul(tenant) || request.limit == 0 {
            return Ok(TextFound::default());
        }
        reading!(self, pool, {
            let mut connection = pool.acquire().await.doing("search for words")?;
            search(&mut connection, tenant, &request, self.field_weights).await
        })
    }
}

async fn search(
    connection: &mut PgConnection,
    tenant: &str,
    request: &TextRequest,
    weights: FieldWeights,
) -> Result<TextFound, StoreError> {
    let mut filter = request.filter.clone();
    filter
        .clauses
        .extend(request.query.filter.clauses.iter().cloned());
    let scope = Scope {
        tenant,
        filter: &filter,
    };
    let Some(root) = &request.query.root else {
        if filter.is_empty() {
            return Ok(TextFound::default());
        }
        return list(connection, &scope, None, request.limit).await;
    };
    if !has_words(root) {
        return find_without_words(connection, &scope, root, request.limit).await;
    }
    let mut statistics = Statistics::default();
    let spelling = if request.fuzzy {
        check_spelling(
            connection,
            tenant,
            root,
            request.query.plain,
            &mut statistics,
        )
        .await?
    } else {
        Spelling::default()
    };
    let words = WordRequest {
        root,
        scope: &scope,
        request,
        weights,
    };
    let found = find_words(connection, &words, &spelling, statistics).await?;
    if !request.fuzzy || !found.hits.is_empty() {
        return Ok(found);
    }
    let mut statistics = Statistics::default();
    let near = near_words(connection, &scope, root, &mut statistics).await?;
    if near.is_empty() {
        return Ok(found);
    }
    let more = find_words(connection, &words, &near, statistics).await?;
    match more.hits.is_empty() {
        true => Ok(found),
        false => Ok(more),
    }
}

/// A query with words, and where it is looked for.
struct WordRequest<'a> {
    root: &'a Node,
    scope: &'a Scope<'a>,
    request: &'a TextRequest,
    weights: FieldWeights,
}

/// What the words of a query find, spelt so.
async fn find_words(
    connection: &mut PgConnection,
    words: &WordRequest<'_>,
    spelling: &Spelling,
    statistics: Statistics,
) -> Result<TextFound, StoreError> {
    let mut search = WordSearch {
        connection,
        scope: words.scope,
        limit: words.request.limit,
        weights: words.weights,
        reader: Reader::new(spelling),
        families: Vec::new(),
        family_counts: Vec::new(),
        statistics,
        diagnostics: spelling.diagnostics.clone(),
    };
    let found = if words.request.query.plain {
        search.any_word(words.root).await?
    } else {
        search.all_first(words.root).await?
    };
    Ok(search.finish(found))
}

/// A tree of exclusions and filters alone has no order but time.
async fn find_without_words(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    root: &Node,
    limit: usize,
) -> Result<TextFound, StoreError> {
    let spelling = Spelling::default();
    let mut reader = Reader::new(&spelling);
    let Some(wanted) = reader.read(root, Reading::Strict) else {
        return Ok(TextFound::default());
    };
    let mut diagnostics = reader.diagnostics;
    let names = look_up_all(connection, scope.tenant, &reader.families, &mut diagnostics).await?;
    let found = list(connection, scope, Some((&wanted, &names)), limit).await?;
    Ok(TextFound {
        diagnostics,
        ..found
    })
}

pub(super) async fn look_up_all(
    connection: &mut PgConnection,
    tenant: &str,
    families: &[Family],
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Names>, StoreError> {
    let mut names = Vec::with_capacity(families.len());
    for family in families {
        let found = families::look_up(connection, tenant, family).await?;
        if found.is_cut {
            diagnostics.push(pattern_cut(&family.written));
        }
        names.push(found);
    }
    Ok(names)
}

/// Hits in the order of time. Their score is the time in seconds since 1970:
/// it is what made the order.
async fn list(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    wanted: Option<(&Wanted, &[Names])>,
    limit: usize,
) -> Result<TextFound, StoreError> {
    let mut query =
        QueryBuilder::new("SELECT e.entry_id, e.kind, e.timestamp FROM enhanced_entries e WHERE ");
    push_scope(&mut query, scope);
    if let Some((wanted, names)) = wanted {
        query.push(" AND ");
        push_condition(&mut query, wanted, names);
    }
    query
        .push(" ORDER BY e.timestamp DESC, e.kind COLLATE \"C\", e.entry_id COLLATE \"C\" LIMIT ")
        .push_bind(as_i64(limit));
    let rows: Vec<(String, String, Instant)> = query
        .build_query_as()
        .fetch_all(connection)
        .await
        .doing("list entries")?;
    let hits = rows
        .into_iter()
        .map(|(entry_id, kind, Instant(micros))| {
            Hit::new(entry_id, kind, micros as f64 / 1e6, ScoreKind::None)
        })
        .collect();
    Ok(TextFound {
        hits,
        ..TextFound::default()
    })
}

/// A hit with its row.
type Scored = (i64, Hit);

/// A search for words.
struct WordSearch<'a> {
    connection: &'a mut PgConnection,
    scope: &'a Scope<'a>,
    limit: usize,
    weights: FieldWeights,
    reader: Reader<'a>,
    families: Vec<Names>,
    /// In how many entries the families are.
    family_counts: Vec<f64>,
    statistics: Statistics,
    diagnostics: Vec<Diagnostic>,
}

impl WordSearch<'_> {
    /// Entries with all words first; when they are too few, the best with
    /// some of them.
    async fn all_first(&mut self, root: &Node) -> Result<Vec<Scored>, StoreError> {
        let mut found = match self.reader.read(root, Reading::Strict) {
            Some(wanted) => self.best(&wanted, None, self.limit).await?,
            None => Vec::new(),
        };
        let complete = found.len();
        if complete == self.limit || !self.reader.can_relax {
            return Ok(found);
        }
        let Some(wanted) = self.reader.read(root, Reading::Relaxed) else {
            return Ok(found);
        };
        let seen: HashSet<i64> = found.iter().map(|(doc, _)| *doc).collect();
        let limit = self.limit.saturating_add(complete);
        let mut more = self.best(&wanted, None, limit).await?;
        more.retain(|(doc, _)| !seen.contains(doc));
        more.truncate(self.limit - complete);
        for (_, hit) in &mut more {
            hit.matched = Matched::Some;
        }
        found.extend(more);
        Ok(found)
    }

    /// Entries with any word, by score alone; each says whether it has all.
    async fn any_word(&mut self, root: &Node) -> Result<Vec<Scored>, StoreError> {
        let any = self.reader.read_any_word(root);
        let all = self.reader.read(&with_all_words(root), Reading::Strict);
        match (any, all) {
            (Some(any), Some(all)) => self.best(&any, Some(&all), self.limit).await,
            _ => Ok(Vec::new()),
        }
    }

    /// The best hits. Those that are not `complete`, where that is given,
    /// have some of the words only.
    async fn best(
        &mut self,
        wanted: &Wanted,
        complete: Option<&Wanted>,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError> {
        self.look_up_families().await?;
        let terms = terms_of(wanted);
        self.statistics
            .look_up(self.connection, self.scope.tenant, &terms)
            .await?;
        // A family of names scores like one word that is in as many entries.
        let family_counts = self.family_counts.iter();
        let judge = Judge {
            statistics: &self.statistics,
            weights: in_order(self.weights),
            family_scores: family_counts
                .map(|&found| self.statistics.rarity_of(found))
                .collect(),
        };
        let candidates = find(self.connection, self.scope, wanted, &self.families, limit).await?;
        Ok(judged(&judge, candidates, wanted, complete, limit))
    }

    /// Looks up the families that the last reading added, and in how many
    /// entries they are.
    async fn look_up_families(&mut self) -> Result<(), StoreError> {
        let new = &self.reader.families[self.families.len()..];
        let names = look_up_all(
            self.connection,
            self.scope.tenant,
            new,
            &mut self.diagnostics,
        )
        .await?;
        for names in names {
            let found: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM enhanced_entries \
                 WHERE seq IS NOT NULL AND tenant = $1 AND terms @@ $2::tsquery",
            )
            .bind(self.scope.tenant)
            .bind(&names.query)
            .fetch_one(&mut *self.connection)
            .await
            .doing("count names")?;
            self.family_counts.push(found as f64);
            self.families.push(names);
        }
        Ok(())
    }

    fn finish(mut self, found: Vec<Scored>) -> TextFound {
        self.diagnostics.extend(self.reader.diagnostics);
        TextFound {
            hits: found.into_iter().map(|(_, hit)| hit).collect(),
            diagnostics: self.diagnostics,
            highlighter: Highlighter::new(self.reader.marks),
        }
    }
}

/// The best candidates by score alone, then by kind and id.
fn judged(
    judge: &Judge<'_>,
    candidates: Vec<Candidate>,
    wanted: &Wanted,
    complete: Option<&Wanted>,
    limit: usize,
) -> Vec<Scored> {
    let scored = candidates.into_iter().map(|candidate| {
        // Beyond the last position of a long text PostgreSQL and BM25 may
        // differ on a phrase. The database has decided.
        let score = judge.score(wanted, &candidate, &mut 0).unwrap_or(0.0);
        (score, candidate)
    });
    let mut best: Vec<(f64, Candidate)> = scored.collect();
    best.sort_unstable_by(|(left, a), (right, b)| {
        (right.total_cmp(left))
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| a.entry_id.cmp(&b.entry_id))
    });
    best.truncate(limit);
    best.into_iter()
        .map(|(score, candidate)| {
            let is_complete =
                complete.is_none_or(|all| judge.score(all, &candidate, &mut 0).is_some());
            let mut hit = Hit::new(candidate.entry_id, candidate.kind, score, ScoreKind::Bm25);
            hit.matched = if is_complete {
                Matched::All
            } else {
                Matched::Some
            };
            (candidate.doc, hit)
        })
        .collect()
}
