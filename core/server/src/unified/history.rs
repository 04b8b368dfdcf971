//! History: the questions of a user that found something.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::Json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::user_key;
use crate::ariel::Presenter;
use crate::extract::JsonBody;
use crate::state::App;

/// Users whose questions are kept at most; of more, that one's is forgotten
/// who asked the longest ago.
const USERS: usize = 1_000;

/// The questions of all users, by their keys.
#[derive(Default)]
pub(super) struct Histories(Mutex<HashMap<String, VecDeque<Asked>>>);

/// A question that found something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    pub at: Timestamp,
    pub query: String,
    pub status: Option<String>,
    pub cards: usize,
}

/// The caller's questions.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryReply {
    /// Newest first, each once.
    entries: Vec<HistoryEntry>,
}

/// A question of the caller's.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryEntry {
    /// The question.
    q: String,
    /// When it was asked last.
    asked_at: String,
    /// `grounded`, `clarify` or `insufficient`.
    status: Option<String>,
    /// How many cards it gave.
    cards: usize,
}

/// Nothing needs to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClearBody {}

impl Histories {
    /// Adds a question, once, in front.
    pub fn add(&self, user: &str, asked: Asked, most: usize) {
        if most == 0 {
            return;
        }
        let mut users = self.lock();
        if users.len() >= USERS && !users.contains_key(user) {
            let newest = |(_, asked): &(&String, &VecDeque<Asked>)| asked.front().map(|a| a.at);
            let oldest = users
                .iter()
                .min_by_key(newest)
                .map(|(user, _)| user.clone());
            if let Some(oldest) = oldest {
                users.remove(&oldest);
            }
        }
        let questions = users.entry(user.to_owned()).or_default();
        questions.retain(|known| known.query != asked.query);
        questions.push_front(asked);
        questions.truncate(most);
    }

    fn of(&self, user: &str) -> Vec<Asked> {
        let users = self.lock();
        let questions = users.get(user).into_iter().flatten();
        questions.cloned().collect()
    }

    fn forget(&self, user: &str) {
        self.lock().remove(user);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Asked>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `GET /v1/search/history`.
pub(super) async fn list(app: App) -> Json<HistoryReply> {
    let presenter = Presenter::new(&app.gannet);
    let asked = app.lasting.unified.histories.of(&user_key(app.caller()));
    let entries = asked.into_iter().map(|asked| HistoryEntry {
        asked_at: presenter.time(asked.at),
        q: asked.query,
        status: asked.status,
        cards: asked.cards,
    });
    Json(HistoryReply {
        entries: entries.collect(),
    })
}

/// `POST /v1/search/history/clear`.
pub(super) async fn clear(app: App, JsonBody(_): JsonBody<ClearBody>) -> Json<HistoryReply> {
    app.lasting
        .unified
        .histories
        .forget(&user_key(app.caller()));
    list(app).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn asked(second: i64, query: &str) -> Asked {
        Asked {
            at: Timestamp::from_second(second).unwrap(),
            query: query.to_owned(),
            status: None,
            cards: 1,
        }
    }

    #[test]
    fn the_newest_questions_are_kept_each_once() {
        let histories = Histories::default();
        for (second, query) in (0..).zip(["a", "b", "a", "c"]) {
            histories.add("user", asked(second, query), 2);
        }
        let kept: Vec<String> = histories.of("user").into_iter().map(|a| a.query).collect();
        assert_eq!(kept, ["c", "a"]);
        assert!(histories.of("other").is_empty());
        histories.add("none", asked(0, "a"), 0);
        assert!(histories.of("none").is_empty());
        for number in 0..(USERS as i64 + 5) {
            histories.add(&number.to_string(), asked(100 + number, "a"), 2);
        }
        assert!(histories.lock().len() <= USERS);
    }
}
