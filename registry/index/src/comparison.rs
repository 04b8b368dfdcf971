//! Comparing two vectors as they are, for engines and parts of them that have no
//! codes.

use crate::VectorSpec;

/// The cosine of two vectors, -1 to 1; 0 where one of them is 0.
///
/// ```
/// use gannet_index::cosine;
///
/// assert_eq!(cosine(&[2.0, 0.0], &[3.0, 0.0]), 1.0);
/// assert_eq!(cosine(&[2.0, 0.0], &[0.0, 0.0]), 0.0);
/// ```
#[must_use]
pub fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| {
        let pairs = a.iter().zip(b);
        pairs
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum::<f64>()
    };
    let lengths = (dot(left, left) * dot(right, right)).sqrt();
    match lengths > 0.0 {
        true => (dot(left, right) / lengths).clamp(-1.0, 1.0) as f32,
        false => 0.0,
    }
}

impl VectorSpec {
    /// Whether a vector can be compared with those of this model.
    #[must_use]
    pub fn takes(&self, vector: &[f32]) -> bool {
        vector.len() == self.dimension && vector.iter().all(|number| number.is_finite())
    }
}
