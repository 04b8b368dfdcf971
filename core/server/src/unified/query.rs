//! `POST /v1/search/query`, and what is remembered of a question.

use std::time::Instant;

use axum::Json;
use gannet_core::{SearchInput, SearchResult};
use jiff::Timestamp;
use serde_json::Value;

use super::body::QueryBody;
use super::history::Asked;
use super::keys::{query_key, session_key, user_key};
use super::reply::{QueryReply, SessionReply};
use super::settings::FaceSettings;
use super::telemetry::{Event, Kind};
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// Types of entities that a session carries.
const CARRIED: [&str; 4] = ["device", "pv", "place", "system"];
/// The status of an answer that is one.
const GROUNDED: &str = "grounded";

/// A question and what it began with.
pub(super) struct Asking {
    pub settings: FaceSettings,
    pub input: SearchInput,
    /// The key of the session and its id.
    session: Option<(String, String)>,
}

/// `POST /v1/search/query`.
pub(super) async fn query(
    app: App,
    JsonBody(body): JsonBody<QueryBody>,
) -> Result<Json<QueryReply>, Problem> {
    let asking = Asking::new(&app, &body)?;
    let result = app.search(asking.input.clone()).await?;
    let (reply, _) = asking.finish(&app, result, false);
    Ok(Json(reply))
}

impl Asking {
    /// Reads a question, and what its session remembers.
    ///
    /// # Errors
    /// As [`QueryBody::input`].
    pub fn new(app: &App, body: &QueryBody) -> Result<Self, Problem> {
        let settings = FaceSettings::of(&app.gannet);
        let unified = &app.lasting.unified;
        let session = body.session()?;
        let session = session.map(|id| (session_key(app.caller(), id), id.to_owned()));
        let mut remembered = Vec::new();
        if let Some((key, _)) = &session {
            if body.reset_session {
                unified.sessions.reset(key);
            }
            let lasts = settings.session.lasts();
            remembered = unified.sessions.entities(key, lasts, Instant::now());
        }
        let mut input = body.input(app, &remembered)?;
        if settings.counts_popularity() {
            let clicks = unified.telemetry.clicks(app.tenant());
            let clicks = clicks.iter().map(|(id, count)| format!("{id}={count}"));
            let popular = clicks.collect::<Vec<_>>().join(",");
            input.params.insert("popular".to_owned(), popular.into());
        }
        Ok(Self {
            settings,
            input,
            session,
        })
    }

    /// Makes the reply, and remembers the question. Nothing that is counted
    /// changes the reply.
    pub fn finish(
        self,
        app: &App,
        result: SearchResult,
        by_model: bool,
    ) -> (QueryReply, serde_json::Map<String, Value>) {
        let found = result.entries.len();
        let (mut reply, rest) = QueryReply::new(app, result, None);
        let (status, code) = reply.status();
        let (status, code) = (status.map(str::to_owned), code.map(str::to_owned));
        if self.settings.telemetry.enabled {
            self.count(app, found, (status.clone(), code), by_model);
        }
        if found > 0 {
            let asked = Asked {
                at: Timestamp::now(),
                query: reply.q.clone(),
                status,
                cards: reply.cards.len(),
            };
            let user = user_key(app.caller());
            let histories = &app.lasting.unified.histories;
            histories.add(&user, asked, self.settings.history.most);
        }
        reply.session = self.remembered(app, &reply);
        (reply, rest)
    }

    /// Adds the entities of the question to its session.
    fn remembered(&self, app: &App, reply: &QueryReply) -> Option<SessionReply> {
        let (key, id) = self.session.as_ref()?;
        let is_answered = reply.status().0 == Some(GROUNDED);
        let names = named(&reply.plan, reply.cards.first().filter(|_| is_answered));
        let session = &self.settings.session;
        let sessions = &app.lasting.unified.sessions;
        Some(SessionReply {
            id: id.clone(),
            entities: sessions.add(key, &names, session.entities, Instant::now()),
            expires_in_seconds: session.lasts().as_secs(),
        })
    }

    fn count(
        &self,
        app: &App,
        found: usize,
        (status, code): (Option<String>, Option<String>),
        by_model: bool,
    ) {
        let (caller, telemetry) = (app.caller(), &app.lasting.unified.telemetry);
        let query = query_key(&caller.tenant, &self.input.query);
        let session = self.session.as_ref().map(|(key, _)| key.clone());
        let before = session
            .as_deref()
            .and_then(|session| telemetry.last_answer(&caller.tenant, session));
        let is_other_words = before
            .is_some_and(|(asked, status)| status != GROUNDED && asked.as_ref() != Some(&query));
        let event = |kind| Event {
            at: Timestamp::now(),
            tenant: caller.tenant.clone(),
            kind,
            user: user_key(caller),
            session: session.clone(),
            query: Some(query.clone()),
            status: None,
            code: None,
            entry: None,
        };
        let mut events = vec![event(Kind::Query)];
        if is_other_words {
            events.push(event(Kind::Reformulation));
        }
        if found == 0 {
            events.push(event(Kind::ZeroResult));
        }
        if by_model {
            events.push(event(Kind::Synthesis));
        }
        events.push(Event {
            status,
            code,
            ..event(Kind::AnswerFrame)
        });
        telemetry.add(events, self.settings.telemetry.lasts());
    }
}

/// What a question was about: what it names, else what it leaned on, else what
/// its answer is about. An answer to "who repaired it?" does not say what "it"
/// was.
fn named(plan: &Value, answer: Option<&Value>) -> Vec<String> {
    let is_carried = |kind: &Value| CARRIED.contains(&kind.as_str().unwrap_or_default());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let members = |name: &str| plan[name].as_array().into_iter().flatten();
    let of_question = members("entities")
        .filter(|entity| entity["origin"] == "question" && is_carried(&entity["type"]));
    let names: Vec<String> = of_question.filter_map(|one| text(&one["name"])).collect();
    if !names.is_empty() {
        return names;
    }
    let before: Vec<String> = members("leansOn").filter_map(text).collect();
    if !before.is_empty() {
        return before;
    }
    let answer = answer.filter(|card| is_carried(&card["entityType"]));
    answer
        .and_then(|card| text(&card["title"]))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_remembers_what_was_asked_about_and_not_what_was_found() {
        let card = json!({ "entityType": "device", "title": "CAV1" });
        let device = json!({ "origin": "question", "type": "device", "name": "CAV2" });
        let tag = json!({ "origin": "question", "type": "value", "name": "trip" });
        let page = json!({ "origin": "visible", "type": "device", "name": "CAV3" });
        let names = json!({ "entities": [tag, device, page] });
        assert_eq!(named(&names, Some(&card)), ["CAV2"]);
        let leans = json!({ "entities": [tag], "leansOn": ["CAV2"] });
        assert_eq!(named(&leans, Some(&card)), ["CAV2"]);
        let neither = json!({ "entities": [tag, page] });
        assert_eq!(named(&neither, Some(&card)), ["CAV1"]);
        assert_eq!(named(&neither, None), [""; 0]);
    }
}
