//! The months that a question names: `in spring`, `in June`, `of 2024`.

use gannet_plugin::Entry;

/// Months by name; seasons are those of the north, by whole months.
const MONTHS: [(&str, &[i8]); 17] = [
    ("january", &[1]),
    ("february", &[2]),
    ("march", &[3]),
    ("april", &[4]),
    ("may", &[5]),
    ("june", &[6]),
    ("july", &[7]),
    ("august", &[8]),
    ("september", &[9]),
    ("october", &[10]),
    ("november", &[11]),
    ("december", &[12]),
    ("spring", &[3, 4, 5]),
    ("summer", &[6, 7, 8]),
    ("autumn", &[9, 10, 11]),
    ("fall", &[9, 10, 11]),
    ("winter", &[12, 1, 2]),
];
/// Words before `may`, `march`, `fall` or `spring` that make it a time.
const BEFORE_TIMES: [&str; 13] = [
    "in", "of", "since", "until", "till", "from", "to", "during", "last", "this", "early", "late",
    "and",
];
/// Names that are other words too.
const OTHER_WORDS_TOO: [&str; 4] = ["may", "march", "fall", "spring"];

/// The months that a question names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Period {
    months: Vec<i8>,
    /// The words by which it is named; they are not looked for in texts.
    pub(super) words: Vec<String>,
}

impl Period {
    /// Reads the words of a question, in lower case.
    pub(super) fn read(words: &[String]) -> Self {
        let mut period = Self::default();
        for (at, word) in words.iter().enumerate() {
            let Some((_, months)) = MONTHS.iter().find(|(name, _)| name == word) else {
                continue;
            };
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let is_time = !OTHER_WORDS_TOO.contains(&word.as_str())
                || before.is_some_and(|before| BEFORE_TIMES.contains(&before.as_str()));
            if is_time {
                period.months.extend_from_slice(months);
                period.words.push(word.clone());
            }
        }
        period
    }

    pub(super) fn is_named(&self) -> bool {
        !self.months.is_empty()
    }

    /// Whether an entry was written in one of the months.
    pub(super) fn holds(&self, entry: &Entry, timezone: &str) -> bool {
        let local = entry.timestamp.in_tz(timezone);
        let local = local.or_else(|_| entry.timestamp.in_tz("UTC"));
        local.is_ok_and(|local| self.months.contains(&local.month()))
    }

    /// Whether a text names the period or one of its months: `6 March`.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        text.split(|c: char| !c.is_alphanumeric()).any(|word| {
            let opens_large = word.starts_with(char::is_uppercase);
            let lower = word.to_lowercase();
            let is_month = MONTHS.iter().take(12).any(|(name, months)| {
                opens_large && *name == lower && self.months.contains(&months[0])
            });
            is_month || self.words.contains(&lower)
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::answer::words;

    fn period(question: &str) -> Period {
        Period::read(&words(question))
    }

    #[test]
    fn a_season_is_three_months() {
        let spring = period("trips in spring");
        let of = |time: &str| {
            let entry = Entry::new("1", "log", time.parse().unwrap(), "");
            spring.holds(&entry, "UTC")
        };
        assert!(of("2024-03-01T00:00:00Z") && of("2023-05-31T23:00:00Z"));
        assert!(!of("2024-06-01T00:00:00Z"));
        assert!(spring.is_named_in("from 6 March on"));
        assert!(!spring.is_named_in("it may be"));
    }

    #[test]
    fn a_verb_is_no_month() {
        assert!(!period("may I open the valve of the water spring").is_named());
        assert!(period("what failed in may").is_named());
    }
}
