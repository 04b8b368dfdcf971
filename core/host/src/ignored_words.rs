//! Words of a question that somebody said mean nothing special: they stay words
//! of the search, and are read neither as a time nor as a name nor as what is
//! asked for. A set of entries is asked for without them.

use std::ops::Range;

use gannet_api::{Intent, QueryPlan};

/// The words, as they stand in the question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IgnoredWords(Vec<String>);

impl IgnoredWords {
    pub(crate) fn new(words: &[String]) -> Self {
        let words = words.iter().map(|word| word.trim().to_lowercase());
        Self(words.filter(|word| !word.is_empty()).collect())
    }

    /// The phrases, in lower case.
    pub(crate) fn phrases(&self) -> &[String] {
        &self.0
    }

    /// Takes out of a plan what was read in these words. Strict parts stay.
    pub(crate) fn take_from(&self, plan: &mut QueryPlan) {
        if self.0.is_empty() {
            return;
        }
        let text = std::mem::take(&mut plan.text);
        let is_kept = |strict: bool, span: &Option<Range<usize>>| {
            let words = span.as_ref().and_then(|span| text.get(span.clone()));
            strict || !words.is_some_and(|words| self.has(words))
        };
        plan.times.retain(|time| is_kept(time.strict, &time.span));
        plan.entities
            .retain(|entity| is_kept(entity.strict, &entity.span));
        plan.text = text;
        if plan.intent_words.iter().any(|words| self.has(words)) {
            plan.intent = Intent::Find;
            plan.intent_words.clear();
            plan.entries_wanted = None;
        }
        if plan.order_words.iter().any(|words| self.has(words)) {
            plan.order = None;
            plan.order_words.clear();
            plan.entries_wanted = None;
        }
        let ignored = self.0.join("`, `");
        plan.notes.push(format!("`{ignored}`: read as words alone"));
    }

    fn has(&self, words: &str) -> bool {
        let words = words.to_lowercase();
        self.0.contains(&words)
    }
}

#[cfg(test)]
mod tests {
    use gannet_api::{PlanSource, PlanTime, Precision};

    use super::*;

    fn plan() -> QueryPlan {
        let time = |strict, span| {
            PlanTime::new(Precision::Month, PlanSource::Words)
                .with_strict(strict)
                .with_span(span)
        };
        QueryPlan::default()
            .with_text("why in June or May 2025")
            .with_times(vec![
                time(false, Some(7..11)),
                time(false, Some(15..23)),
                time(true, None),
            ])
            .with_intent(Intent::Cause)
            .with_intent_words(vec!["why".to_owned()])
    }

    #[test]
    fn what_was_read_in_ignored_words_is_left_out_and_the_rest_stays() {
        let mut plan = plan();
        IgnoredWords::new(&["june".to_owned(), " ".to_owned()]).take_from(&mut plan);
        let spans: Vec<_> = plan.times.iter().map(|time| time.span.clone()).collect();
        assert_eq!(spans, [Some(15..23), None]);
        assert_eq!(plan.intent, Intent::Cause);
        assert_eq!(plan.text, "why in June or May 2025");
    }

    #[test]
    fn without_its_words_a_question_asks_for_entries() {
        let mut plan = plan();
        IgnoredWords::new(&["Why".to_owned()]).take_from(&mut plan);
        assert_eq!(plan.intent, Intent::Find);
        assert!(plan.intent_words.is_empty());
    }
}
