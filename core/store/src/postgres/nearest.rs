//! Searching the vectors of a model.
//!
//! The graph index finds the nearest passages of all; under a filter that
//! lets little through it would walk past most of what it finds and miss the
//! rest (recall .09 under a 1 % filter). So what a narrow filter lets through
//! is compared one by one, which is exact and then also faster.

use gannet_api::{Found, Hit, ScoreKind, sort_hits};
use pgvector::Vector;
use sqlx::{PgConnection, Postgres, QueryBuilder};

use super::clean::holds_nul;
use super::filter::push_filter;
use super::models::{LARGEST_INDEXED, ModelRow, known_model};
use super::replica::reading;
use super::{PostgresStore, as_i64};
use crate::error::{DatabaseContext, StoreError};
use crate::models::check_finite;
use crate::request::VectorRequest;
use crate::stored::passage;

/// Up to so many entries are compared one by one.
const COMPARED_ONE_BY_ONE: i64 = 5_000;
/// Passages asked for, per entry wanted, at first.
const PASSAGES_PER_ENTRY: usize = 3;
/// Candidates that the index keeps while it walks: at least, and what
/// pgvector takes at most.
const CANDIDATES: usize = 160;
const MOST_CANDIDATES: usize = 1_000;

/// A passage that was found, with its cosine distance in full precision.
#[derive(Debug, Clone)]
struct Near {
    doc: i64,
    ordinal: i32,
    distance: f64,
}

from_row!(Postgres => Near { doc, ordinal, distance });

#[derive(Debug)]
struct PassageRow {
    doc: i64,
    ordinal: i32,
    entry_id: String,
    kind: String,
    raw_text: String,
    start: i32,
    stop: i32,
}

from_row!(Postgres => PassageRow { doc, ordinal, entry_id, kind, raw_text, start, stop });

impl PostgresStore {
    /// Searches the vectors of a model. An entry is scored by its best
    /// passage, which the hit carries.
    pub async fn vector_search(
        &self,
        tenant: &str,
        request: VectorRequest,
    ) -> Result<Found, StoreError> {
        check_finite(&request.vector)?;
        let vector = Vector::from(request.vector.clone());
        let search = Search {
            tenant,
            request: &request,
            vector,
            walks_on: self.walks_on,
        };
        reading!(self, pool, {
            // One snapshot, so that hits and their texts belong together.
            let mut transaction = pool
                .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                .await
                .doing("begin a search")?;
            let hits = search.run(&mut transaction).await?;
            transaction.rollback().await.doing("end a search")?;
            Ok(Found::new(hits))
        })
    }
}

struct Search<'a> {
    tenant: &'a str,
    request: &'a VectorRequest,
    vector: Vector,
    /// Whether pgvector goes on walking until enough passes the filter.
    walks_on: bool,
}

