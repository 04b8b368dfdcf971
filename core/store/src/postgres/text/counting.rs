//! Counting in how many entries each term is.
//!
//! Counts are needed for ranking alone, where a few percent do not matter. So
//! they follow: new entries are counted some thousands at a time, and all of
//! them anew when many were changed or deleted. That costs a bulk load less
//! than a tenth; counting with every write would double its time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::PgConnection;

use crate::error::{DatabaseContext, StoreError};
use crate::postgres::PostgresStore;
use crate::postgres::models::unlimit;
use crate::postgres::retry::again;

/// So many new entries are counted at the latest.
const MOST_UNCOUNTED: u64 = 20_000;
/// New entries are counted when they are this part of all.
const UNCOUNTED_PART: u64 = 4;
/// All is counted anew when this part of it was changed or deleted.
const CHANGED_PART: i64 = 5;
/// "GNNC" in ASCII. One process at a time holds it while it counts.
const LOCK: i64 = 0x474e_4e43;

/// What this process knows of the counts.
#[derive(Debug, Clone, Default)]
pub(in crate::postgres) struct Counting {
    counted: Arc<AtomicU64>,
    uncounted: Arc<AtomicU64>,
}

impl Counting {
    async fn note(&self, connection: &mut PgConnection) -> Result<(), StoreError> {
        let counted: i64 = sqlx::query_scalar(DOCUMENTS)
            .fetch_one(connection)
            .await
            .doing("count words")?;
        self.counted
            .store(counted.unsigned_abs(), Ordering::Relaxed);
        self.uncounted.store(0, Ordering::Relaxed);
        Ok(())
    }
}

const DOCUMENTS: &str = "SELECT coalesce(sum(documents), 0)::bigint FROM gannet_text_totals";

impl PostgresStore {
    /// Counts new entries in the background when enough have come together.
    pub(in crate::postgres) fn count_when_due(&self, added: u64) {
        let counting = &self.counting;
        let uncounted = counting.uncounted.fetch_add(added, Ordering::Relaxed) + added;
        let part = counting.counted.load(Ordering::Relaxed) / UNCOUNTED_PART;
        if uncounted == 0 || uncounted < part.min(MOST_UNCOUNTED) {
            return;
        }
        counting.uncounted.store(0, Ordering::Relaxed);
        let store = self.clone();
        tokio::spawn(async move {
            // The next flush counts them otherwise.
            if let Err(error) = store.count_new().await {
                tracing::debug!(%error, "new entries are not counted yet");
            }
        });
    }

    /// Counts what is new, and all of it where much was changed.
    pub(in crate::postgres) async fn count_terms(&self) -> Result<(), StoreError> {
        self.count_up(true).await
    }

    async fn count_new(&self) -> Result<(), StoreError> {
        self.count_up(false).await
    }

    async fn count_up(&self, may_count_anew: bool) -> Result<(), StoreError> {
        again!({
            let mut transaction = self.pool.begin().await.doing("count words")?;
            let state = begin(&mut transaction).await?;
            if may_count_anew && is_outdated(&mut transaction, &state).await? {
                count_anew(&mut transaction, &state).await?;
            } else {
                add_new(&mut transaction, &state).await?;
            }
            self.counting.note(&mut transaction).await?;
            transaction.commit().await.doing("count words")
        })
    }
}

/// How far counting got.
#[derive(Debug)]
struct State {
    /// The last change whose entries are counted.
    reached: i64,
    /// The last change at which all was counted anew; below 0 when all must
    /// be, because a migration changed the terms.
    anew: i64,
    /// The last change there is.
    last: i64,
    /// Entries counted.
    documents: i64,
}

from_row!(Postgres => State { reached, anew, last, documents });

