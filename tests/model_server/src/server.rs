//! The server: a thread of its own with a runtime of its own.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, Response, StatusCode};
use serde_json::Value;
use tokio::sync::{oneshot, watch};

use crate::form::Form;
use crate::pieces::{Abandoned, body, hang};
use crate::reply::{Ending, Reply, What};

/// What the server was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The path, without what follows a `?`.
    pub path: String,
    /// The header of this name.
    pub authorization: Option<String>,
    /// All headers, with names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body; null when it is no JSON.
    pub body: Value,
}

/// A server on a free port of this machine, until it is dropped.
pub struct ModelServer {
    url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    script: Box<dyn Fn(&Asked) -> Reply + Send + Sync>,
    asked: watch::Sender<Vec<Asked>>,
    calls: AtomicUsize,
    abandoned: Abandoned,
}

impl ModelServer {
    /// Answers with these, one after the other. A request beyond them is
    /// answered with 500 and a text that says so.
    pub fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let script: VecDeque<Reply> = script.into_iter().collect();
        let length = script.len();
        let script = Mutex::new(script);
        Self::answering(move |_| {
            let next = script.lock().unwrap().pop_front();
            next.unwrap_or_else(|| {
                let end = format!("the script has only {length} answers");
                Reply::status(500, end)
            })
        })
    }

    /// Answers each request with what the function makes of it.
    pub fn answering(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let shared = Arc::new(Shared {
            script: Box::new(script),
            asked: watch::Sender::default(),
            calls: AtomicUsize::new(1),
            abandoned: Abandoned::new(),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel();
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("model-server".to_owned())
            .spawn(move || run(listener, of_thread, stopped))
            .unwrap();
        Self {
            url,
            shared,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What was asked so far, in order.
    pub fn requests(&self) -> Vec<Asked> {
        self.shared.asked.borrow().clone()
    }

    /// Waits until so many requests have come.
    pub async fn asked(&self, count: usize) {
        let mut asked = self.shared.asked.subscribe();
        asked.wait_for(|asked| asked.len() >= count).await.unwrap();
    }

    /// Waits until the reader of an answer that hangs has gone away.
    pub async fn abandoned(&self) {
        let mut count = self.shared.abandoned.watch();
        count.wait_for(|count| *count > 0).await.unwrap();
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Serves until it is told to stop. Connections end with the runtime.
fn run(listener: std::net::TcpListener, shared: Arc<Shared>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let router = Router::new().fallback(answer).with_state(shared);
        tokio::select! {
            served = async { axum::serve(listener, router).await } => served.unwrap(),
            _ = stopped => {}
        }
    });
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response<Body> {
    let (head, request_body) = request.into_parts();
    let bytes = to_bytes(request_body, usize::MAX).await.unwrap_or_default();
    let asked = Asked {
        path: head.uri.path().to_owned(),
        authorization: text(&head.headers, AUTHORIZATION.as_str()),
        headers: head
            .headers
            .keys()
            .filter_map(|name| Some((name.to_string(), text(&head.headers, name.as_str())?)))
            .collect(),
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    };
    shared.asked.send_modify(|all| all.push(asked.clone()));
    let reply = (shared.script)(&asked);
    written(&shared, &asked, reply)
        .await
        .unwrap_or_else(|misuse| {
            response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "text/plain",
                misuse.into(),
            )
        })
}

/// The answer on the wire, or what is wrong with the script.
async fn written(shared: &Shared, asked: &Asked, reply: Reply) -> Result<Response<Body>, String> {
    let form = || Form::of(&asked.path).ok_or(format!("no model server serves {}", asked.path));
    let json = |body: Value| response(StatusCode::OK, "application/json", body.to_string().into());
    match &reply.what {
        What::Turn { text, calls } => {
            if reply.ending == Ending::Hang && text.is_empty() {
                hang(shared.abandoned.clone()).await;
            }
            let first_id = shared.calls.fetch_add(calls.len(), Ordering::Relaxed);
            let written = form()?.turn(asked, &reply, first_id)?;
            let body = body(written.pieces, reply.ending, shared.abandoned.clone());
            Ok(response(StatusCode::OK, written.content_type, body))
        }
        What::Embeddings(vectors) => Ok(json(form()?.embeddings(vectors)?)),
        What::Scores(scores) => Ok(json(form()?.scores(scores)?)),
        What::Json(body) => Ok(json(body.clone())),
        What::Raw { content_type, body } => {
            Ok(response(StatusCode::OK, content_type, body.clone().into()))
        }
        What::Status {
            code,
            body,
            retry_after,
        } => {
            let status = StatusCode::from_u16(*code).map_err(|error| error.to_string())?;
            let mut response = response(status, "application/json", body.clone().into());
            if let Some(value) = retry_after {
                let value = value.parse().map_err(|_| "Retry-After cannot be sent")?;
                response.headers_mut().insert(RETRY_AFTER, value);
            }
            Ok(response)
        }
    }
}

fn response(status: StatusCode, content_type: &str, body: Body) -> Response<Body> {
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, content_type)
        .body(body)
        .unwrap()
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    Some(value.to_owned())
}
