//! `GET` and `POST /api/search/stream`: the events of a search as Server-Sent
//! Events. Each has an id; the last one is `done` with the whole result, or
//! `error` with a problem.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::Extension;
use axum::http::StatusCode;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use futures::Stream;
use futures::stream::unfold;
use gannet_core::api::{Diagnostic, Event, Events};
use gannet_core::{HostError, SearchInput, SearchResult, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::ariel::{SearchBody, SearchReply};
use crate::extract::{JsonBody, QueryOf};
use crate::problem::Problem;
use crate::request_id::RequestId;
use crate::routes::Routes;
use crate::state::App;
use crate::work::Work;

/// How often a comment is sent while nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Events that wait for a slow reader at most.
const MOST_UNREAD: usize = 16_384;

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Streams";
    const STATUSES: &[u16] = &[400, 415, 422, 503];
    let about = (TAG, "The events of a search (Server-Sent Events)", STATUSES);
    routes.get_stream::<StreamQuery, _, _>("/api/search/stream", about, get);
    routes.post_stream::<SearchBody, _, _>("/api/search/stream", about, post);
}

/// A search, for clients that can only `GET`. Everything else can be said with
/// `POST`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StreamQuery {
    /// The question.
    query: String,
    /// An enabled search module or pipeline.
    mode: Option<String>,
    /// Maximum number of entries.
    max_results: Option<usize>,
    /// Only entries on or after this day or time.
    start_date: Option<String>,
    /// Only entries on or before this day or time.
    end_date: Option<String>,
    /// Only entries whose author contains this text.
    author: Option<String>,
    /// Only entries of this source system.
    source_system: Option<String>,
    /// Parameters of the mode, as a JSON object.
    advanced_params: Option<String>,
}

impl StreamQuery {
    fn into_body(self) -> Result<SearchBody, Problem> {
        let params = self.advanced_params.as_deref().unwrap_or("{}");
        let params: Map<String, Value> = serde_json::from_str(params)
            .map_err(|error| Problem::invalid(format!("advanced_params: {error}")))?;
        Ok(SearchBody {
            query: self.query,
            mode: self.mode,
            max_results: self.max_results,
            start_date: self.start_date,
            end_date: self.end_date,
            author: self.author,
            source_system: self.source_system,
            advanced_params: params,
            ..SearchBody::default()
        })
    }
}

