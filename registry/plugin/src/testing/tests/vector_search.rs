//! Vectors, given and hashed.

use pollster::block_on;
use proptest::prelude::*;

use super::{ids, logbook, near, smith};
use crate::testing::{FakeHost, HashEmbedderForTests};
use gannet_api::{EmbedPurpose, EmbedRequest, Error, PassageEmbedding, PassageEmbeddings};

fn passages(model: &str, vectors: &[[f32; 2]]) -> PassageEmbeddings {
    let passage = |(at, vector): (usize, &[f32; 2])| {
        PassageEmbedding::new(3 * at..3 * at + 2, vector.to_vec())
    };
    PassageEmbeddings::new(model, vectors.iter().enumerate().map(passage).collect())
}

fn host_with_vectors() -> FakeHost {
    logbook()
        .with_vectors("E1", passages("tiny", &[[1.0, 0.0], [0.6, 0.8]]))
        .with_vectors("E1", passages("other", &[[0.0, 1.0]]))
        .with_vectors("E3", passages("tiny", &[[2.0, 0.0]]))
        .with_vectors("E9", passages("tiny", &[[0.0, 1.0]]))
}

#[test]
fn vector_search_ranks_entries_by_the_cosine_of_their_best_passage() {
    let host = host_with_vectors();

    let hits = block_on(host.context().vector_search(near(&[0.0, 3.0]))).unwrap();

    assert_eq!(ids(&hits), ["E1", "E3"]);
    assert!((hits[0].score - 0.8).abs() < 1e-6);
    let passage = hits[0].passage.as_ref().unwrap();
    assert_eq!((passage.ordinal, passage.text.as_str()), (1, "ca"));
    assert_eq!(hits[1].score, 0.0);
}

#[test]
fn vector_search_keeps_to_threshold_filter_and_limit() {
    let host = host_with_vectors();
    let found = |search| block_on(host.context().vector_search(search)).unwrap();

    let mut searches = [near(&[1.0, 0.0]), near(&[0.6, 0.8]), near(&[1.0, 0.0])];
    searches[0].limit = 1;
    searches[1].min_similarity = Some(0.9);
    searches[2].filter = smith();

    let [limited, similar, of_smith] = searches.map(found);
    assert_eq!(ids(&limited), ["E1"]);
    assert_eq!(ids(&similar), ["E1"]);
    assert_eq!(ids(&of_smith), ["E3"]);
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let result = block_on(host_with_vectors().context().vector_search(near(&[1.0])));

    assert!(matches!(result, Err(Error::InvalidInput { .. })));
}

#[test]
fn a_text_is_found_by_its_hashed_vector() {
    let context = logbook().with_hashed_vectors().context();
    let request = EmbedRequest::new(
        vec!["vacuum LEAK, surf's up".to_owned()],
        EmbedPurpose::Query,
    );

    let hits = block_on(async {
        let question = context.embed(request).await.unwrap();
        let mut search = near(&question.vectors[0]);
        search.model = Some(question.model.name);
        context.vector_search(search).await.unwrap()
    });

    assert_eq!(hits[0].entry_id, "E2");
    assert!((hits[0].score - 1.0).abs() < 1e-6);
    assert!(hits[1].score < 0.9);
}

proptest! {
    #[test]
    fn hashed_vectors_have_length_one_and_ignore_case_and_order(
        words in proptest::collection::vec("[a-z0-9]{1,8}", 0..20),
    ) {
        let forward = HashEmbedderForTests::embed(&words.join(" "));
        let backward: Vec<String> = words.iter().rev().map(|w| w.to_uppercase()).collect();

        let length: f32 = forward.iter().map(|x| x * x).sum();
        prop_assert!((length - 1.0).abs() < 1e-5);
        prop_assert_eq!(forward.len(), HashEmbedderForTests::model().dimension);
        prop_assert_eq!(forward, HashEmbedderForTests::embed(&backward.join(", ")));
    }
}

#[test]
fn hashed_vectors_are_the_same_everywhere() {
    let vector = HashEmbedderForTests::embed("a");

    // The hash of "a" is published with the function: af63dc4c8601ec8c.
    let place = 1 + (0xaf63_dc4c_8601_ec8c_u64 % 63) as usize;
    assert_eq!(vector[place], 1.0);
}
