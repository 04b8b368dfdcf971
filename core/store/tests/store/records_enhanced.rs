//! Enhancement status, patches and models: the same over every kind of store.
use crate::common::{entry, timeless};
use gannet_api::{
    Condition, EmbeddingModel, Enhanced, EnhancementStatus, Entry, Filter, FilterField,
    PassageEmbedding, PassageEmbeddings, Patch,
};
use gannet_store::{ListRequest, StatusCounts, Store, StoreError, WorkedOn};
use serde_json::{Map, Value, json};

over_every_store![
    pending_entries_come_oldest_first_and_once,
    work_on_a_text_that_changed_meanwhile_is_not_kept,
    a_failed_entry_waits_before_it_comes_back,
    a_new_text_is_enhanced_anew_and_other_changes_are_not,
    a_new_text_forgets_what_was_made_from_the_old_one,
    what_an_enhancer_adds_can_be_filtered_on,
    entries_that_went_away_meanwhile_are_left_out,
    a_reset_module_begins_again,
    a_model_that_changes_is_refused,
    a_vector_of_another_dimension_is_refused_with_its_batch,
    vectors_are_counted_by_model,
];

fn ids(entries: &[Entry]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| entry.entry_id.as_str())
        .collect()
}

fn outcome(index: usize, outcome: Result<Patch, String>) -> (WorkedOn, Enhanced) {
    let entry_id = format!("e{index}");
    ("default".into(), Enhanced::new(entry_id, outcome))
}

fn done(index: usize) -> (WorkedOn, Enhanced) {
    outcome(index, Ok(Patch::default()))
}

fn failed(index: usize) -> (WorkedOn, Enhanced) {
    outcome(index, Err("the model is away".to_owned()))
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn described(index: usize) -> (WorkedOn, Enhanced) {
    let patch = Patch::default()
        .with_keywords(vec!["klystron".to_owned()])
        .with_summary("short".to_owned())
        .with_metadata(object(
            json!({"devices": ["SR:C03", "SR:C04"], "shift": "Owl"}),
        ));
    outcome(index, Ok(patch))
}

fn embedded(index: usize, model: &str, vectors: &[&[f32]]) -> (WorkedOn, Enhanced) {
    let passages = vectors
        .iter()
        .enumerate()
        .map(|(ordinal, vector)| PassageEmbedding::new(ordinal..ordinal + 1, vector.to_vec()));
    let patch = Patch::default().with_embeddings(PassageEmbeddings::new(model, passages.collect()));
    outcome(index, Ok(patch))
}

fn model(name: &str, variant: &str, dimension: usize) -> EmbeddingModel {
    EmbeddingModel::new(name, dimension, 10).with_variant(variant)
}

async fn with_entries(store: &Store, count: usize) {
    let entries = (0..count).map(|index| entry(index, "text")).collect();
    store.upsert(entries).await.unwrap();
}

async fn one(store: &Store, id: &str) -> Entry {
    let mut found = store.entries("default", &[id.to_owned()]).await.unwrap();
    found.remove(0)
}

async fn pending_entries_come_oldest_first_and_once(store: Store) {
    with_entries(&store, 5).await;
    let mut theirs = entry(0, "theirs");
    theirs.tenant = "other".to_owned();
    store.upsert(vec![theirs]).await.unwrap();
    assert_eq!(store.pending_count("m").await.unwrap(), 6);
    assert_eq!(ids(&store.pending("m", 2).await.unwrap()), ["e0", "e1"]);
    store
        .save_enhanced("m", vec![done(1), done(3)])
        .await
        .unwrap();
    assert_eq!(store.pending_count("m").await.unwrap(), 4);
    let pending = store.pending("m", 9).await.unwrap();
    assert_eq!(ids(&pending), ["e0", "e2", "e4", "e0"]);
    assert_eq!(pending[3].tenant, "other");
    store
        .save_enhanced("m", vec![done(0), done(2), done(4)])
        .await
        .unwrap();
    with_entries(&store, 6).await;
    assert_eq!(ids(&store.pending("m", 9).await.unwrap()), ["e0", "e5"]);
    assert_eq!(store.pending_count("other module").await.unwrap(), 7);
}

async fn work_on_a_text_that_changed_meanwhile_is_not_kept(store: Store) {
    with_entries(&store, 2).await;
    let read = store.pending("m", 9).await.unwrap();
    store.upsert(vec![entry(0, "another text")]).await.unwrap();
    let outcomes = read.iter().zip([done(0), done(1)]);
    let outcomes = outcomes.map(|(entry, (_, enhanced))| (WorkedOn::entry(entry), enhanced));
    store.save_enhanced("m", outcomes.collect()).await.unwrap();
    let left = store.pending("m", 9).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].raw_text, "another text");
}

