//! Token pooling: the words of a passage that are most alike share a vector.
//!
//! Words of one passage that mean nearly the same score nearly the same, so a
//! passage of many words needs no vector for each (Clavié, Chaffin and Adams
//! 2024, "Reducing the Footprint of Multi-Vector Retrieval with Minimal
//! Performance Impact via Token Pooling"). Likeness is the number of equal signs, which is an
//! integer and the same on every processor.

use gannet_plugin::provider::{TokenOccurrence, TokenValues, TokenVectors, push_signs};

/// Vectors of a passage, at most: with 48 bytes each they take as many bytes
/// as the 32-bit floats of a passage vector.
const VECTORS_AT_MOST: usize = 32;

/// Words that share a vector.
struct Group {
    words: String,
    /// Which words of the text they are.
    members: Vec<usize>,
    /// The sum of their vectors.
    sum: Vec<f32>,
    signs: Vec<u8>,
}

impl Group {
    fn new(at: usize, word: &str, vector: &[f32]) -> Self {
        Self {
            words: word.to_owned(),
            members: vec![at],
            sum: vector.to_vec(),
            signs: signs_of(vector),
        }
    }

    fn join(&mut self, other: &Self) {
        self.words.push(' ');
        self.words.push_str(&other.words);
        self.members.extend(&other.members);
        let pairs = self.sum.iter_mut().zip(&other.sum);
        pairs.for_each(|(own, more)| *own += more);
        self.signs = signs_of(&self.sum);
    }

    /// In how many dimensions the signs differ.
    fn distance(&self, other: &Self) -> u32 {
        let pairs = self.signs.iter().zip(&other.signs);
        pairs.map(|(a, b)| (a ^ b).count_ones()).sum()
    }
}

fn signs_of(vector: &[f32]) -> Vec<u8> {
    let mut signs = Vec::new();
    push_signs(vector, &mut signs);
    signs
}

/// The signs of a document's words, of at most [`VECTORS_AT_MOST`] groups of
/// them: as long as there are more, the two that are most alike become one.
pub(super) fn pooled_signs(words: Vec<String>, vectors: &[f32], dimension: usize) -> TokenVectors {
    let of_words = words.iter().zip(vectors.chunks_exact(dimension));
    let mut groups: Vec<Group> = of_words
        .enumerate()
        .map(|(at, (word, vector))| Group::new(at, word, vector))
        .collect();
    pool(&mut groups);
    let mut vector_of = vec![0; words.len()];
    for (vector, group) in groups.iter().enumerate() {
        group.members.iter().for_each(|at| vector_of[*at] = vector);
    }
    let signs = groups.iter().flat_map(|group| group.signs.clone());
    let values = TokenValues::Signs(signs.collect());
    let occurrences = words.into_iter().zip(vector_of);
    let occurrences = occurrences.map(|(word, vector)| TokenOccurrence { word, vector });
    TokenVectors::new(
        groups.into_iter().map(|group| group.words).collect(),
        values,
    )
    .with_occurrences(occurrences.collect())
}

fn pool(groups: &mut Vec<Group>) {
    if groups.len() <= VECTORS_AT_MOST {
        return;
    }
    let mut distances: Vec<Vec<u32>> = (0..groups.len())
        .map(|at| distances_before(groups, at))
        .collect();
    while groups.len() > VECTORS_AT_MOST {
        let (first, second) = nearest(&distances);
        let absorbed = groups.remove(second);
        distances.remove(second);
        for row in distances.iter_mut().skip(second) {
            row.remove(second);
        }
        groups[first].join(&absorbed);
        distances[first] = distances_before(groups, first);
        for later in first + 1..groups.len() {
            distances[later][first] = groups[later].distance(&groups[first]);
        }
    }
}

fn distances_before(groups: &[Group], at: usize) -> Vec<u32> {
    let before = groups[..at].iter();
    before.map(|other| groups[at].distance(other)).collect()
}

/// The first two groups of the least distance, in their order.
fn nearest(distances: &[Vec<u32>]) -> (usize, usize) {
    let mut nearest = (u32::MAX, 0, 0);
    for (second, row) in distances.iter().enumerate() {
        for (first, distance) in row.iter().enumerate() {
            if *distance < nearest.0 {
                nearest = (*distance, first, second);
            }
        }
    }
    (nearest.1, nearest.2)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::*;

    /// Words along the axes of a space, as many as it has dimensions.
    fn pooled(directions: &[usize]) -> TokenVectors {
        const DIMENSION: usize = 64;
        let words = directions.iter().map(|axis| format!("w{axis}")).collect();
        let of = |axis: &usize| {
            let mut vector = vec![-0.1_f32; DIMENSION];
            vector[*axis] = 1.0;
            vector
        };
        let vectors: Vec<f32> = directions.iter().flat_map(of).collect();
        pooled_signs(words, &vectors, DIMENSION)
    }

    fn signs(tokens: &TokenVectors) -> &[u8] {
        match &tokens.values {
            TokenValues::Signs(signs) => signs,
            TokenValues::Floats(floats) => panic!("floats: {floats:?}"),
        }
    }

    #[test]
    fn few_words_keep_their_own_vectors() {
        let axes: Vec<usize> = (0..VECTORS_AT_MOST).collect();
        let tokens = pooled(&axes);
        assert_eq!(tokens.words.len(), VECTORS_AT_MOST);
        assert_eq!(tokens.words[3], "w3");
        assert_eq!(signs(&tokens)[3 * 8..4 * 8], [8, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn words_that_are_alike_are_the_first_to_share_a_vector() {
        let mut axes: Vec<usize> = (0..VECTORS_AT_MOST).collect();
        axes.extend([5, 9]);
        let tokens = pooled(&axes);
        assert!(tokens.is_whole(64));
        assert_eq!(tokens.words.len(), VECTORS_AT_MOST);
        assert_eq!((&*tokens.words[5], &*tokens.words[9]), ("w5 w5", "w9 w9"));
        let occurrences = &tokens.occurrences;
        assert_eq!(occurrences.len(), axes.len());
        assert_eq!((&*occurrences[32].word, occurrences[32].vector), ("w5", 5));
        let (once, twice) = (pooled(&axes[..VECTORS_AT_MOST]), &tokens);
        assert_eq!(signs(&once), signs(twice));
    }

    #[test]
    fn a_long_passage_has_no_more_than_its_vectors() {
        let axes: Vec<usize> = (0..64).collect();
        let tokens = pooled(&axes);
        assert_eq!(tokens.words.len(), VECTORS_AT_MOST);
        let words: usize = tokens
            .words
            .iter()
            .map(|group| group.split(' ').count())
            .sum();
        assert_eq!(words, 64);
    }
}
