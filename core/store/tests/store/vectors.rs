//! Vector search: the same over every kind of store.
use crate::common::filtering::{entries, filters};
use crate::common::postgres::Database;
use crate::common::{entry, ids};
use gannet_api::{
    Condition, EmbeddingModel, Enhanced, Entry, Filter, FilterField, Found, PassageEmbedding,
    PassageEmbeddings, Patch,
};
use gannet_store::{ListRequest, Store, StoreError, VectorRequest, WorkedOn};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};

over_every_store![
    an_entry_is_found_by_its_best_passage,
    vectors_obey_filters_and_tenants,
    vectors_of_deleted_and_rewritten_entries_are_gone,
    a_question_that_cannot_be_answered_is_refused,
    the_nearest_under_a_filter_are_those_that_a_comparison_finds,
];

fn model(dimension: usize) -> EmbeddingModel {
    EmbeddingModel::new("tiny", dimension, 10).with_variant("f32")
}

fn embedded(entry: &Entry, passages: &[&[f32]]) -> (WorkedOn, Enhanced) {
    let passages = passages
        .iter()
        .enumerate()
        .map(|(ordinal, vector)| PassageEmbedding::new(ordinal..ordinal + 4, vector.to_vec()))
        .collect();
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new("tiny", passages));
    let enhanced = Enhanced::new(entry.entry_id.clone(), Ok(patch));
    (WorkedOn::entry(entry), enhanced)
}

fn nearest(vector: &[f32], limit: usize) -> VectorRequest {
    VectorRequest {
        model: "tiny".to_owned(),
        vector: vector.to_vec(),
        filter: Filter::none(),
        limit,
        min_similarity: None,
    }
}

async fn search(store: &Store, request: VectorRequest) -> Found {
    store.vector_search("default", request).await.unwrap()
}

async fn with_vectors(store: &Store) {
    store.register_model(&model(2)).await.unwrap();
    let entries: Vec<Entry> = (0..4)
        .map(|index| {
            let mut entry = entry(index, "ärger beam lost");
            entry.author = if index % 2 == 0 { "Anna" } else { "Berg" }.to_owned();
            entry
        })
        .collect();
    store.upsert(entries.clone()).await.unwrap();
    let outcomes = vec![
        embedded(&entries[0], &[&[0.0, 1.0], &[0.1, 0.9], &[0.6, 0.8]]),
        embedded(&entries[1], &[&[1.0, 0.0], &[0.8, 0.6]]),
        embedded(&entries[2], &[&[0.8, 0.6]]),
        embedded(&entries[3], &[&[-1.0, 0.0]]),
    ];
    store.save_enhanced("v", outcomes).await.unwrap();
    store.flush().await.unwrap();
}

async fn an_entry_is_found_by_its_best_passage(store: Store) {
    with_vectors(&store).await;
    let found = search(&store, nearest(&[1.0, 0.0], 10)).await;
    assert_eq!(ids(&found), ["e1", "e2", "e0", "e3"]);
    let passage = found.hits[2].passage.as_ref().unwrap();
    assert_eq!((passage.ordinal, passage.text.as_str()), (2, "rger"));
    assert!((found.hits[2].score - 0.6).abs() < 1e-3);
    assert_eq!(
        ids(&search(&store, nearest(&[1.0, 0.0], 2)).await),
        ["e1", "e2"]
    );
    let mut similar = nearest(&[1.0, 0.0], 10);
    similar.min_similarity = Some(0.7);
    assert_eq!(ids(&search(&store, similar).await), ["e1", "e2"]);
}