async fn a_failed_entry_waits_before_it_comes_back(store: Store) {
    with_entries(&store, 2).await;
    store.save_enhanced("m", vec![failed(0)]).await.unwrap();
    store.save_enhanced("m", vec![failed(0)]).await.unwrap();
    assert_eq!(ids(&store.pending("m", 9).await.unwrap()), ["e1"]);
    assert_eq!(store.pending_count("m").await.unwrap(), 2);
    let status = one(&store, "e0").await.enhancement_status["m"].clone();
    let EnhancementStatus::Failed {
        error, attempts, ..
    } = status
    else {
        panic!("{status:?}");
    };
    assert_eq!((error.as_str(), attempts), ("the model is away", 2));
    store.save_enhanced("m", vec![done(0)]).await.unwrap();
    let status = one(&store, "e0").await.enhancement_status["m"].clone();
    assert!(matches!(status, EnhancementStatus::Complete { .. }));
    let counts = store.enhancement_counts().await.unwrap()["m"];
    let expected = StatusCounts {
        complete: 1,
        failed: 0,
        pending: 1,
    };
    assert_eq!(counts, expected);
}

async fn a_new_text_is_enhanced_anew_and_other_changes_are_not(store: Store) {
    with_entries(&store, 2).await;
    store
        .save_enhanced("m", vec![described(0), described(1)])
        .await
        .unwrap();
    let mut other_author = entry(0, "text");
    other_author.author = "Anna".to_owned();
    let entries = vec![other_author, entry(1, "new text")];
    store.upsert(entries).await.unwrap();
    assert_eq!(ids(&store.pending("m", 9).await.unwrap()), ["e1"]);
    let kept = one(&store, "e0").await;
    assert_eq!(kept.author, "Anna");
    assert_eq!(kept.summary.as_deref(), Some("short"));
    assert_eq!(kept.keywords, ["klystron"]);
    assert_eq!(kept.metadata["shift"], "Owl");
}

async fn a_new_text_forgets_what_was_made_from_the_old_one(store: Store) {
    with_entries(&store, 1).await;
    store
        .register_model(&model("tiny", "f32", 2))
        .await
        .unwrap();
    store.save_enhanced("m", vec![described(0)]).await.unwrap();
    let vectors = embedded(0, "tiny", &[&[1.0, 0.0]]);
    store.save_enhanced("v", vec![vectors]).await.unwrap();
    assert_eq!(store.stats().await.unwrap().vectors["tiny"], 1);
    store.upsert(vec![entry(0, "new text")]).await.unwrap();
    let mut expected = entry(0, "new text");
    for module in ["m", "v"] {
        let pending = EnhancementStatus::Pending;
        expected
            .enhancement_status
            .insert(module.to_owned(), pending);
    }
    assert_eq!(timeless(&one(&store, "e0").await), expected);
    assert_eq!(store.stats().await.unwrap().vectors["tiny"], 0);
}

async fn what_an_enhancer_adds_can_be_filtered_on(store: Store) {
    let mut first = entry(0, "text");
    first.metadata = object(json!({"shift": "Day", "title": "A"}));
    store
        .upsert(vec![first.clone(), entry(1, "text")])
        .await
        .unwrap();
    store.save_enhanced("m", vec![described(0)]).await.unwrap();
    let listed = async |key: &str, value: &str| {
        let request = ListRequest {
            filter: Filter::none().and(
                FilterField::Metadata(key.to_owned()),
                Condition::Equals(value.to_owned()),
            ),
            ..ListRequest::newest(9)
        };
        store.list("default", request).await.unwrap().entries.len()
    };
    assert_eq!(listed("shift", "owl").await, 1);
    assert_eq!(listed("shift", "day").await, 0);
    assert_eq!(listed("devices", "sr:c04").await, 1);
    // It stays when the source changes something else.
    first.metadata = object(json!({"shift": "Swing", "title": "B"}));
    store.upsert(vec![first]).await.unwrap();
    assert_eq!(listed("shift", "owl").await, 1);
    assert_eq!(listed("shift", "swing").await, 0);
    assert_eq!(listed("title", "b").await, 1);
    let field = FilterField::Metadata("shift".to_owned());
    let values = store.distinct("default", &field, 9).await.unwrap();
    assert_eq!(values, [("Owl".to_owned(), 1)]);
}

