//! Which questions a quote can prove an answer to.

use std::collections::HashSet;

use gannet_plugin::plan::{Intent, PlanTime, QueryPlan, SetOperation};
use gannet_plugin::prelude::Entry;
use gannet_plugin::query::is_unspaced;

use super::chosen::Chosen;
use super::english::english;
use super::terms::stems;
use super::{AnswerInput, holds_any, phrases_in, spaced, stem, words};
use crate::causes::gives_reason;
use crate::cues::cues;
use crate::plan_fit::is_of_time;

/// What keeps quotes from proving an answer, however sure the reader is.
pub(super) struct Doubt {
    pub(super) reason: String,
    /// What is said before the quotes: nothing, or a sentence with a blank behind
    /// it.
    pub(super) said: String,
    /// Whether the reader's probability means nothing for such a question.
    pub(super) is_of_question: bool,
}

/// What keeps these quotes from proving an answer; `None` where they can.
pub(super) fn doubt(input: &AnswerInput<'_>, chosen: &[Chosen]) -> Option<Doubt> {
    let doubt = |reason: &str, said: &str, is_of_question: bool| Doubt {
        reason: reason.to_owned(),
        said: said.to_owned(),
        is_of_question,
    };
    if let Some(times) = times_without_quote(input, chosen) {
        let reason = format!("no quoted entry is of {times}");
        let said = format!("No quoted entry is of {times}. ");
        return Some(doubt(&reason, &said, true));
    }
    if let Some(reason) = why_unprovable(input.plan) {
        return Some(doubt(reason, "", true));
    }
    lacks_reason(input.plan, chosen).then(|| doubt("no quoted sentence gives a reason", "", false))
}

/// Why no quote proves an answer to a question, however sure the reader is;
/// `None` where one can.
fn why_unprovable(plan: &QueryPlan) -> Option<&'static str> {
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

/// Whether the question is for a cause, and no quoted sentence gives a reason or
/// tells of a fault in words that are not the question's: it may be the event
/// once more.
fn lacks_reason(plan: &QueryPlan, chosen: &[Chosen]) -> bool {
    let asked: HashSet<String> = stems(&plan.text).collect();
    let tells_fault = |text: &str| {
        let mut words = words(text);
        words.retain(|word| !asked.contains(&stem(word)));
        cues().says(&spaced(&words.join(" ")), &cues().fault)
    };
    let is_reason = |one: &Chosen| gives_reason(&one.text) || tells_fault(&one.text);
    let asks_why = plan.intent == Intent::Cause
        && !holds_any(&spaced(&plan.text), &english().of_what_happened);
    asks_why && !chosen.iter().any(is_reason)
}

/// The times of the question, where no quoted entry is of them or names one: what
/// happened in another year is no answer. `None` where one is, or where the
/// question has no time.
fn times_without_quote(input: &AnswerInput<'_>, chosen: &[Chosen]) -> Option<String> {
    let plan = input.plan;
    let words_of = |time: &PlanTime| plan.text.get(time.span.clone()?);
    let times: Vec<&str> = plan.times.iter().filter_map(words_of).collect();
    let mut quoted = chosen.iter().filter_map(|one| input.entries.get(one.entry));
    let fits = |entry: &Entry| {
        is_of_time(entry, plan, input.timezone) || times.iter().any(|time| names(entry, time))
    };
    (!times.is_empty() && !quoted.any(fits)).then(|| times.join(" and "))
}

/// Whether the text of an entry has each word of a time: documents tell of times
/// long before they were written.
fn names(entry: &Entry, time: &str) -> bool {
    let text = spaced(&entry.raw_text);
    let words: Vec<String> = spaced(time).split_whitespace().map(str::to_owned).collect();
    let has = |word| {
        phrases_in(&text, std::slice::from_ref(word))
            .next()
            .is_some()
    };
    words.iter().all(has)
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
