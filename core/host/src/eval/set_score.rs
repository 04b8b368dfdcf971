//! Judges answers about sets of entries.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use super::asking::DEPTH;
use super::{AnswerLine, SetKind, SetQuestion};
use crate::SearchResult;

/// The least F1 of a list that is right.
const LEAST_F1: f64 = 0.9;

/// What was answered about a set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SetAnswer {
    /// The answer.
    pub line: AnswerLine,
    /// How many entries the set has by the answer.
    pub count: Option<u64>,
    /// The numbers of entries by value in lower case, those of 0 left out.
    pub groups: BTreeMap<String, u64>,
}

/// The part of `pipeline_details.set` that is judged.
#[derive(Deserialize)]
struct SetDetails {
    count: u64,
    #[serde(default)]
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    value: String,
    count: u64,
}

impl SetAnswer {
    /// The answer of a result. Without `pipeline_details.set`, the number is the
    /// one that the text begins with.
    pub fn of(id: &str, result: &SearchResult) -> Self {
        let line = AnswerLine::of(id, result);
        let details = result.pipeline_details.as_ref();
        let set = details.and_then(|details| SetDetails::deserialize(details.get("set")?).ok());
        let count = match &set {
            Some(set) => Some(set.count),
            None => leading_count(&line.answer),
        };
        let rows = set.map(|set| set.rows).unwrap_or_default();
        Self {
            groups: groups(rows.into_iter().map(|row| (row.value, row.count))),
            count,
            line,
        }
    }

    /// Whether it is what the gold says.
    pub fn is_right(&self, question: &SetQuestion) -> bool {
        let gold = &question.gold;
        if gold.count == 0 {
            return self.is_none();
        }
        match question.kind {
            SetKind::Count | SetKind::Rate => self.count == Some(gold.count),
            SetKind::List => self.is_list_right(question),
            SetKind::First | SetKind::Last => self.begins_with(&gold.ids, 1),
            SetKind::LastN => self.begins_with(&gold.ids, question.n.unwrap_or(gold.ids.len())),
            SetKind::By => {
                let expected = gold.groups.iter();
                self.groups == groups(expected.map(|(value, count)| (value.clone(), *count)))
            }
        }
    }

    fn is_none(&self) -> bool {
        self.count == Some(0) || self.line.status == "insufficient"
    }

    fn begins_with(&self, gold: &[String], n: usize) -> bool {
        let hits = self.line.top_ids.iter();
        hits.take(n).eq(gold.iter().take(n))
    }

    /// Whether at least nine tenths are listed, by F1. Of a set that is larger than
    /// what a result holds, the number is judged, and that only its entries are
    /// listed.
    fn is_list_right(&self, question: &SetQuestion) -> bool {
        let gold: HashSet<&String> = question.gold.ids.iter().collect();
        let also: HashSet<&String> = question.also_right.iter().collect();
        let cited: HashSet<&String> = self.line.citations.iter().collect();
        let listed: HashSet<&String> = cited.difference(&also).copied().collect();
        let found = listed.intersection(&gold).count();
        if (DEPTH..gold.len()).contains(&cited.len()) && self.count == Some(question.gold.count) {
            return found == listed.len();
        }
        let f1 = 2.0 * found as f64 / (gold.len() + listed.len()) as f64;
        f1 >= LEAST_F1
    }
}

/// "15 entries", "About 15 entries", "None in 2024".
fn leading_count(answer: &str) -> Option<u64> {
    let answer = answer.trim();
    let answer = answer.strip_prefix("About ").unwrap_or(answer);
    if answer.starts_with("None") {
        return Some(0);
    }
    let number = answer.split_whitespace().next()?;
    number.replace(',', "").parse().ok()
}