async fn entries_that_went_away_meanwhile_are_left_out(store: Store) {
    with_entries(&store, 2).await;
    store.delete("default", &["e0".to_owned()]).await.unwrap();
    store
        .save_enhanced("m", vec![described(0), done(1)])
        .await
        .unwrap();
    assert_eq!(store.pending_count("m").await.unwrap(), 0);
    store.delete("default", &["e1".to_owned()]).await.unwrap();
    assert_eq!(store.enhancement_counts().await.unwrap().len(), 0);
}

async fn a_reset_module_begins_again(store: Store) {
    with_entries(&store, 3).await;
    store
        .save_enhanced("m", vec![done(0), failed(1)])
        .await
        .unwrap();
    store.save_enhanced("n", vec![done(0)]).await.unwrap();
    assert_eq!(store.reset_enhancement("m").await.unwrap(), 2);
    assert_eq!(store.reset_enhancement("unknown").await.unwrap(), 0);
    assert_eq!(
        ids(&store.pending("m", 9).await.unwrap()),
        ["e0", "e1", "e2"]
    );
    let counts = store.enhancement_counts().await.unwrap();
    assert_eq!((counts["m"].complete, counts["m"].pending), (0, 3));
    assert_eq!((counts["n"].complete, counts["n"].pending), (1, 2));
}

async fn a_model_that_changes_is_refused(store: Store) {
    store
        .register_model(&model("tiny", "f32", 2))
        .await
        .unwrap();
    store
        .register_model(&model("tiny", "f32", 2))
        .await
        .unwrap();
    for changed in [model("tiny", "f32", 3), model("tiny", "int8", 2)] {
        let error = store.register_model(&changed).await.unwrap_err();
        assert!(matches!(error, StoreError::ModelChanged { .. }));
        assert!(error.to_string().contains("gannet enhance --force"));
    }
    store.forget_model("tiny").await.unwrap();
    store.forget_model("tiny").await.unwrap();
    store
        .register_model(&model("tiny", "int8", 3))
        .await
        .unwrap();
    with_entries(&store, 1).await;
    let vectors = embedded(0, "unknown", &[&[1.0]]);
    let refused = store.save_enhanced("v", vec![vectors]).await;
    assert!(matches!(refused, Err(StoreError::UnknownModel { .. })));
}

async fn a_vector_of_another_dimension_is_refused_with_its_batch(store: Store) {
    with_entries(&store, 2).await;
    store
        .register_model(&model("tiny", "f32", 2))
        .await
        .unwrap();
    let batch = vec![
        embedded(0, "tiny", &[&[1.0, 0.0]]),
        embedded(1, "tiny", &[&[1.0, 0.0], &[1.0]]),
    ];
    let refused = store.save_enhanced("v", batch).await;
    assert!(matches!(refused, Err(StoreError::ModelChanged { .. })));
    assert_eq!(store.pending_count("v").await.unwrap(), 2);
    assert_eq!(store.stats().await.unwrap().vectors["tiny"], 0);
}

async fn vectors_are_counted_by_model(store: Store) {
    with_entries(&store, 3).await;
    store.register_model(&model("a", "f32", 2)).await.unwrap();
    store.register_model(&model("b", "f32", 3)).await.unwrap();
    let batch = vec![
        embedded(0, "a", &[&[1.0, 0.0], &[0.0, 1.0]]),
        embedded(1, "a", &[&[1.0, 0.0]]),
        embedded(2, "a", &[]),
        embedded(2, "b", &[&[1.0, 0.0, 0.0]]),
    ];
    store.save_enhanced("v", batch).await.unwrap();
    let counts = async || store.stats().await.unwrap().vectors;
    assert_eq!((counts().await["a"], counts().await["b"]), (3, 1));
    let fewer = embedded(0, "a", &[&[1.0, 0.0]]);
    store.save_enhanced("v", vec![fewer]).await.unwrap();
    store.delete("default", &["e1".to_owned()]).await.unwrap();
    assert_eq!((counts().await["a"], counts().await["b"]), (1, 1));
    store.forget_model("b").await.unwrap();
    assert!(!counts().await.contains_key("b"));
}
