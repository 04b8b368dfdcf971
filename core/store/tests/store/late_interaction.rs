//! Scores of entries by their words.

use crate::common::postgres::Database;
use crate::common::vectors::{model, search_vectors};
use crate::common::{entry, fresh};
use gannet_api::{Enhanced, PassageEmbedding, PassageEmbeddings, Patch, push_signs};
use gannet_store::{LateInteraction, Store, StoreError, StoreOptions, TokenRecords, WorkedOn};

const MODEL: &str = "words";
const DIMENSION: usize = 4;

type Vector = [f32; DIMENSION];

const PUMP: Vector = [1.0, 1.0, 1.0, 1.0];
const LEAK: Vector = [1.0, 1.0, -1.0, -1.0];
const BEAM: Vector = [-1.0, 1.0, -1.0, 1.0];

/// A passage of words with these vectors; `None` without token vectors.
fn passage(words: Option<&[Vector]>) -> PassageEmbedding {
    let signs = words.map(|words| {
        let mut signs = Vec::new();
        words.iter().for_each(|word| push_signs(word, &mut signs));
        signs
    });
    PassageEmbedding::new(0..4, vec![0.5; DIMENSION]).with_token_signs(signs)
}

async fn save(store: &Store, index: usize, passages: Vec<PassageEmbedding>) {
    let patch =
        Patch::default().with_embeddings(PassageEmbeddings::new(MODEL.to_owned(), passages));
    let enhanced = Enhanced::new(format!("e{index}"), Ok(patch));
    let outcomes = vec![(WorkedOn::from("default"), enhanced)];
    store
        .save_enhanced("text_embedding", outcomes)
        .await
        .unwrap();
}

/// `e0` has two passages, `e1` one, `e2` a vector without token vectors, `e3`
/// none; `e4` has no words.
async fn filled(store: &Store) {
    store
        .register_model(&model(MODEL, DIMENSION))
        .await
        .unwrap();
    let texts = [
        "pump leak",
        "the beam",
        "pump beam",
        "pumps",
        "pumping of it",
    ];
    let entries = texts.iter().enumerate();
    let entries = entries.map(|(index, text)| entry(index, text));
    store.upsert(entries.collect()).await.unwrap();
    save(
        store,
        0,
        vec![passage(Some(&[LEAK, BEAM])), passage(Some(&[PUMP]))],
    )
    .await;
    save(store, 1, vec![passage(Some(&[BEAM]))]).await;
    save(store, 2, vec![passage(None)]).await;
    save(store, 4, vec![passage(Some(&[]))]).await;
    store.flush().await.unwrap();
}

fn question(words: &[(&str, Vector)]) -> LateInteraction {
    LateInteraction {
        words: words.iter().map(|(word, _)| (*word).to_owned()).collect(),
        vectors: words.iter().flat_map(|(_, vector)| *vector).collect(),
    }
}

/// What the store holds of entries.
async fn records(store: &Store, tenant: &str, model: &str, ids: &[&str]) -> TokenRecords {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    store.token_records(tenant, model, &ids).await.unwrap()
}

async fn scores(store: &Store, words: &[(&str, Vector)], ids: &[&str]) -> Vec<Option<f64>> {
    let question = question(words);
    let idfs = store.idfs("default", &question.words).await.unwrap();
    let records = records(store, "default", MODEL, ids).await;
    question.scores(&idfs, &records).unwrap()
}

/// What the formula gives for five entries, of which four have `pump` and two
/// `beam`.
fn idf(entries_with_it: f64) -> f64 {
    (1.0 + (5.0 - entries_with_it + 0.5) / (entries_with_it + 0.5)).ln()
}

fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
}

over_every_store!(
    an_entry_has_the_score_of_its_best_passage_weighted_by_the_idf_of_the_stems,
    entries_without_token_vectors_have_no_score,
    new_text_loses_the_token_vectors,
    token_vectors_are_counted_by_passage,
    a_question_whose_vectors_are_not_whole_is_refused,
    token_vectors_of_other_dimensions_fail_their_entry,
);

async fn an_entry_has_the_score_of_its_best_passage_weighted_by_the_idf_of_the_stems(store: Store) {
    filled(&store).await;
    let question = [("pumps", PUMP), ("beam", BEAM)];
    let found = scores(&store, &question, &["e1", "e0"]).await;
    let (pump, beam) = (idf(4.0), idf(2.0));
    // PUMP · BEAM = 0. The passage of LEAK and BEAM has BEAM alone, that of
    // PUMP has PUMP alone.
    assert_near(found[0], beam / (pump + beam));
    assert_near(found[1], (beam / (pump + beam)).max(pump / (pump + beam)));
    let found = scores(&store, &[("leak", LEAK)], &["e0", "e1"]).await;
    assert_near(found[0], 1.0);
    assert_near(found[1], 0.0);
}

async fn entries_without_token_vectors_have_no_score(store: Store) {
    filled(&store).await;
    let ids = ["e2", "e3", "e4", "nobody", "e\0", "e1"];
    let found = scores(&store, &[("beam", BEAM)], &ids).await;
    assert_eq!(found[..5], [None; 5]);
    assert_near(found[5], 1.0);
    let beam = question(&[("beam", BEAM)]);
    for (tenant, model) in [("default", "unknown"), ("other", MODEL)] {
        let records = records(&store, tenant, model, &["e1"]).await;
        assert_eq!(beam.scores(&[1.0], &records).unwrap(), [None]);
    }
}

