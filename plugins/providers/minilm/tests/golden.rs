//! Vectors of this crate against those of the reference library.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;
use std::path::Path;

use gannet_minilm::MiniLm;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    text: String,
    vector: Vec<f32>,
}

fn golden() -> Vec<Golden> {
    let golden: Vec<Golden> = serde_json::from_str(include_str!("golden.json")).unwrap();
    assert_eq!(golden.len(), 12);
    golden
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| -> f64 {
        x.iter()
            .zip(y)
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum()
    };
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn the_builtin_model_agrees_with_the_reference() {
    let model = MiniLm::builtin().unwrap();
    let mut total = 0.0;
    for Golden { text, vector } in golden() {
        let cosine = cosine(&model.embed_one(&text).unwrap(), &vector);
        // Of a single word nothing averages out.
        let least = if text.contains(' ') { 0.996 } else { 0.99 };
        assert!(cosine >= least, "{cosine} for {text:?}");
        total += cosine;
    }
    assert!(total / 12.0 >= 0.9975, "mean {}", total / 12.0);
}

/// The bits of the builtin model's vectors, whatever the processor.
const FINGERPRINT: u64 = 14_878_766_575_751_103_138;

#[test]
fn the_vectors_have_the_same_bits_on_every_machine() {
    let model = MiniLm::builtin().unwrap();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for Golden { text, .. } in golden() {
        for number in model.embed_one(&text).unwrap() {
            hash = (hash ^ u64::from(number.to_bits())).wrapping_mul(0x100_0000_01b3);
        }
    }
    assert_eq!(hash, FINGERPRINT, "on {}", model.instruction_set());
}

#[test]
fn in_floats_the_model_equals_the_reference() {
    const VARIABLE: &str = "GANNET_MINILM_SAFETENSORS";
    let Some(path) = std::env::var_os(VARIABLE) else {
        // The test harness hides what print macros write, but not this.
        let note = format!("SKIPPED: {VARIABLE} does not name the model.safetensors\n");
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return;
    };
    let model = MiniLm::open(Path::new(&path).parent().unwrap()).unwrap();
    assert_eq!(model.variant(), "f32");
    for Golden { text, vector } in golden() {
        let ours = model.embed_one(&text).unwrap();
        for (ours, reference) in ours.iter().zip(&vector) {
            assert!(
                (ours - reference).abs() < 1e-6,
                "{ours} {reference} in {text:?}"
            );
        }
    }
}
