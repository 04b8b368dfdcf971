//! The matches of the caller's searches as Server-Sent Events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use futures::stream::unfold;
use futures::{Stream, StreamExt};

use super::{AfterQuery, MatchReply, found};
use crate::extract::QueryOf;
use crate::problem::Problem;
use crate::state::App;

/// How often a comment is sent while nothing happens.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How often matches are looked for: another process may find them.
const LOOK: Duration = Duration::from_secs(1);

/// What is sent to a client.
struct Sending {
    app: App,
    waiting: VecDeque<MatchReply>,
    after: i64,
}

/// `GET /api/searches/events`. Each event is `match` with the entry's number as
/// its id; a client that comes back says the last one in `Last-Event-ID`.
pub(super) async fn stream(
    app: App,
    headers: HeaderMap,
    QueryOf(query): QueryOf<AfterQuery>,
) -> Result<Sse<impl Stream<Item = Result<SseEvent, Infallible>>>, Problem> {
    let last = headers.get("last-event-id");
    let last = last.and_then(|last| last.to_str().ok()?.parse().ok());
    let reached = app.gannet.last_match(app.tenant()).await?;
    // A store that was restored has not come as far as the client remembers.
    let after = last
        .or(query.after)
        .map_or(reached, |after| after.min(reached));
    let sending = Sending {
        app,
        waiting: VecDeque::new(),
        after,
    };
    // Boxed inside and out: a response is moved many times on its way, and
    // reading matches has a large future.
    let events = unfold(sending, |mut sending| async move {
        let event = Box::pin(sending.next()).await?;
        Some((Ok(event), sending))
    });
    let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("heartbeat");
    Ok(Sse::new(events.boxed()).keep_alive(heartbeat))
}

impl Sending {
    /// The next match; none when the service stops.
    async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(found) = self.waiting.pop_front() {
                return Some(event(&found, self.waiting.front()));
            }
            match found(&self.app, self.after).await {
                Ok((matches, after)) => {
                    self.after = after;
                    self.waiting.extend(matches);
                }
                Err(problem) => tracing::warn!(detail = %problem.detail, "no matches were read"),
            }
            if self.waiting.is_empty() {
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = self.app.lasting.stop.raised() => return None,
                }
            }
        }
    }
}

/// The id stands with the last match of an entry: a client that is cut off
/// before it gets all matches of the entry again.
fn event(found: &MatchReply, next: Option<&MatchReply>) -> SseEvent {
    let data = serde_json::to_string(found).unwrap_or_default();
    let event = SseEvent::default().event("match").data(data);
    match next {
        Some(next) if next.number == found.number => event,
        _ => event.id(found.number.to_string()),
    }
}
