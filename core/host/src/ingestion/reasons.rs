//! Why records were rejected, summed up.

use std::collections::HashMap;

use gannet_api::RejectedRecord;
use serde::Serialize;

/// Reasons that are told apart; records with others count as one.
const REASONS: usize = 100;
/// Records that are named for each reason.
const NAMED: usize = 5;
/// Characters of a reason that are shown.
const SHOWN: usize = 300;

/// One reason, and the records that were rejected for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectReason {
    /// The reason of the first of them.
    pub reason: String,
    /// How many they are.
    pub count: u64,
    /// Where the first ones are in the source.
    pub positions: Vec<String>,
}

/// The reasons of a run. Those that differ in numbers and quoted values only
/// are one.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    places: HashMap<String, usize>,
    found: Vec<RejectReason>,
}

impl Reasons {
    pub(super) fn add(&mut self, rejected: &RejectedRecord) {
        let reason = first_line(&rejected.reason);
        let key = match self.found.len() < REASONS {
            true => without_values(reason),
            false => String::new(),
        };
        let next = self.found.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.found.push(RejectReason {
                reason: reason.chars().take(SHOWN).collect(),
                count: 0,
                positions: Vec::new(),
            });
        }
        let found = &mut self.found[place];
        found.count += 1;
        if found.positions.len() < NAMED {
            found.positions.push(rejected.position.clone());
        }
    }

    /// The most frequent ones first.
    pub(super) fn sorted(&self) -> Vec<RejectReason> {
        let mut reasons = self.found.clone();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        reasons
    }
}

fn first_line(reason: &str) -> &str {
    reason.lines().next().unwrap_or_default().trim()
}

/// A reason without digits and what stands in double quotation marks, which is
/// the value of one record.
fn without_values(reason: &str) -> String {
    let parts = reason.split('"').step_by(2);
    let parts = parts.map(|part| part.replace(|one: char| one.is_ascii_digit(), ""));
    parts.collect::<Vec<_>>().join("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_a_value_are_one() {
        let mut reasons = Reasons::default();
        for (line, reason) in [
            (1, "`date` \"soon\" is not a valid time"),
            (2, "no `id`"),
            (3, "`date` \"then\" is not a valid time"),
            (4, "17 bytes, more than `max`\nand more"),
            (5, "230 bytes, more than `max`"),
            (6, "`date` \"5\" is not a valid time"),
        ] {
            reasons.add(&RejectedRecord::new(format!("line {line}"), reason, ""));
        }
        let sorted = reasons.sorted();
        let counts = sorted.iter().map(|one| (one.reason.as_str(), one.count));
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [
                ("`date` \"soon\" is not a valid time", 3),
                ("17 bytes, more than `max`", 2),
                ("no `id`", 1),
            ]
        );
        assert_eq!(sorted[0].positions, ["line 1", "line 3", "line 6"]);
    }

    #[test]
    fn of_many_reasons_the_rest_counts_as_one() {
        let mut reasons = Reasons::default();
        for letters in 0..200_u32 {
            let reason = "x".repeat(letters as usize);
            reasons.add(&RejectedRecord::new("here", reason, ""));
        }
        let sorted = reasons.sorted();
        assert!(sorted.len() <= REASONS + 1);
        assert_eq!(sorted.iter().map(|one| one.count).sum::<u64>(), 200);
    }
}