async fn vectors_obey_filters_and_tenants(store: Store) {
    with_vectors(&store).await;
    let mut by_anna = nearest(&[1.0, 0.0], 10);
    let anna = Condition::Contains("ANN".to_owned());
    by_anna.filter = by_anna.filter.and(FilterField::Author, anna);
    assert_eq!(ids(&search(&store, by_anna.clone()).await), ["e2", "e0"]);
    let theirs = store.vector_search("other", nearest(&[1.0, 0.0], 10)).await;
    assert!(theirs.unwrap().hits.is_empty());
    let mut changed = entry(0, "ärger beam lost");
    changed.author = "Berg".to_owned();
    store.upsert(vec![changed]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(ids(&search(&store, by_anna).await), ["e2"]);
}

async fn vectors_of_deleted_and_rewritten_entries_are_gone(store: Store) {
    with_vectors(&store).await;
    store.delete("default", &["e1".to_owned()]).await.unwrap();
    store.upsert(vec![entry(2, "another text")]).await.unwrap();
    store.flush().await.unwrap();
    assert_eq!(
        ids(&search(&store, nearest(&[1.0, 0.0], 10)).await),
        ["e0", "e3"]
    );
}

async fn a_question_that_cannot_be_answered_is_refused(store: Store) {
    with_vectors(&store).await;
    let wrong = store.vector_search("default", nearest(&[1.0], 1)).await;
    assert!(matches!(wrong, Err(StoreError::InvalidRequest { .. })));
    let mut unknown = nearest(&[1.0], 1);
    unknown.model = "no".to_owned();
    let unknown = store.vector_search("default", unknown).await;
    assert!(matches!(unknown, Err(StoreError::UnknownModel { .. })));
}

/// Vectors on a circle, no two in one direction.
fn on_circle(index: usize) -> [f32; 2] {
    let (sine, cosine) = (index as f32 * 0.37).sin_cos();
    [cosine, sine]
}

async fn the_nearest_under_a_filter_are_those_that_a_comparison_finds(store: Store) {
    store.register_model(&model(2)).await.unwrap();
    let written = entries();
    store.upsert(written.clone()).await.unwrap();
    let vectors: Vec<[f32; 2]> = (0..written.len()).map(on_circle).collect();
    let outcomes = written.iter().zip(&vectors);
    let outcomes = outcomes
        .map(|(entry, vector)| embedded(entry, &[vector]))
        .collect();
    store.save_enhanced("v", outcomes).await.unwrap();
    store.flush().await.unwrap();
    // As it is kept: a store may not be able to keep every character.
    let kept = store
        .list("default", ListRequest::newest(1_000))
        .await
        .unwrap();
    let question = on_circle(1_000);
    let cosine = |entry: &Entry| {
        let same = |one: &Entry| one.tenant == entry.tenant && one.entry_id == entry.entry_id;
        let vector = vectors[written.iter().position(same).unwrap()];
        vector[0] * question[0] + vector[1] * question[1]
    };
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::default()
    });
    for _ in 0..200 {
        let filter = filters().new_tree(&mut runner).unwrap().current();
        let mut expected: Vec<&Entry> = kept
            .entries
            .iter()
            .filter(|entry| filter.matches(entry))
            .collect();
        expected.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
        let expected: Vec<&str> = expected
            .iter()
            .take(5)
            .map(|entry| entry.entry_id.as_str())
            .collect();
        let request = VectorRequest {
            filter: filter.clone(),
            ..nearest(&question, 5)
        };
        assert_eq!(ids(&search(&store, request).await), expected, "{filter:?}");
    }
}

/// More entries than are compared one by one, with vectors of 8 dimensions
/// made in the database.
async fn many(database: &Database) -> Store {
    let store = database.store().await;
    store.register_model(&model(8)).await.unwrap();
    let entries = (0..8_000).map(|index| {
        let mut entry = entry(index, "text");
        entry.author = ["often", "rare"][usize::from(index % 100 == 0)].to_owned();
        entry
    });
    store.upsert(entries.collect()).await.unwrap();
    database
        .run(
            "INSERT INTO gannet_passages (model, doc, ordinal, \"start\", \"end\", text_hash, embedding) \
             SELECT m.model, e.doc, 0, 0, 4, e.text_hash, (SELECT array_agg( \
                 sin(e.doc * 12.9898 + n * 78.233) * cos(e.doc * 0.731 * n))::real[]::vector \
                 FROM generate_series(1, 8) n) FROM enhanced_entries e, gannet_models m; \
             INSERT INTO gannet_entry_vectors (model, doc, passages, seq) \
             SELECT model, doc, 1, 1 FROM gannet_passages; ANALYZE",
        )
        .await;
    store
}

#[tokio::test]
async fn many_vectors_are_searched_by_their_index_and_few_are_compared() {
    let Some(database) = Database::create().await else {
        return;
    };
    let store = many(&database).await;
    let question = [0.5, -0.2, 0.1, 0.9, -0.7, 0.3, 0.2, -0.4];
    for (author, least) in [("often", 18), ("rare", 20)] {
        let equals = Condition::Equals(author.to_owned());
        let request = VectorRequest {
            filter: Filter::none().and(FilterField::Author, equals),
            ..nearest(&question, 20)
        };
        let found = store.vector_search("default", request).await.unwrap();
        let truth: Vec<String> = sqlx::query_scalar(
            "SELECT e.entry_id FROM enhanced_entries e JOIN gannet_passages p ON p.doc = e.doc \
             WHERE e.author = $1 ORDER BY p.embedding <=> $2::real[]::vector LIMIT 20",
        )
        .bind(author)
        .bind(&question[..])
        .fetch_all(&mut database.connect().await)
        .await
        .unwrap();
        let right = found
            .hits
            .iter()
            .filter(|hit| truth.contains(&hit.entry_id));
        let right = right.count();
        assert!(right >= least, "{author}: {right} of 20");
    }
    store.close().await.unwrap();
    assert_eq!(scans_of_the_index(&database).await, 1);
    database.drop_if_there().await;
}

/// How often the index over the vectors was used. A connection tells it when
/// it ends, which takes a moment.
async fn scans_of_the_index(database: &Database) -> i64 {
    let mut connection = database.connect().await;
    for _ in 0..200 {
        let (scans, others): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname LIKE 'gannet_vectors_%'), \
             (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
              AND pid <> pg_backend_pid() AND pg_sleep(0.02) IS NOT NULL)",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        if scans > 0 || others == 0 {
            return scans;
        }
    }
    panic!("the connections of the store do not end");
}