async fn new_text_loses_the_token_vectors(store: Store) {
    filled(&store).await;
    store.upsert(vec![entry(1, "no beam")]).await.unwrap();
    store.flush().await.unwrap();
    let found = scores(&store, &[("beam", BEAM)], &["e1"]).await;
    assert_eq!(found, [None]);
    assert_eq!(store.stats().await.unwrap().token_vectors[MODEL], 3);
    save(&store, 1, vec![passage(Some(&[LEAK, BEAM]))]).await;
    store.flush().await.unwrap();
    let found = scores(&store, &[("beam", BEAM)], &["e1"]).await;
    assert_near(found[0], 1.0);
}

async fn token_vectors_are_counted_by_passage(store: Store) {
    filled(&store).await;
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.vectors[MODEL], 5);
    assert_eq!(stats.token_vectors[MODEL], 4);
    store.forget_model(MODEL).await.unwrap();
    store
        .register_model(&model(MODEL, DIMENSION))
        .await
        .unwrap();
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.token_vectors[MODEL], 0);
}

async fn a_question_whose_vectors_are_not_whole_is_refused(store: Store) {
    filled(&store).await;
    let records = records(&store, "default", MODEL, &["e1"]).await;
    let mut cut = question(&[("beam", BEAM)]);
    cut.vectors.pop();
    let mut broken = question(&[("beam", BEAM)]);
    broken.vectors[2] = f32::NAN;
    for question in [cut, broken] {
        let refused = question.scores(&[1.0], &records);
        let is_refused = matches!(refused, Err(StoreError::InvalidRequest { .. }));
        assert!(is_refused, "{refused:?}");
    }
}

async fn token_vectors_of_other_dimensions_fail_their_entry(store: Store) {
    filled(&store).await;
    let mut broken = passage(Some(&[PUMP]));
    broken.token_signs = Some(vec![0; 9]);
    save(&store, 3, vec![broken]).await;
    store.flush().await.unwrap();
    assert_eq!(store.stats().await.unwrap().vectors[MODEL], 5);
    let counts = store.enhancement_counts().await.unwrap();
    assert_eq!(counts["text_embedding"].failed, 1);
}

#[tokio::test]
async fn every_store_gives_the_same_scores() {
    let Some(database) = Database::create().await else {
        return;
    };
    let (_folder, embedded) = fresh().await;
    let folder = tempfile::tempdir().unwrap();
    let postgres = database.store().await;
    filled(&embedded).await;
    filled(&postgres).await;
    let replica = database.mirrored(folder.path()).await;
    replica.flush().await.unwrap();
    let question = [
        ("pump", PUMP),
        ("beams", [0.3, 0.1, -0.7, 0.2]),
        ("x", LEAK),
    ];
    let ids = ["e4", "e3", "e2", "e1", "e0"];
    let expected = scores(&embedded, &question, &ids).await;
    assert_eq!(expected.iter().flatten().count(), 2);
    for store in [&postgres, &replica] {
        for (found, expected) in scores(store, &question, &ids).await.iter().zip(&expected) {
            match expected {
                Some(expected) => assert_near(*found, *expected),
                None => assert_eq!(*found, None),
            }
        }
    }
    database.drop_if_there().await;
}

#[tokio::test]
async fn a_folder_from_before_is_migrated_and_has_no_scores_until_it_is_enhanced() {
    let (folder, store) = fresh().await;
    filled(&store).await;
    store.close().await.unwrap();
    let path = folder.path().join("store.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let database = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql(
        "CREATE TABLE before (model INTEGER NOT NULL, doc INTEGER NOT NULL, \
             ordinal INTEGER NOT NULL, start INTEGER NOT NULL, \"end\" INTEGER NOT NULL, \
             text_hash INTEGER NOT NULL, vector BLOB NOT NULL, \
             PRIMARY KEY (model, doc, ordinal)) WITHOUT ROWID; \
         INSERT INTO before SELECT model, doc, ordinal, start, \"end\", text_hash, vector \
             FROM embeddings; \
         DROP TABLE embeddings; ALTER TABLE before RENAME TO embeddings; \
         ALTER TABLE entry_vectors DROP COLUMN with_tokens; \
         ALTER TABLE entries DROP COLUMN checksum; \
         DROP TABLE plugin_state; ALTER TABLE ingestion_runs DROP COLUMN deleted; \
         DELETE FROM _sqlx_migrations WHERE version >= 3; PRAGMA user_version = 2",
    )
    .execute(&database)
    .await
    .unwrap();
    database.close().await;

    let store = Store::open(StoreOptions::at(folder.path())).await.unwrap();
    let found = scores(&store, &[("beam", BEAM)], &["e0", "e1"]).await;
    assert_eq!(found, [None, None]);
    let near = search_vectors(&store, MODEL, &[0.5; DIMENSION], 10).await;
    assert_eq!(near.hits.len(), 4);
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.vectors[MODEL], stats.token_vectors[MODEL]), (5, 0));
    save(&store, 1, vec![passage(Some(&[BEAM]))]).await;
    let found = scores(&store, &[("beam", BEAM)], &["e0", "e1"]).await;
    assert_eq!(found[0], None);
    assert_near(found[1], 1.0);
}
