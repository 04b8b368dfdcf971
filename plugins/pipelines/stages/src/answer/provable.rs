//! Which questions a quote can prove an answer to.

use gannet_plugin::plan::{Intent, QueryPlan, SetOperation};
use gannet_plugin::query::is_unspaced;

/// Why a quote proves no answer to a question, however sure the reader is;
/// `None` where one can.
pub(super) fn why_unprovable(plan: &QueryPlan) -> Option<&'static str> {
    if asks_of_all_entries(plan) {
        return Some("a quote of one entry proves nothing of all entries");
    }
    let is_one_word = plan.text.split_whitespace().nth(1).is_none();
    let asks_nothing = is_one_word && !plan.text.contains(is_unspaced);
    asks_nothing.then_some("one word asks for no detail")
}

/// Whether a question is about all entries: their number, those about a topic,
/// or the first or the last of something. A number of things, or a part of them,
/// is one of all entries too: each may tell of some. So is a comparison of two
/// numbers, or another part that the set does not say.
fn asks_of_all_entries(plan: &QueryPlan) -> bool {
    let Some(set) = &plan.set else {
        let intent = plan.intent;
        return matches!(intent, Intent::First | Intent::Latest | Intent::Count);
    };
    let is_list = set.operation == SetOperation::List;
    !is_list || !set.topic.is_empty() || !set.unread.is_empty() || !set.excluded.is_empty()
}

#[cfg(test)]
mod tests {
    use gannet_plugin::plan::SetQuery;
    use gannet_plugin::query::ParsedQuery;

    use super::*;

    fn plan(text: &str) -> QueryPlan {
        QueryPlan::of_terms(text, ParsedQuery::default())
    }

    #[test]
    fn no_quote_proves_a_number_of_entries_or_which_entries_are_about_a_topic() {
        let is_unprovable = |set| {
            let mut plan = plan("how many trips");
            plan.set = Some(set);
            why_unprovable(&plan).is_some()
        };
        let list = || SetQuery::new(SetOperation::List);
        assert!(is_unprovable(SetQuery::new(SetOperation::Count)));
        assert!(is_unprovable(SetQuery::new(SetOperation::Rate)));
        assert!(is_unprovable(list().with_topic(vec!["trips".to_owned()])));
        assert!(is_unprovable(
            list().with_unread(vec!["than in June".to_owned()])
        ));
        assert!(!is_unprovable(list()));
    }

    #[test]
    fn no_quote_proves_that_an_entry_is_the_last() {
        let mut plan = plan("latest wiggler quench");
        plan.intent = Intent::Latest;
        assert!(why_unprovable(&plan).is_some());
        for operation in [SetOperation::First, SetOperation::Last] {
            plan.set = Some(SetQuery::new(operation));
            assert!(why_unprovable(&plan).is_some());
        }
    }

    #[test]
    fn no_quote_proves_a_number_of_things() {
        for text in ["how many pumps failed", "what percentage of pumps failed"] {
            let mut plan = plan(text);
            plan.intent = Intent::Count;
            assert!(why_unprovable(&plan).is_some(), "{text}");
        }
    }

    #[test]
    fn a_question_of_one_word_has_no_proven_answer() {
        assert!(why_unprovable(&plan("vacuum")).is_some());
        assert_eq!(why_unprovable(&plan("why vacuum")), None);
        assert_eq!(why_unprovable(&plan("泵为什么跳闸")), None);
    }
}
