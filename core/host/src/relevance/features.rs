//! What the relevance of an entry is computed from.

use gannet_model::features;

features! {
    /// What is known of an entry for a question. Shares are 0 to 1, and by the
    /// inverse document frequencies of the question's words.
    RelevanceFeatures {
        /// Whether the question is about a set of entries, with its topic.
        of_set,
        /// Share of the question's words in the entry with its fields.
        coverage,
        /// Share in title and fields.
        coverage_title,
        /// Share in the first words of the text.
        coverage_early,
        /// The greatest share in a stretch of the text of a sentence's length.
        coverage_window,
        /// Share of the neighbours in the question that stand near to each other
        /// in the entry.
        pairs,
        /// Whether it has the rarest word of the question.
        heaviest,
        /// Whether title or fields have it.
        heaviest_title,
        /// Share with repetitions: a word counts n / (n + 1) for n times.
        frequency,
        /// Words of the question, as 1 / number.
        terms,
        /// How rare the words of the question are: their mean inverse document
        /// frequency, over 10.
        rarity,
        /// The natural logarithm of the number of words of the entry, over 10.
        length,
        /// Mean over the question's words of the nearest word of the entry, by
        /// cosine of token vectors and weight.
        similarity,
        /// The least similar of the question's words.
        similarity_least,
        /// The cosine of the question with the mean of the entry's words.
        mean,
        /// Whether the question names a time, and whether the entry is of it.
        names_time,
        misses_time,
        /// Whether the question names values of fields, and whether the entry
        /// lacks one.
        names_value,
        misses_value,
    }
}

impl RelevanceFeatures {
    /// The version of their meaning. It is raised when a feature changes and
    /// keeps its name; weights of another version are refused.
    pub const VERSION: u32 = 1;
}
