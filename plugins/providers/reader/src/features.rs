//! The features of a sentence for a question: what they are.
//! `docs/explanation/answers.md` says what they are for; the weights name them.

use gannet_model::features;

features! {
    /// What is known of a sentence. Shares are 0 to 1, and by the weights of
    /// the question's words unless said otherwise. Similarities are cosines of
    /// token vectors, and 0 where there are none.
    SentenceFeatures {
        /// Share of the question's words in the sentence.
        coverage,
        /// The same with the words as they were typed.
        coverage_typed,
        /// Share of the neighbours in the question that are neighbours here.
        pairs,
        /// Whether it has the heaviest word of the question.
        heaviest,
        /// Share of the question in the sentence before, and in that after.
        coverage_before,
        coverage_after,
        /// Share in the sentence and the one before, or after, together.
        coverage_with_before,
        coverage_with_after,
        /// Share in words of the sentence that stand together.
        coverage_together,
        /// Share in the whole entry with its title and fields, and in its text
        /// alone.
        coverage_entry,
        coverage_text,
        /// Share of what the title lacks.
        coverage_beyond_title,
        /// Distance of the coverage to the greatest of the entry.
        coverage_behind,
        /// Words of the question.
        terms,
        /// Names with a number in the question ("chiller 3"), how many of them
        /// the sentence lacks, and whether it has one with another number.
        numbered,
        numbered_missing,
        numbered_other,
        /// The same of the entry, and whether its title has one with another
        /// number.
        numbered_missing_entry,
        numbered_other_entry,
        numbered_other_title,
        /// Share of the words after the question word.
        focus,
        /// Mean over the question's words of the nearest word of the sentence,
        /// by weight.
        similarity,
        /// The least similar of the question's words.
        similarity_least,
        similarity_before,
        similarity_after,
        similarity_behind,
        /// The cosine of the question with the mean of the sentence's words.
        mean,
        mean_before,
        mean_after,
        mean_behind,
        similarity_entry,
        mean_entry,
        /// The nearest word to those after the question word.
        focus_similarity,
        /// Share of the sentence's words, by how rare they are among the
        /// sentences, that neither question nor title has.
        novelty,
        new_words,
        new_numbers,
        new_names,
        /// What the question asks for.
        asks_cause,
        asks_fix,
        asks_number,
        asks_duration,
        asks_date,
        asks_name,
        asks_place,
        asks_outcome,
        asks_manner,
        asks_nothing,
        /// What the sentence states by its words.
        states_cause,
        perhaps_cause,
        states_fix,
        states_outcome,
        states_number,
        states_duration,
        states_date,
        states_name,
        refers_back,
        /// Whether it states what the question asks for.
        states_asked,
        /// A number before a word of the question.
        counts_asked,
        /// Place in the entry, from the beginning and from the end, and as a
        /// share.
        place,
        place_from_end,
        place_share,
        sentences,
        /// Length in characters.
        chars,
        capitals,
        /// Whether it is in capitals where the entry is not, as a heading is.
        heading,
        row,
        /// Headings before it.
        headings_before,
        /// Share of the title's words in the sentence.
        title_share,
        /// Place of its entry, and the share of the first entry's score.
        entry_place,
        score_share,
        /// How well its entry fits the times of the question; whether it is
        /// not of a thing that the question names; the heaviest word of the
        /// question that it lacks, by weight.
        time_fit,
        misses_entity,
        misses_name,
        missing_weight,
        /// Place among all sentences by coverage and by similarity, as 1 / place.
        coverage_rank,
        similarity_rank,
        mean_rank,
    }
}

/// A part of a whole, 0 to 1; 0 of nothing.
pub(crate) fn share(part: f64, whole: f64) -> f32 {
    if whole > 0.0 {
        (part / whole) as f32
    } else {
        0.0
    }
}
