//! What is known of a pair of entries.

use gannet_model::features;

features! {
    /// How an entry compares with the one that is asked about. Shares are 0 to
    /// 1; those of words are by inverse document frequency. References to
    /// entries are no words.
    PairFeatures {
        /// BM25 by the words of the whole text, over that of the best other
        /// entry, and 5 / (5 + rank).
        text_score,
        text_rank,
        /// The same by the words of the title.
        title_score,
        title_rank,
        /// Share of the words of the asked entry that the other has.
        shared,
        /// Share of the distinct words of the other that the asked one has,
        /// by number.
        shared_of_other,
        /// The geometric mean of both.
        shared_both,
        /// Share of the words of the asked title in the other title, and in
        /// the other text.
        title_shared,
        title_in_text,
        /// Share of the distinct words of the other title in the asked text, by
        /// number.
        other_title_in_text,
        /// Share of the rare words of the asked entry that the other has.
        rare_shared,
        /// The weight of the rarest shared word, over that of a word of one
        /// entry.
        rarest,
        /// Share of the neighbouring words of the asked entry that are
        /// neighbours in the other.
        neighbors,
        /// Share of the names with digits, such as devices, that the other has,
        /// and whether there are any.
        names_shared,
        has_names,
        /// Share of the fields for places and devices with an equal value, and
        /// whether there are any.
        same_place,
        has_place,
        /// Shared words, rare words and neighbours over those of the best other
        /// candidate.
        shared_over_others,
        rare_over_others,
        neighbors_over_others,
        /// The natural logarithm of 1 + the days between both, over 10, and
        /// whether the other is earlier.
        days,
        is_earlier,
    }
}

impl PairFeatures {
    /// The version of their meaning. It is raised when a feature changes and
    /// keeps its name; weights of another version are refused.
    pub const VERSION: u32 = 1;
}
