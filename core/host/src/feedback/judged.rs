//! Judged questions of what users said: an evaluation set of the facility.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Feedback, FeedbackSubject, Verdict};
use crate::eval::{EvalSet, Question};

/// The grade of an entry that answers the question.
const ANSWERS: u32 = 2;
/// The grade of an entry that was opened, of which nothing was said.
const OPENED: u32 = 1;

/// What was said of an entry for a question.
#[derive(Debug, Default, Clone, Copy)]
struct Votes {
    helpful: u32,
    not_helpful: u32,
    opened: u32,
}

impl Votes {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Helpful => self.helpful += 1,
            Verdict::NotHelpful => self.not_helpful += 1,
            Verdict::Opened => self.opened += 1,
        }
    }

    /// What is said outweighs that it was opened.
    fn grade(self) -> u32 {
        match (self.helpful, self.not_helpful) {
            (0, 0) => OPENED,
            (yes, no) if yes > no => ANSWERS,
            _ => 0,
        }
    }
}

impl EvalSet {
    /// The questions of which users said or showed which entries answer them,
    /// sorted by their text. An entry has grade 2 where more users found it, or
    /// an answer that cites it, helpful than not; 1 where it was only opened;
    /// else 0. A question without an entry above 0 is left out.
    pub fn of_feedback(feedback: &[Feedback]) -> Self {
        let mut votes: BTreeMap<String, (&str, HashMap<String, Votes>)> = BTreeMap::new();
        for one in feedback {
            // A wrong answer does not mean that each entry it cites is wrong.
            let is_answer = matches!(one.subject, FeedbackSubject::Answer { .. });
            if is_answer && one.verdict == Verdict::NotHelpful {
                continue;
            }
            let of_question = votes
                .entry(one.question.to_lowercase())
                .or_insert_with(|| (&one.question, HashMap::new()));
            let ids: BTreeSet<&String> = one.entry_ids().iter().collect();
            for id in ids {
                let of_entry = of_question.1.entry(id.clone()).or_default();
                of_entry.add(one.verdict);
            }
        }
        let mut set = Self::default();
        for (text, entries) in votes.into_values() {
            let grades = entries.into_iter().map(|(id, votes)| (id, votes.grade()));
            let grades: HashMap<String, u32> = grades.collect();
            if grades.values().all(|grade| *grade == 0) {
                continue;
            }
            let id = format!("feedback-{}", set.questions.len() + 1);
            set.grades.insert(id.clone(), grades);
            set.questions.push(Question {
                id,
                text: text.to_owned(),
                exclude: Vec::new(),
            });
        }
        set
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn of_entry(question: &str, id: &str, verdict: Verdict) -> Feedback {
        let subject = FeedbackSubject::Entry {
            entry_id: id.to_owned(),
        };
        Feedback::new(question, subject, verdict).unwrap()
    }

    fn of_answer(question: &str, ids: &[&str], verdict: Verdict) -> Feedback {
        let subject = FeedbackSubject::Answer {
            citations: ids.iter().map(|id| (*id).to_owned()).collect(),
            confidence: Some(0.9),
            mode: None,
        };
        Feedback::new(question, subject, verdict).unwrap()
    }

    #[test]
    fn what_is_said_of_an_entry_outweighs_that_it_was_opened() {
        let set = EvalSet::of_feedback(&[
            of_entry("Why did it trip?", "a", Verdict::Opened),
            of_entry("Why did it trip?", "b", Verdict::Opened),
            of_entry("why did it  trip?", "a", Verdict::NotHelpful),
            of_answer("Why did it trip?", &["c"], Verdict::Helpful),
        ]);
        assert_eq!(set.questions.len(), 1);
        assert_eq!(set.questions[0].text, "Why did it trip?");
        let grades = &set.grades[&set.questions[0].id];
        let grade = |id: &str| grades.get(id).copied();
        assert_eq!(
            (grade("a"), grade("b"), grade("c")),
            (Some(0), Some(1), Some(2))
        );
    }

    #[test]
    fn a_question_that_nothing_answers_is_left_out() {
        let set = EvalSet::of_feedback(&[
            of_answer("Who?", &["a"], Verdict::NotHelpful),
            of_entry("When?", "a", Verdict::NotHelpful),
        ]);
        assert_eq!(set, EvalSet::default());
    }
}
