//! The answer about a set of entries that the store counted by its conditions.

use std::cmp::Ordering;

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{
    Precision, QueryPlan, SetCertainty, SetGroup, SetMeasure, SetMember, SetOperation, SetQuery,
};
use gannet_plugin::prelude::Entry;
use jiff::Timestamp;

use super::intervals::intervals;
use super::layout::{nothing, of_quotes};
use super::listing::{headings, unanswered};
use super::measures::measured;
use super::{AnswerInput, ComposedAnswer, PARTIAL_PROBABILITY};

/// Entries that an answer about a set lists.
pub const LISTED_OF_A_SET: usize = 20;
/// Groups that an answer names.
const GROUPS_AT_MOST: usize = 40;
/// Values that an answer names where their number is asked for.
const VALUES_AT_MOST: usize = 20;
/// With more groups, those without an entry are left out.
const GROUPS_WITH_EMPTY: usize = 12;

/// The probability of being right from which a number is given without "About".
const CERTAIN: f64 = 0.9;

/// A set that the store counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedSet<'a> {
    /// What is asked of it.
    pub query: &'a SetQuery,
    /// How many entries it has.
    pub count: u64,
    /// Its entries by what they are counted by.
    pub groups: &'a [SetGroup],
    /// Values that it has no group for, beside those.
    pub left_out: u64,
    /// The times of its entries, the newest first, where the rate is asked for.
    pub times: &'a [Timestamp],
    /// Where the set is empty: how near the entry is that is given.
    pub nearest: Option<Nearest>,
    /// How far its members are certain; `None` where the store decides which
    /// they are.
    pub certainty: Option<SetCertainty>,
}

/// How an entry is near to an empty set: on which side of its times, with its
/// other conditions, or else without one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearest {
    /// The last one before.
    Before,
    /// The first one after.
    After,
    /// The first or last one without one condition.
    Partly,
}

/// Answers from what the store counted. The entries of the input are those that
/// are listed, in their order.
pub fn answer_from_set(set: CountedSet<'_>, input: &AnswerInput<'_>) -> ComposedAnswer {
    let confidence = set.confidence();
    // Entries may say a topic in other words than the question: that none was
    // found is no proof that there is none.
    let is_found = set.count > 0 || set.certainty.is_none();
    let is_proof = is_found && !set.query.is_assumed && confidence >= input.grounded_probability;
    let listed = input.entries.len().min(LISTED_OF_A_SET);
    let status = match is_proof {
        true => AnswerStatus::Grounded,
        false if set.is_unlikely(listed) => AnswerStatus::Insufficient,
        false => AnswerStatus::Partial,
    };
    let reason = match set.query.topic.as_slice() {
        [] => "the store counted the entries by their fields and times".to_owned(),
        topic => format!(
            "members are the entries that are probably about `{}`",
            topic.join(" ")
        ),
    };
    if set.count == 0 && input.entries.is_empty() {
        let text = match set.query.topic.as_slice() {
            [] => "None: no entry has what is asked for.".to_owned(),
            topic => none_about(topic),
        };
        return match is_proof {
            true => ComposedAnswer {
                confidence: Some(confidence),
                ..of_quotes(Vec::new(), &text, status, reason)
            },
            false => nothing(&text, &reason),
        };
    }
    let entries: Vec<&Entry> = input.entries.iter().take(listed).collect();
    let opening = [unread(set.query), Some(set.opening(input, listed))];
    let opening = opening.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let answer = of_quotes(headings(&entries, input), &opening, status, reason);
    ComposedAnswer {
        confidence: (!set.query.is_assumed).then_some(confidence),
        ..answer
    }
}

/// Says which parts of the question the set does not answer.
fn unread(query: &SetQuery) -> Option<String> {
    (!query.unread.is_empty()).then(|| unanswered(&query.unread))
}

