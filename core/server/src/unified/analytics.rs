//! Analytics: what a user did with a result, as the page that shows it reports.

use axum::Json;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::{query_key, session_key, user_key};
use super::settings::FaceSettings;
use super::telemetry::{Event, Kind};
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::state::App;

/// Events of one request at most.
const MOST: usize = 100;
/// Bytes of an id at most.
const ID_BYTES: usize = 4 * 1024;

/// What happened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct AnalyticsBody {
    /// At most 100.
    #[schemars(length(min = 1, max = 100))]
    events: Vec<EventBody>,
}

/// Something that happened. No text of it is kept.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct EventBody {
    /// What sort of thing. Questions and answers are counted by themselves.
    #[serde(rename = "type")]
    kind: ClientKind,
    /// The session of the question.
    session_id: Option<String>,
    /// The question; only its hash is kept.
    q: Option<String>,
    /// The entry that was opened.
    entry_id: Option<String>,
}

/// What a page can tell.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ClientKind {
    /// An entry was opened.
    Click,
    /// What was offered after an answer that was none was done.
    RescueAction,
}

/// What was kept.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnalyticsReply {
    /// How many events; 0 where nothing is counted.
    recorded: usize,
}

/// `POST /v1/search/analytics`.
pub(super) async fn record(
    app: App,
    JsonBody(body): JsonBody<AnalyticsBody>,
) -> Result<Json<AnalyticsReply>, Problem> {
    let count = body.events.len();
    if !(1..=MOST).contains(&count) {
        let detail = format!("events: {count} is not between 1 and {MOST}");
        return Err(Problem::bad_request("invalid_parameter", detail));
    }
    let settings = FaceSettings::of(&app.gannet).telemetry;
    if !settings.enabled {
        return Ok(Json(AnalyticsReply { recorded: 0 }));
    }
    let now = Timestamp::now();
    let events = body.events.into_iter().map(|event| event.of(&app, now));
    app.lasting
        .unified
        .telemetry
        .add(events.collect(), settings.lasts());
    Ok(Json(AnalyticsReply { recorded: count }))
}

impl EventBody {
    fn of(self, app: &App, at: Timestamp) -> Event {
        let caller = app.caller();
        Event {
            at,
            tenant: caller.tenant.clone(),
            kind: match self.kind {
                ClientKind::Click => Kind::Click,
                ClientKind::RescueAction => Kind::RescueAction,
            },
            user: user_key(caller),
            session: self.session_id.map(|id| session_key(caller, &id)),
            query: self.q.map(|query| query_key(&caller.tenant, &query)),
            status: None,
            code: None,
            entry: self.entry_id.filter(|id| id.len() <= ID_BYTES),
        }
    }
}
