//! Searches of vectors in PostgreSQL: time, and how many of the ten nearest
//! are found.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use gannet_api::{Condition, EmbeddingModel, Filter, FilterField, TimeRange};
use gannet_store::{Store, VectorRequest};
use jiff::Timestamp;
use pgvector::Vector;
use sqlx::{AssertSqlSafe, PgConnection};

use crate::corpus::entry;
use crate::corpus::vectors::{DIMENSION, Vectors, dot};
use crate::report;

const NEAREST: usize = 10;

/// Loads vectors and measures; returns the questions.
pub async fn measure(
    store: &Store,
    plain: &mut PgConnection,
    entries: usize,
    queries: usize,
) -> Vec<Vec<f32>> {
    let model = EmbeddingModel::new("bench", DIMENSION, 256).with_variant("random");
    store.register_model(&model).await.unwrap();
    let mut source = Vectors::new(entries);
    let vectors: Vec<Vec<f32>> = (0..entries).map(|_| source.row()).collect();
    load(plain, &vectors).await;
    let questions: Vec<Vec<f32>> = (0..queries).map(|_| source.row()).collect();

    let everything = 0..entries;
    let found = search(store, &questions, &Filter::none()).await;
    let recall = recall(&found.ids, &questions, &vectors, everything);
    report(
        &format!("vectors, all: gannet (recall@10 {recall:.3})"),
        found.times,
    );
    // A week in a hundred.
    let first = entries / 2;
    let week = first..first + entries / 100;
    let found = search(store, &questions, &between(&week)).await;
    let recall = self::recall(&found.ids, &questions, &vectors, week);
    report(
        &format!("vectors, 1 % of the dates: gannet (recall@10 {recall:.3})"),
        found.times,
    );
    let mut times = Vec::new();
    for question in questions.iter().take(20) {
        let begun = Instant::now();
        sqlx::query(ARIEL)
            .bind(Vector::from(question.clone()))
            .fetch_all(&mut *plain)
            .await
            .unwrap();
        times.push(begun.elapsed());
    }
    report("vectors, all: ARIEL's statement", times);
    questions
}

/// How long the questions take.
pub async fn times(store: &Store, questions: &[Vec<f32>]) -> Vec<Duration> {
    search(store, questions, &Filter::none()).await.times
}

/// ARIEL orders by an expression that no index over vectors answers.
const ARIEL: &str = "SELECT e.entry_id, 1 - (p.embedding <=> $1) AS similarity \
    FROM enhanced_entries e JOIN gannet_passages p ON p.doc = e.doc \
    WHERE 1 - (p.embedding <=> $1) >= 0.0 ORDER BY similarity DESC LIMIT 10";

/// Puts the vectors beside the entries, and makes the index over them.
async fn load(plain: &mut PgConnection, vectors: &[Vec<f32>]) {
    let begun = Instant::now();
    let index: String = sqlx::query_scalar("SELECT pg_get_indexdef('gannet_vectors_1'::regclass)")
        .fetch_one(&mut *plain)
        .await
        .unwrap();
    run(plain, "DROP INDEX gannet_vectors_1").await;
    for (chunk, first) in vectors.chunks(2_000).zip((0..).step_by(2_000)) {
        let ids: Vec<String> = (first..first + chunk.len())
            .map(|index| entry(index).entry_id)
            .collect();
        let chunk: Vec<Vector> = chunk.iter().cloned().map(Vector::from).collect();
        sqlx::query(
            "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, \
             embedding) SELECT 1, e.doc, 0, 0, length(e.raw_text), e.text_hash, n.embedding \
             FROM unnest($1::text[], $2::vector[]) AS n (id, embedding) \
             JOIN enhanced_entries e ON e.entry_id = n.id",
        )
        .bind(ids)
        .bind(chunk)
        .execute(&mut *plain)
        .await
        .unwrap();
    }
    let loaded = begun.elapsed();
    let begun = Instant::now();
    run(plain, "SET maintenance_work_mem = '1GB'").await;
    run(plain, &index).await;
    run(
        plain,
        "INSERT INTO gannet_entry_vectors (model, doc, passages, seq) \
         SELECT 1, doc, 1, seq FROM enhanced_entries; ANALYZE",
    )
    .await;
    println!(
        "{} vectors written in {:.0} s, their index made in {:.0} s",
        vectors.len(),
        loaded.as_secs_f64(),
        begun.elapsed().as_secs_f64()
    );
}

async fn run(plain: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))
        .execute(plain)
        .await
        .unwrap();
}

struct Searches {
    times: Vec<Duration>,
    ids: Vec<Vec<String>>,
}

async fn search(store: &Store, questions: &[Vec<f32>], filter: &Filter) -> Searches {
    let mut searches = Searches {
        times: Vec::new(),
        ids: Vec::new(),
    };
    for question in questions {
        let request = VectorRequest {
            model: "bench".to_owned(),
            vector: question.clone(),
            filter: filter.clone(),
            limit: NEAREST,
            min_similarity: None,
        };
        let begun = Instant::now();
        let found = store.vector_search("default", request).await.unwrap();
        searches.times.push(begun.elapsed());
        searches
            .ids
            .push(found.hits.into_iter().map(|hit| hit.entry_id).collect());
    }
    searches
}

fn between(entries: &std::ops::Range<usize>) -> Filter {
    let logged = |index: usize| -> Option<Timestamp> { Some(entry(index).timestamp) };
    let range = TimeRange {
        from: logged(entries.start),
        until: logged(entries.end),
    };
    Filter::none().and(FilterField::Timestamp, Condition::Time(range))
}

/// How many of the nearest entries were found.
fn recall(
    found: &[Vec<String>],
    questions: &[Vec<f32>],
    vectors: &[Vec<f32>],
    allowed: std::ops::Range<usize>,
) -> f64 {
    let mut hits = 0;
    for (found, question) in found.iter().zip(questions) {
        let mut nearest: Vec<(f32, usize)> = allowed
            .clone()
            .map(|index| (dot(&vectors[index], question), index))
            .collect();
        nearest.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let nearest: HashSet<String> = nearest[..NEAREST]
            .iter()
            .map(|&(_, index)| entry(index).entry_id)
            .collect();
        hits += found.iter().filter(|id| nearest.contains(*id)).count();
    }
    hits as f64 / (found.len() * NEAREST) as f64
}
