//! `POST /v1/search/synthesize`: the answer as Server-Sent Events. The one
//! without a model comes first; then a model's words, where one is configured,
//! the caller may ask it and the tenant has answers left today.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::Extension;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use futures::Stream;
use futures::stream::unfold;
use gannet_core::SearchResult;
use gannet_core::api::Event;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::PIPELINE;
use super::body::QueryBody;
use super::query::Asking;
use crate::auth::Scope;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::request_id::RequestId;
use crate::state::App;
use crate::stream::{Piece, SearchStream};

/// How often a comment is sent while nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Whether a model is asked, and how many answers are left.
#[derive(Debug, Clone, Copy)]
enum Model {
    Asked { left: u64 },
    NotAsked { reason: &'static str },
}

/// An answer on its way to the client.
struct Synthesis {
    app: App,
    id: RequestId,
    asking: Option<Asking>,
    pieces: SearchStream,
    model: Model,
    /// Whether the answer without a model was sent.
    has_answer: bool,
    number: u64,
}

/// `POST /v1/search/synthesize`.
pub(super) async fn stream(
    app: App,
    Extension(id): Extension<RequestId>,
    JsonBody(body): JsonBody<QueryBody>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Problem> {
    let mut asking = Asking::new(&app, &body)?;
    let model = choose(&app, &asking);
    if let Model::Asked { .. } = model {
        let by_model = Value::from("model");
        asking.input.params.insert("answer".to_owned(), by_model);
    }
    let pieces = SearchStream::start(&app, asking.input.clone()).await?;
    let synthesis = Synthesis {
        app,
        id,
        asking: Some(asking),
        pieces,
        model,
        has_answer: false,
        number: 0,
    };
    let events = unfold(Some(synthesis), |synthesis| async move {
        let mut synthesis = synthesis?;
        let (event, is_last) = synthesis.next().await;
        Some((Ok(event), (!is_last).then_some(synthesis)))
    });
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("heartbeat");
    Ok(Sse::new(events).keep_alive(heartbeat))
}

/// Whether a model is asked. Nothing of it is an error: the answer without one
/// is there in any case.
fn choose(app: &App, asking: &Asking) -> Model {
    let not = |reason| Model::NotAsked { reason };
    let settings = &asking.settings.synthesis;
    let by_model = Map::from_iter([("answer".to_owned(), Value::from("model"))]);
    if !settings.enabled {
        return not("synthesis is disabled");
    }
    if !app.gannet.may_ask_chat_model(PIPELINE, &by_model) {
        return not("no chat model is configured");
    }
    if !app.caller().may(Scope::Ask) {
        return not("the caller lacks the scope `ask`");
    }
    let quotas = &app.lasting.unified.quotas;
    match quotas.take(app.tenant(), settings.answers_per_day, Timestamp::now()) {
        Some(left) => Model::Asked { left },
        None => not("the tenant has no answers of a model left today"),
    }
}

impl Synthesis {
    /// The next event, and whether it is the last. Stages and hits are in the
    /// result at the end.
    async fn next(&mut self) -> (SseEvent, bool) {
        loop {
            let (name, data, is_last) = match self.pieces.next().await {
                Piece::Event(event) => match self.told(event) {
                    Some((name, data)) => (name, data, false),
                    None => continue,
                },
                Piece::Done(result) => ("done", self.done(*result), true),
                Piece::Failed(problem) => {
                    ("error", as_value(&problem.of_request(&self.id.0)), true)
                }
            };
            let event = SseEvent::default().id(self.number.to_string());
            self.number += 1;
            return (event.event(name).data(data.to_string()), is_last);
        }
    }

    fn told(&mut self, event: Event) -> Option<(&'static str, Value)> {
        Some(match event {
            Event::Answer { text } => {
                // A second one takes back what the model said.
                let name = match self.has_answer {
                    false => "deterministic",
                    true => "answer",
                };
                self.has_answer = true;
                (name, json!({ "text": text }))
            }
            Event::Token { text } => ("token", json!({ "text": text })),
            Event::Citation { entry_id } => ("citation", json!({ "entryId": entry_id })),
            _ => return None,
        })
    }

    fn done(&mut self, result: SearchResult) -> Value {
        let Some(asking) = self.asking.take() else {
            return Value::Null;
        };
        let answer = result.answer.clone();
        let by = |result: &SearchResult| result.extensions.get("synthesis")?.get("by").cloned();
        let by_model = by(&result) == Some("model".into());
        let citations = result.citations.clone();
        let (reply, mut rest) = asking.finish(&self.app, result, by_model);
        let mut synthesis = rest.remove("synthesis").unwrap_or_default();
        if let Some(synthesis) = synthesis.as_object_mut() {
            synthesis.insert("text".to_owned(), answer.into());
            synthesis.insert("citations".to_owned(), citations.into());
            match self.model {
                Model::Asked { left } => {
                    synthesis.insert("answersLeftToday".to_owned(), left.into())
                }
                Model::NotAsked { reason } => synthesis.insert("reason".to_owned(), reason.into()),
            };
        }
        json!({ "result": reply, "synthesis": synthesis })
    }
}

fn as_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