/// Says that no entry is about the topic of a set, with the few entries that meet
/// its other conditions: one of them may say the topic in other words. `none` is
/// the probability that none does.
pub fn answer_without_members(
    query: &SetQuery,
    none: f64,
    input: &AnswerInput<'_>,
) -> ComposedAnswer {
    let count = input.entries.len();
    let (first, status) = match none >= input.grounded_probability {
        true => (none_about(&query.topic), AnswerStatus::Insufficient),
        false => {
            let topic = query.topic.join(" ");
            let first = format!("No entry is surely about `{topic}`.");
            (first, AnswerStatus::Partial)
        }
    };
    let others = match count {
        1 => "One entry meets the other conditions:".to_owned(),
        _ => format!("{count} entries meet the other conditions:"),
    };
    let opening = format!("{first} {others}");
    let reason = "no entry is probably about the topic".to_owned();
    let entries: Vec<&Entry> = input.entries.iter().collect();
    of_quotes(headings(&entries, input), &opening, status, reason)
}

fn none_about(topic: &[String]) -> String {
    let topic = topic.join(" ");
    format!("None found: no entry is probably about `{topic}`.")
}

impl CountedSet<'_> {
    /// The probability that the answer is right.
    fn confidence(&self) -> f64 {
        match (self.certainty, self.query.operation) {
            (None, _) => 1.0,
            (Some(of), SetOperation::First | SetOperation::Last) => of.end_confidence,
            (Some(of), _) => of.confidence,
        }
    }

    /// Whether the number is more probably wrong, of entries that are not all
    /// listed: who reads them all can count them. A list is of use as it is.
    fn is_unlikely(&self, listed: usize) -> bool {
        let is_list = self.query.operation == SetOperation::List;
        let is_whole = listed as u64 >= self.count;
        self.confidence() < PARTIAL_PROBABILITY && !is_list && !is_whole
    }

    fn opening(&self, input: &AnswerInput<'_>, listed: usize) -> String {
        if self.count == 0 {
            return self.none(input);
        }
        let first = match self.query.operation {
            SetOperation::Rate => self.rate(input),
            SetOperation::First | SetOperation::Last => self.end_of_time(listed),
            SetOperation::Count | SetOperation::List => self.counted(),
        };
        let mut lines: Vec<String> = measured(self).into_iter().collect();
        lines.push(self.with_group(first));
        lines.extend(self.table());
        if !self.groups.is_empty() {
            lines.push("Entries:".to_owned());
        }
        let has_more = (listed as u64) < self.count;
        let is_end = matches!(
            self.query.operation,
            SetOperation::First | SetOperation::Last
        );
        let end = match (has_more && !is_end, lines.pop()) {
            (true, Some(last)) => format!("{}; the newest {listed}:", last.trim_end_matches(':')),
            (false, Some(last)) if last.ends_with(':') => last,
            (_, last) => format!("{}:", last.unwrap_or_default()),
        };
        lines.push(end);
        lines.join("\n")
    }

    /// "None in 2024; the last before:".
    fn none(&self, input: &AnswerInput<'_>) -> String {
        let asked = named_times(input.plan);
        match self.nearest {
            Some(Nearest::Before) => format!("None {asked}; the last before was:"),
            Some(Nearest::After) => format!("None {asked}; the first after was:"),
            Some(Nearest::Partly) => {
                let end = self.end();
                format!("None has all that is asked for; without one condition the {end} is:")
            }
            None => "None:".to_owned(),
        }
    }

    fn end(&self) -> &'static str {
        match self.query.operation {
            SetOperation::First => "oldest",
            _ => "newest",
        }
    }

    fn end_of_time(&self, listed: usize) -> String {
        let of = self.counted().to_lowercase();
        let end = self.end();
        match (listed, self.count) {
            (_, 1) => "The only entry".to_owned(),
            (1, _) => format!("The {end} of {of}"),
            (listed, count) if listed as u64 == count && self.certainty.is_none() => {
                format!("All {of}, the {end} first")
            }
            (listed, _) => format!("The {end} {listed} of {of}"),
        }
    }

    /// "8 entries from 2008-02-03 to 2012-11-10, one in 248 days on average (3
    /// to 640)".
    fn rate(&self, input: &AnswerInput<'_>) -> String {
        let (Some(last), Some(first)) = (self.times.first(), self.times.last()) else {
            return self.counted();
        };
        let day = |at: &Timestamp| match at.in_tz(input.timezone) {
            Ok(local) => local.date().to_string(),
            Err(_) => at.strftime("%Y-%m-%d").to_string(),
        };
        let all = match self.times.len() as u64 {
            read if read < self.count => format!("{}, the newest {read} of them", self.counted()),
            _ => self.counted(),
        };
        let (first, last) = (day(first), day(last));
        match intervals(self.times) {
            None => format!("{all} on {first}"),
            Some(intervals) => format!("{all} from {first} to {last}, {intervals}"),
        }
    }

    /// "15 entries", or "about 15 entries (11 certain)" where their members are
    /// by probability.
    fn counted(&self) -> String {
        let counted = counted(self.count);
        match self.certainty {
            Some(of) if !self.is_certain() => format!("About {counted} ({} certain)", of.certain),
            _ => counted,
        }
    }

    /// Whether its number is given without "About".
    pub(super) fn is_certain(&self) -> bool {
        self.certainty
            .is_none_or(|of| of.certain == self.count && of.confidence >= CERTAIN)
    }

    fn with_group(&self, first: String) -> String {
        match (&self.query.group_by, self.groups.is_empty()) {
            (Some(group), false) => {
                let name = group.label();
                let of_all: u64 = self.groups.iter().map(|group| group.count).sum();
                // Rows that do not add up say why.
                match of_all.cmp(&self.count) {
                    Ordering::Equal => format!("{first}, by {name}:"),
                    Ordering::Greater => format!("{first}, by {name}; an entry may have several:"),
                    Ordering::Less => format!("{first}, by {name}; the most frequent values:"),
                }
            }
            _ => first,
        }
    }

    /// The counts, one a line.
    fn table(&self) -> Vec<String> {
        let has_empty = self.groups.len() <= GROUPS_WITH_EMPTY;
        let groups = self.groups.iter();
        let groups = groups.filter(|group| has_empty || group.count > 0);
        let lines: Vec<String> = groups
            .map(|group| format!("- {}: {}", group.value, group.count))
            .collect();
        let most = match self.query.measure {
            Some(SetMeasure::Values) => VALUES_AT_MOST,
            _ => GROUPS_AT_MOST,
        };
        let left = lines.len().saturating_sub(most) as u64 + self.left_out;
        let mut lines: Vec<String> = lines.into_iter().take(most).collect();
        if left > 0 {
            lines.push(format!("- {left} more"));
        }
        lines
    }
}

