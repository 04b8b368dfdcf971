//! Halves of judged questions: one to learn from, one that is held back.

use sha2::{Digest, Sha256};

/// Whether a question is held back. It depends on the question alone, so that a
/// question stays on its side when others come.
pub(super) fn is_held_back(question: &str) -> bool {
    let text = question.to_lowercase();
    Sha256::digest(text)[0].is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_half_of_the_questions_is_held_back_and_case_does_not_matter() {
        let held = (0..1_000).filter(|number| is_held_back(&format!("question {number}")));
        let share = held.count();
        assert!((400..600).contains(&share), "{share}");
        assert_eq!(is_held_back("WHY?"), is_held_back("why?"));
    }
}