fn groups(rows: impl Iterator<Item = (String, u64)>) -> BTreeMap<String, u64> {
    let rows = rows.filter(|(_, count)| *count > 0);
    rows.map(|(value, count)| (value.to_lowercase(), count))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::SetGold;

    fn ids(range: std::ops::Range<usize>) -> Vec<String> {
        range.map(|id| format!("E{id}")).collect()
    }

    fn question(kind: SetKind, gold: Vec<String>) -> SetQuestion {
        SetQuestion {
            id: "q".to_owned(),
            collection: None,
            text: "trips".to_owned(),
            kind,
            field_only: true,
            gold: SetGold {
                count: gold.len() as u64,
                ids: gold,
                groups: BTreeMap::new(),
            },
            n: None,
            also_right: Vec::new(),
        }
    }

    fn answer(listed: Vec<String>, count: Option<u64>) -> SetAnswer {
        SetAnswer {
            line: AnswerLine {
                citations: listed.clone(),
                top_ids: listed,
                ..AnswerLine::default()
            },
            count,
            groups: BTreeMap::new(),
        }
    }

    #[test]
    fn a_count_is_the_number_that_the_answer_begins_with() {
        assert_eq!(leading_count("15 entries:"), Some(15));
        assert_eq!(leading_count("About 1,204 entries"), Some(1204));
        assert_eq!(leading_count("None in 2024; the last before:"), Some(0));
        assert_eq!(leading_count("On 2024-03-02: 15 pumps"), None);
        let two = question(SetKind::Count, ids(0..2));
        assert!(answer(Vec::new(), Some(2)).is_right(&two));
        assert!(!answer(Vec::new(), None).is_right(&two));
    }

    #[test]
    fn a_list_may_lack_little_and_entries_that_are_also_right() {
        let mut list = question(SetKind::List, ids(0..10));
        assert!(answer(ids(0..9), None).is_right(&list));
        assert!(!answer(ids(0..8), None).is_right(&list));
        assert!(!answer(ids(0..13), None).is_right(&list));
        list.also_right = ids(10..20);
        assert!(answer(ids(0..13), None).is_right(&list));
    }

    #[test]
    fn of_a_large_set_the_number_is_judged_and_what_is_listed() {
        let list = question(SetKind::List, ids(0..30));
        assert!(answer(ids(5..25), Some(30)).is_right(&list));
        assert!(!answer(ids(5..25), Some(29)).is_right(&list));
        assert!(!answer(ids(15..35), Some(30)).is_right(&list));
        assert!(!answer(ids(0..9), Some(30)).is_right(&list));
    }

    #[test]
    fn the_last_are_the_first_hits_in_their_order() {
        let mut last = question(SetKind::LastN, vec!["E3".to_owned(), "E2".to_owned()]);
        last.n = Some(2);
        let ranked = |ids: [&str; 3]| answer(ids.map(str::to_owned).to_vec(), None);
        assert!(ranked(["E3", "E2", "E9"]).is_right(&last));
        assert!(!ranked(["E2", "E3", "E9"]).is_right(&last));
        let first = question(SetKind::First, vec!["E3".to_owned()]);
        assert!(ranked(["E3", "E2", "E9"]).is_right(&first));
    }

    #[test]
    fn groups_are_equal_in_any_case_without_those_of_none() {
        let mut by = question(SetKind::By, ids(0..3));
        by.gold.groups = BTreeMap::from([("OH".to_owned(), 3)]);
        let rows = [("oh".to_owned(), 3), ("VA".to_owned(), 0)];
        let right = SetAnswer {
            groups: groups(rows.into_iter()),
            ..SetAnswer::default()
        };
        assert!(right.is_right(&by));
        assert!(!SetAnswer::default().is_right(&by));
    }

    #[test]
    fn an_empty_set_is_answered_by_none_or_not_at_all() {
        let empty = question(SetKind::List, Vec::new());
        assert!(answer(ids(0..1), Some(0)).is_right(&empty));
        assert!(!answer(ids(0..1), None).is_right(&empty));
        let mut without = answer(Vec::new(), None);
        without.line.status = "insufficient".to_owned();
        assert!(without.is_right(&empty));
    }
}