/// `GET /api/search/stream`.
async fn get(
    app: App,
    Extension(id): Extension<RequestId>,
    QueryOf(query): QueryOf<StreamQuery>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Problem> {
    respond(app, id, query.into_body()?).await
}

/// `POST /api/search/stream`.
async fn post(
    app: App,
    Extension(id): Extension<RequestId>,
    JsonBody(body): JsonBody<SearchBody>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Problem> {
    respond(app, id, body).await
}

async fn respond(
    app: App,
    id: RequestId,
    body: SearchBody,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Problem> {
    let (input, notes) = body.into_input(&app)?;
    let pieces = SearchStream::start(&app, input).await?;
    let state = Some((pieces, app, id, notes, 0_u64));
    let events = unfold(state, |state| async move {
        let (mut pieces, app, id, mut notes, number) = state?;
        let piece = pieces.next().await;
        let is_last = !matches!(piece, Piece::Event(_));
        let event = SseEvent::default().id(number.to_string());
        let event = event_of(&app, event, piece, &id, &mut notes);
        let next = (!is_last).then_some((pieces, app, id, notes, number + 1));
        Some((Ok(event), next))
    });
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("heartbeat");
    Ok(Sse::new(events).keep_alive(heartbeat))
}

fn event_of(
    app: &App,
    event: SseEvent,
    piece: Piece,
    id: &RequestId,
    notes: &mut Vec<Diagnostic>,
) -> SseEvent {
    let (name, data) = match piece {
        Piece::Event(event) => {
            let data = serde_json::to_value(&event).unwrap_or_default();
            (data["event"].as_str().unwrap_or("event").to_owned(), data)
        }
        Piece::Done(result) => {
            let reply = SearchReply::new(app, *result, std::mem::take(notes));
            ("done".to_owned(), as_value(&reply))
        }
        Piece::Failed(problem) => ("error".to_owned(), as_value(&problem.of_request(&id.0))),
    };
    event.event(name).data(data.to_string())
}

fn as_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// What a search tells while it runs.
pub(crate) enum Piece {
    /// Something happened.
    Event(Event),
    /// It ended; the last piece.
    Done(Box<SearchResult>),
    /// It failed; the last piece.
    Failed(Problem),
}

/// A search under way. It is cancelled when this is dropped, as when the
/// client goes away.
pub(crate) struct SearchStream {
    events: mpsc::Receiver<Event>,
    /// Set when more came than was read.
    is_behind: Arc<AtomicBool>,
    result: Pin<Box<dyn Future<Output = Result<SearchResult, Problem>> + Send>>,
    stopped: Pin<Box<dyn Future<Output = ()> + Send>>,
    outcome: Option<Result<SearchResult, Problem>>,
}

impl SearchStream {
    /// Starts a search as soon as there is room for it.
    ///
    /// # Errors
    /// 503 where there is no room.
    pub async fn start(app: &App, mut input: SearchInput) -> Result<Self, Problem> {
        let permit = app
            .backend
            .admit(app.caller(), input.mode.as_deref(), &input.params);
        let permit = permit.await?;
        let (sender, events) = mpsc::channel(MOST_UNREAD);
        let is_behind = Arc::new(AtomicBool::new(false));
        let mode = input.mode.as_deref().unwrap_or(app.gannet.default_mode());
        let (backend, caller) = (app.backend.clone(), app.caller().clone());
        let record = backend.begin(app.caller(), mode, &input.query).await;
        let falls_behind = is_behind.clone();
        input.events = Events::to(move |event| {
            // Whoever listened may be gone; the search then ends soon.
            if let Err(TrySendError::Full(_)) = sender.try_send(event) {
                falls_behind.store(true, Ordering::Relaxed);
            }
        });
        let host = app.gannet.clone();
        let work: Work<Result<SearchResult, HostError>> =
            Work::start(permit, async move { host.search(input).await });
        let result = async move {
            let result = match work.answer().await {
                Ok(answer) => answer.map_err(Problem::from),
                Err(problem) => Err(problem),
            };
            record.end(result.as_ref().ok());
            result.map(|result| backend.for_caller(&caller, result))
        };
        let seconds = app.config().shutdown_timeout_seconds.saturating_sub(5);
        Ok(Self {
            events,
            is_behind,
            result: Box::pin(result),
            stopped: Box::pin(stopped(
                app.lasting.stop.clone(),
                Duration::from_secs(seconds),
            )),
            outcome: None,
        })
    }

    /// The next piece. What happened comes before the end.
    pub async fn next(&mut self) -> Piece {
        loop {
            if self.is_behind.load(Ordering::Relaxed) {
                return Piece::Failed(too_slow());
            }
            if self.outcome.is_some() {
                match self.events.recv().await {
                    Some(Event::End) => {}
                    Some(event) => return Piece::Event(event),
                    None => return self.end(),
                }
                continue;
            }
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    Some(Event::End) | None => self.outcome = Some(self.finish().await),
                    Some(event) => return Piece::Event(event),
                },
                outcome = &mut self.result => self.outcome = Some(outcome),
                () = &mut self.stopped => return Piece::Failed(stopping()),
            }
            // A plugin may keep its end of the events; nothing comes after the end.
            if self.outcome.is_some() {
                self.events.close();
            }
        }
    }

    /// The result, once there are no more events.
    async fn finish(&mut self) -> Result<SearchResult, Problem> {
        tokio::select! {
            outcome = &mut self.result => outcome,
            () = &mut self.stopped => Err(stopping()),
        }
    }

    fn end(&mut self) -> Piece {
        match self.outcome.take() {
            Some(Ok(result)) => Piece::Done(Box::new(result)),
            Some(Err(problem)) => Piece::Failed(problem),
            None => Piece::Failed(stopping()),
        }
    }
}

/// Events are missing, and a part of an answer must not look like all of it.
fn too_slow() -> Problem {
    let detail = "the events were not read fast enough; ask again";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "reader_too_slow", detail)
}

/// Ends so long after the service was asked to stop.
pub(crate) async fn stopped(stop: Stop, grace: Duration) {
    stop.raised().await;
    tokio::time::sleep(grace).await;
}

/// What a request is told then.
pub(crate) fn stopping() -> Problem {
    Problem::unavailable("shutting_down", "the server is stopping; ask again")
}
