//! What conditions on fields and times can say of a set, and what they cannot:
//! exclusions of what is no value, and how one event relates to another.

use gannet_api::query::Node;
use gannet_api::{Condition, Filter, Intent, QueryPlan, TimeRange};

use super::language::Language;
use super::overlaps;
use super::words::{Word, words_of};
use crate::ignored_words::IgnoredWords;

/// Endings of a negated verb: "weren't".
const NEGATED: [&str; 2] = ["n't", "n’t"];

/// Shorter numbers are no years.
const DIGITS_OF_A_YEAR: usize = 4;

/// Whether the question is words alone: with operators it says itself what is
/// searched.
pub(super) fn is_of_words(plan: &QueryPlan) -> bool {
    match &plan.query.root {
        None => true,
        Some(Node::All(parts)) => parts.iter().all(|part| matches!(part, Node::Word(_))),
        Some(node) => matches!(node, Node::Word(_)),
    }
}

/// The words without those that were said to mean nothing special. What an entry
/// is called stays: it asks for entries, whatever they have to be.
pub(super) fn without_ignored<'t>(
    mut words: Vec<Word<'t>>,
    ignored: &IgnoredWords,
    language: &Language,
) -> Vec<Word<'t>> {
    let mut is_ignored = vec![false; words.len()];
    for phrase in ignored.phrases() {
        let phrase: Vec<String> = words_of(phrase, Language::splits)
            .into_iter()
            .map(|word| word.folded)
            .collect();
        if phrase.is_empty() {
            continue;
        }
        for (place, run) in words.windows(phrase.len()).enumerate() {
            if run.iter().map(|word| &word.folded).eq(&phrase) {
                is_ignored[place..place + phrase.len()].fill(true);
            }
        }
    }
    let mut is_ignored = is_ignored.into_iter();
    words.retain(|word| {
        let is_record = language.sets.is_record(&word.folded, &language.plurals);
        !is_ignored.next().unwrap_or(false) || is_record
    });
    words
}

/// Whether a question asks for more than members of a set: what was after another
/// event, or whether the last one has a property.
pub(super) fn exceeds_conditions(
    plan: &QueryPlan,
    words: &[Word<'_>],
    language: &Language,
) -> bool {
    let is_end = matches!(plan.intent, Intent::Latest | Intent::First);
    let asks_whether = words
        .first()
        .is_some_and(|word| language.sets.whether.contains(&word.folded));
    let relates = (0..words.len()).any(|place| is_relation(plan, words, language, place));
    (is_end && asks_whether) || relates
}

/// Whether something is excluded: "not in Ohio", "except trips".
pub(super) fn excludes(words: &[Word<'_>], language: &Language) -> bool {
    (0..words.len()).any(|place| end_of_exclusion(words, language, place).is_some())
}

/// The place after words at a place that exclude what follows. "no" before a
/// number is the abbreviation of one, "minus 20" an amount, and "not working"
/// excludes nothing.
pub(super) fn end_of_exclusion(
    words: &[Word<'_>],
    language: &Language,
    place: usize,
) -> Option<usize> {
    let word = words.get(place)?;
    let next = words.get(place + 1);
    let is_number = next.is_some_and(|next| {
        let is_short = next.text.len() < DIGITS_OF_A_YEAR;
        let is_numbered = is_short || language.no_year_after.contains(&word.folded);
        next.text.starts_with(|c: char| c.is_numeric()) && is_numbered
    });
    let is_negated = NEGATED.iter().any(|ending| word.folded.ends_with(ending));
    let end = match is_negated {
        true => place + 1,
        false => language.sets.excludes.at(words, place)?.1,
    };
    (!is_number && !language.sets.trouble.covers(words, place)).then_some(end)
}

/// Whether a bound stands at a place that is not that of a time: "after the
/// alert".
fn is_relation(plan: &QueryPlan, words: &[Word<'_>], language: &Language, place: usize) -> bool {
    let bounds = [
        &language.since,
        &language.after,
        &language.before,
        &language.until,
        &language.between,
    ];
    let is_bound = bounds.iter().any(|bound| bound.at(words, place).is_some());
    let mut spans = plan.times.iter().filter_map(|time| time.span.as_ref());
    is_bound && !spans.any(|span| overlaps(span, &words[place].span))
}

/// The times of a question. "since March and before June" is one range; other
/// times are any of which a member is.
pub(super) fn times_of_members(plan: &QueryPlan) -> Vec<TimeRange> {
    let times: Vec<TimeRange> = plan.soft_times().map(|time| time.range()).collect();
    let [one, other] = times.as_slice() else {
        return times;
    };
    let from = one.from.xor(other.from);
    let until = one.until.xor(other.until);
    let is_open = |time: &TimeRange| time.from.is_some() != time.until.is_some();
    match (from, until) {
        (Some(start), Some(end)) if is_open(one) && is_open(other) && start < end => {
            vec![TimeRange { from, until }]
        }
        _ => times,
    }
}

/// Whether the times are read with a guess: a weekday is the latest one, a year
/// beside a month may mean that month of it, and several times beside several
/// values may belong to each other.
pub(super) fn guesses_times(
    plan: &QueryPlan,
    words: &[Word<'_>],
    language: &Language,
    filter: &Filter,
    times: &[TimeRange],
) -> bool {
    let names_weekday = (0..words.len()).any(|place| {
        let is_weekday = language.weekdays.at(words, place).is_some();
        let mut spans = plan.soft_times().filter_map(|time| time.span.as_ref());
        is_weekday && spans.any(|span| overlaps(span, &words[place].span))
    });
    let mut precisions: Vec<_> = plan.soft_times().map(|time| time.precision).collect();
    precisions.dedup();
    let has_several = |condition: &Condition| matches!(condition, Condition::AnyOf(_));
    let are_paired = filter.clauses.iter().any(|one| has_several(&one.condition));
    let are_several = times.len() > 1;
    names_weekday || (are_several && (precisions.len() > 1 || are_paired))
}
