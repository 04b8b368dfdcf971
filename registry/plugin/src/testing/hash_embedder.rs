//! Vectors without a model.

use super::query::words;
use gannet_api::EmbeddingModel;

/// Makes the vectors of a [`FakeHost`](super::FakeHost): texts are the nearer
/// the more words they share, letter case aside. It knows no meaning, and is
/// for tests only.
#[derive(Debug, Clone, Copy, Default)]
pub struct HashEmbedderForTests;

impl HashEmbedderForTests {
    /// The name of its model.
    pub const NAME: &'static str = "HashEmbedderForTests";

    /// Numbers a vector.
    pub const DIMENSION: usize = 64;

    /// What its vectors are.
    pub fn model() -> EmbeddingModel {
        EmbeddingModel::new(Self::NAME.to_owned(), Self::DIMENSION, 256).with_variant("f32")
    }

    /// The vector of a text, of length 1 and the same everywhere. Different
    /// words may fall on the same number.
    pub fn embed(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0_f32; Self::DIMENSION];
        let words = words(text);
        for word in &words {
            vector[place(&word.folded)] += 1.0;
        }
        if words.is_empty() {
            vector[0] = 1.0;
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    }
}

/// Which number a word counts in; the first is for texts without words.
fn place(word: &str) -> usize {
    1 + (fnv_1a(word.as_bytes()) % (HashEmbedderForTests::DIMENSION as u64 - 1)) as usize
}

/// The 64-bit hash of Fowler, Noll and Vo: the same on every machine and with
/// every version, unlike the standard library's.
fn fnv_1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