async fn begin(connection: &mut PgConnection) -> Result<State, StoreError> {
    unlimit(connection).await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .execute(&mut *connection)
        .await
        .doing("wait for another process that counts words")?;
    sqlx::query_as(
        "SELECT c.reached, c.anew, (SELECT last FROM gannet_sequence) AS last, \
         (SELECT coalesce(sum(documents), 0) FROM gannet_text_totals)::bigint AS documents \
         FROM gannet_text_counted c",
    )
    .fetch_one(connection)
    .await
    .doing("read how far words are counted")
}

/// Whether so many counted entries were changed or deleted since all was
/// counted that the counts are wrong.
async fn is_outdated(connection: &mut PgConnection, state: &State) -> Result<bool, StoreError> {
    if state.anew < 0 {
        return Ok(true);
    }
    let changed: i64 = sqlx::query_scalar(
        "SELECT (SELECT count(*) FROM enhanced_entries WHERE seq > $1 AND created_seq <= $2 \
                 AND seq > created_seq) \
             + (SELECT count(*) FROM gannet_tombstones WHERE seq > $1)",
    )
    .bind(state.anew)
    .bind(state.reached)
    .fetch_one(connection)
    .await
    .doing("count changed entries")?;
    Ok(changed > 0 && changed * CHANGED_PART >= state.documents)
}

async fn count_anew(connection: &mut PgConnection, state: &State) -> Result<(), StoreError> {
    sqlx::raw_sql("DELETE FROM gannet_terms; DELETE FROM gannet_text_totals")
        .execute(&mut *connection)
        .await
        .doing("recount words")?;
    add_between(connection, 0, state.last).await?;
    sqlx::query("UPDATE gannet_text_counted SET reached = $1, anew = $1")
        .bind(state.last)
        .execute(connection)
        .await
        .doing("note how far words are counted")?;
    Ok(())
}

async fn add_new(connection: &mut PgConnection, state: &State) -> Result<(), StoreError> {
    if state.last == state.reached {
        return Ok(());
    }
    add_between(connection, state.reached, state.last).await?;
    sqlx::query("UPDATE gannet_text_counted SET reached = $1")
        .bind(state.last)
        .execute(connection)
        .await
        .doing("note how far words are counted")?;
    Ok(())
}

/// Adds entries whose first change is after `reached` and not after `last`.
async fn add_between(
    connection: &mut PgConnection,
    reached: i64,
    last: i64,
) -> Result<(), StoreError> {
    for statement in [ADD_TERMS, ADD_TOTALS] {
        sqlx::query(statement)
            .bind(reached)
            .bind(last)
            .execute(&mut *connection)
            .await
            .doing("count words")?;
    }
    Ok(())
}

const ADD_TERMS: &str = "INSERT INTO gannet_terms AS t \
    SELECT e.tenant, w.lexeme, count(*), count(*) FILTER (WHERE 'A' = ANY (w.weights)), \
        count(*) FILTER (WHERE 'B' = ANY (w.weights)), \
        count(*) FILTER (WHERE 'C' = ANY (w.weights)) \
    FROM enhanced_entries e, unnest(e.terms) w \
    WHERE e.created_seq > $1 AND e.created_seq <= $2 AND e.seq IS NOT NULL \
    GROUP BY e.tenant, w.lexeme \
    ON CONFLICT (tenant, term) DO UPDATE SET documents = t.documents + excluded.documents, \
        in_title = t.in_title + excluded.in_title, \
        in_keywords = t.in_keywords + excluded.in_keywords, \
        in_author = t.in_author + excluded.in_author";

const ADD_TOTALS: &str = "INSERT INTO gannet_text_totals AS t \
    SELECT tenant, count(*), sum(lengths[1]), sum(lengths[2]), sum(lengths[3]), sum(lengths[4]) \
    FROM enhanced_entries WHERE created_seq > $1 AND created_seq <= $2 AND seq IS NOT NULL \
    GROUP BY tenant \
    ON CONFLICT (tenant) DO UPDATE SET documents = t.documents + excluded.documents, \
        words = t.words + excluded.words, title_words = t.title_words + excluded.title_words, \
        keyword_words = t.keyword_words + excluded.keyword_words, \
        author_words = t.author_words + excluded.author_words";
