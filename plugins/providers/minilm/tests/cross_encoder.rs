//! Scores of cross-encoders: those of the reference library, and what callers
//! rely on.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod tiny;

use gannet_minilm::CrossEncoder;
use proptest::prelude::*;
use serde::Deserialize;
use tiny::TinyModel;

/// Made by `make_golden_cross_encoder.py`.
#[derive(Deserialize)]
struct Golden {
    query: String,
    document: String,
    logit: f32,
}

fn golden() -> Vec<Golden> {
    let golden: Vec<Golden> =
        serde_json::from_str(include_str!("golden_cross_encoder.json")).unwrap();
    assert_eq!(golden.len(), 30);
    golden
}

fn score_one(model: &CrossEncoder, query: &str, document: &str) -> f32 {
    model.score(query, &[document], 1)[0]
}

/// The largest difference to the reference.
fn largest_error(model: &CrossEncoder) -> f32 {
    let errors = golden().into_iter().map(|golden| {
        let score = score_one(model, &golden.query, &golden.document);
        (score - golden.logit).abs()
    });
    errors.fold(0.0, f32::max)
}

#[test]
fn in_floats_the_logits_are_those_of_the_reference() {
    let tiny = TinyModel::cross_encoder();
    let model = CrossEncoder::open(tiny.folder()).unwrap();
    assert_eq!(model.variant(), "f32");
    let error = largest_error(&model);
    assert!(error < 1e-5, "{error}");
}

#[test]
fn in_eight_bits_the_logits_are_near_the_reference() {
    let model = TinyModel::cross_encoder().import_reranker().unwrap();
    assert_eq!((model.variant(), model.max_tokens()), ("int8", 40));
    // The logits lie over a range of 0.7.
    let error = largest_error(&model);
    assert!(error < 0.05, "{error}");
}

/// The bits of the eight-bit scores, whatever the processor.
const FINGERPRINT: u64 = 17_994_969_731_104_357_413;

#[test]
fn the_scores_have_the_same_bits_on_every_machine() {
    let model = TinyModel::cross_encoder().import_reranker().unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for golden in golden() {
        let score = score_one(&model, &golden.query, &golden.document);
        hash = (hash ^ u64::from(score.to_bits())).wrapping_mul(0x100_0000_01b3);
    }
    assert_eq!(hash, FINGERPRINT, "on {}", model.instruction_set());
}

#[test]
fn which_text_is_the_question_matters() {
    let model = TinyModel::cross_encoder().import_reranker().unwrap();
    let forth = score_one(&model, "beam lost", "pumps open");
    let back = score_one(&model, "pumps open", "beam lost");
    assert!((forth - back).abs() > 0.01, "{forth} {back}");
}

#[test]
fn no_documents_have_no_scores() {
    let model = TinyModel::cross_encoder().import_reranker().unwrap();
    assert!(model.score("beam", &[], 0).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_score_depends_on_its_pair_alone(
        query in "[a-z ]{0,30}|beam lost",
        documents in prop::collection::vec("(beam |pump |valves |open |moon |\\[SEP\\]){0,30}", 0..12),
        threads in 0usize..9,
    ) {
        let model = TinyModel::cross_encoder().import_reranker().unwrap();
        let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
        let together = model.score(&query, &texts, threads);
        let alone: Vec<f32> = texts.iter().map(|text| score_one(&model, &query, text)).collect();
        let bits = |scores: &[f32]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&together), bits(&alone));
        prop_assert!(together.iter().all(|score| score.is_finite()));
    }
}