impl Search<'_> {
    async fn run(&self, connection: &mut PgConnection) -> Result<Vec<Hit>, StoreError> {
        let model = known_model(connection, &self.request.model).await?;
        self.check_dimension(&model)?;
        if holds_nul(self.tenant) || self.request.limit == 0 {
            return Ok(Vec::new());
        }
        let compare_all = model.dimension > LARGEST_INDEXED || self.is_narrow(connection).await?;
        let near = if compare_all {
            self.compare(connection, &model).await?
        } else {
            self.walk(connection, &model).await?
        };
        self.hits(connection, &model, near).await
    }

    fn check_dimension(&self, model: &ModelRow) -> Result<(), StoreError> {
        let offered = self.request.vector.len();
        if i32::try_from(offered) == Ok(model.dimension) {
            return Ok(());
        }
        Err(StoreError::InvalidRequest {
            message: format!(
                "the question's vector has {offered} dimensions, those of `{}` have {}",
                model.name, model.dimension
            ),
        })
    }

    /// Adds the rest of `SELECT …`: the entries `e` that may be found, each
    /// with its vectors `v` of the model.
    fn push_allowed(&self, query: &mut QueryBuilder<Postgres>, join: &str) {
        query
            .push(" FROM enhanced_entries e ")
            .push(join)
            .push(" WHERE e.seq IS NOT NULL AND e.tenant = ")
            .push_bind(self.tenant.to_owned());
        push_filter(query, &self.request.filter);
    }

    /// Whether few enough entries may be found to compare them all.
    async fn is_narrow(&self, connection: &mut PgConnection) -> Result<bool, StoreError> {
        if self.request.filter.is_empty() {
            return self.is_small_tenant(connection).await;
        }
        // The planner would rather read the whole table than 5,001 rows by an
        // index.
        sqlx::query("SELECT set_config('enable_seqscan', 'off', true)")
            .execute(&mut *connection)
            .await
            .doing("set a search up")?;
        let mut query = QueryBuilder::new("SELECT count(*) FROM (SELECT 1");
        self.push_allowed(&mut query, "");
        query
            .push(" LIMIT ")
            .push_bind(COMPARED_ONE_BY_ONE + 1)
            .push(") AS passing");
        let count: i64 = query
            .build_query_scalar()
            .fetch_one(connection)
            .await
            .doing("count what a filter lets through")?;
        Ok(count <= COMPARED_ONE_BY_ONE)
    }

    /// By the counts that are kept for searches of words: counting takes
    /// longer than searching.
    async fn is_small_tenant(&self, connection: &mut PgConnection) -> Result<bool, StoreError> {
        let counted: Option<i64> =
            sqlx::query_scalar("SELECT documents FROM gannet_text_totals WHERE tenant = $1")
                .bind(self.tenant)
                .fetch_optional(connection)
                .await
                .doing("count the entries of a tenant")?;
        Ok(counted.unwrap_or(0) <= COMPARED_ONE_BY_ONE)
    }

    /// The best passage of every entry, compared one by one.
    async fn compare(
        &self,
        connection: &mut PgConnection,
        model: &ModelRow,
    ) -> Result<Vec<Near>, StoreError> {
        let mut query =
            QueryBuilder::new("WITH allowed AS MATERIALIZED (SELECT e.doc, e.kind, e.entry_id");
        self.push_allowed(&mut query, "");
        query
            .push(
                "), best AS (SELECT DISTINCT ON (a.doc) a.*, p.ordinal, \
                 p.embedding <=> ",
            )
            .push_bind(self.vector.clone())
            .push(
                " AS distance FROM allowed a JOIN gannet_passages p ON p.doc = a.doc \
                 AND p.model = ",
            )
            .push_bind(model.model)
            .push(
                " ORDER BY a.doc, distance, p.ordinal) \
                 SELECT doc, ordinal, distance FROM best \
                 ORDER BY distance, kind, entry_id COLLATE \"C\" LIMIT ",
            )
            .push_bind(as_i64(self.request.limit));
        query
            .build_query_as()
            .fetch_all(connection)
            .await
            .doing("compare vectors")
    }

    /// The best passages by the graph index, until they belong to enough
    /// entries.
    async fn walk(
        &self,
        connection: &mut PgConnection,
        model: &ModelRow,
    ) -> Result<Vec<Near>, StoreError> {
        let mut wanted = self
            .request
            .limit
            .saturating_mul(PASSAGES_PER_ENTRY)
            .max(16);
        loop {
            self.prepare_walk(connection, wanted).await?;
            let rows: Vec<Near> = self
                .walk_query(model, wanted)
                .build_query_as()
                .fetch_all(&mut *connection)
                .await
                .doing("search vectors")?;
            let is_everything = rows.len() < wanted;
            let best = best_of_each(rows);
            if is_everything || best.len() >= self.request.limit {
                return Ok(best);
            }
            wanted = wanted.saturating_mul(4);
        }
    }

    /// The planner does not know how dear the other ways are: it is told to
    /// take the index. All of it ends with the transaction.
    async fn prepare_walk(
        &self,
        connection: &mut PgConnection,
        wanted: usize,
    ) -> Result<(), StoreError> {
        let candidates = wanted.saturating_mul(2).clamp(CANDIDATES, MOST_CANDIDATES);
        let mut query = QueryBuilder::new(
            "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true), \
             set_config('hnsw.ef_search', ",
        );
        query.push_bind(candidates.to_string()).push(", true)");
        if self.walks_on {
            query.push(", set_config('hnsw.iterative_scan', 'relaxed_order', true)");
        }
        query
            .build()
            .execute(connection)
            .await
            .doing("set a search up")?;
        Ok(())
    }

    /// The form that the index answers: nothing but its own expression in
    /// ORDER BY, and the model's number written out, as in its condition.
    fn walk_query(&self, model: &ModelRow, wanted: usize) -> QueryBuilder<Postgres> {
        let (number, dimension) = (model.model, model.dimension);
        let mut query = QueryBuilder::new("SELECT p.doc, p.ordinal, p.embedding <=> ");
        query.push_bind(self.vector.clone()).push(" AS distance");
        let join = format!("JOIN gannet_passages p ON p.doc = e.doc AND p.model = {number}");
        self.push_allowed(&mut query, &join);
        query
            .push(format!(" ORDER BY p.embedding::halfvec({dimension}) <=> "))
            .push_bind(self.vector.clone())
            .push(format!("::halfvec({dimension}) LIMIT "))
            .push_bind(as_i64(wanted));
        query
    }

    async fn hits(
        &self,
        connection: &mut PgConnection,
        model: &ModelRow,
        near: Vec<Near>,
    ) -> Result<Vec<Hit>, StoreError> {
        let docs: Vec<i64> = near.iter().map(|near| near.doc).collect();
        let ordinals: Vec<i32> = near.iter().map(|near| near.ordinal).collect();
        let rows: Vec<PassageRow> = sqlx::query_as(
            "SELECT p.doc, p.ordinal, e.entry_id, e.kind, e.raw_text, p.\"start\", p.\"end\" AS stop \
             FROM unnest($2::bigint[], $3::integer[]) AS j (doc, ordinal) \
             JOIN gannet_passages p ON p.model = $1 AND p.doc = j.doc AND p.ordinal = j.ordinal \
             JOIN enhanced_entries e ON e.doc = p.doc",
        )
        .bind(model.model)
        .bind(docs)
        .bind(ordinals)
        .fetch_all(connection)
        .await
        .doing("read passages")?;
        let least = self.request.min_similarity.unwrap_or(f32::NEG_INFINITY);
        let mut hits: Vec<Hit> = rows
            .into_iter()
            .filter_map(|row| {
                let near = near.iter().find(|near| near.doc == row.doc)?;
                let cosine = 1.0 - near.distance;
                (cosine >= f64::from(least)).then(|| hit_of(row, cosine))
            })
            .collect();
        sort_hits(&mut hits);
        hits.truncate(self.request.limit);
        Ok(hits)
    }
}

/// The best passage of each entry, best first.
fn best_of_each(mut rows: Vec<Near>) -> Vec<Near> {
    rows.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut seen = std::collections::HashSet::new();
    rows.retain(|row| seen.insert(row.doc));
    rows
}

fn hit_of(row: PassageRow, cosine: f64) -> Hit {
    let passage = passage(row.ordinal, row.start, row.stop, &row.raw_text);
    let mut hit = Hit::new(row.entry_id, row.kind, cosine, ScoreKind::Cosine);
    hit.passage = passage;
    hit
}
