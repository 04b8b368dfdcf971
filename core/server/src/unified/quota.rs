//! Quotas: how often each tenant asked a chat model today.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// The answers of each tenant on one day, which begins at midnight UTC.
#[derive(Default)]
pub(super) struct Quotas(Mutex<Today>);

#[derive(Default)]
struct Today {
    day: i64,
    answers: HashMap<String, u64>,
}

impl Quotas {
    /// Takes one answer; nothing where the tenant had all of today.
    pub fn take(&self, tenant: &str, a_day: u64, now: Timestamp) -> Option<u64> {
        let mut today = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let day = now.as_second().div_euclid(DAY);
        if today.day != day {
            *today = Today {
                day,
                answers: HashMap::new(),
            };
        }
        let answers = today.answers.entry(tenant.to_owned()).or_default();
        if *answers >= a_day {
            return None;
        }
        *answers += 1;
        Some(a_day - *answers)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_tenant_has_its_answers_of_each_day() {
        let quotas = Quotas::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(quotas.take("a", 2, at(10)), Some(1));
        assert_eq!(quotas.take("a", 2, at(DAY - 1)), Some(0));
        assert_eq!(quotas.take("a", 2, at(DAY - 1)), None);
        assert_eq!(quotas.take("b", 2, at(DAY - 1)), Some(1));
        assert_eq!(quotas.take("a", 2, at(DAY)), Some(1));
        assert_eq!(quotas.take("a", 0, at(DAY)), None);
    }
}