fn counted(count: u64) -> String {
    match count {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    }
}

/// The times as the question has them: "in 2006 and 2007", "since 2013", "on
/// Monday", "in the first week of May".
fn named_times(plan: &QueryPlan) -> String {
    let times = plan.soft_times().filter_map(|time| {
        let span = time.span.clone()?;
        let before = preposition(plan.text.get(..span.start)?);
        let words = plan.text.get(span.start - before..span.end)?;
        Some((words, time.precision))
    });
    let times: Vec<(&str, Precision)> = times.collect();
    let words: Vec<&str> = times.iter().map(|(words, _)| *words).collect();
    let words = words.join(" and ");
    match (words.chars().next(), times.first()) {
        (Some(first), _) if first.is_lowercase() => words,
        (Some(_), Some((_, Precision::Shift | Precision::Day))) => format!("on {words}"),
        (Some(_), _) => format!("in {words}"),
        (None, _) => "at that time".to_owned(),
    }
}

/// The bytes of the preposition at the end of a text, of one that stands before
/// a time.
fn preposition(before: &str) -> usize {
    let prepositions = ["in ", "in the ", "on ", "on the ", "during ", "during the "];
    let is_here = |one: &str| {
        let rest = before.strip_suffix(one);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    };
    let here = prepositions.into_iter().find(|one| is_here(one));
    here.map_or(0, |one| one.len())
}

/// The times of members.
pub fn times_of(members: &[SetMember]) -> Vec<Timestamp> {
    members.iter().map(|member| member.timestamp).collect()
}

#[cfg(test)]
mod tests;
