//! `POST /v1/chat/completions`: a conversation answered by a pipeline.

use std::convert::Infallible;

use axum::Json;
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::unfold;
use gannet_core::api::{AnswerStatus, ChatMessage, ChatRole, Event};
use gannet_core::{SearchInput, SearchResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::{ErrorBody, of_model};
use super::now;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::random;
use crate::state::App;
use crate::stream::{Piece, SearchStream};
use crate::text_range::TextRange;

/// What the content of a turn is.
const MUST_BE_TEXT: &str = "must be a string, or a list of parts of type `text`";
/// What is answered where a mode gives entries and no words.
const NO_ANSWER: &str = "The logbook has no answer to this.";

/// A conversation. Keys of OpenAI that are not here are ignored: how an answer
/// is sampled, tools, and `stream_options`, as tokens are not counted.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ChatCompletionRequest")]
pub(crate) struct ChatBody {
    /// A pipeline or search module.
    model: String,
    /// The turns, oldest first; the last one is the question.
    messages: Vec<Turn>,
    /// Whether the answer is streamed.
    #[serde(default)]
    stream: bool,
    /// How many answers: one.
    #[serde(default)]
    n: Option<u64>,
    /// The form of the answer: its `type` is `text`.
    #[serde(default)]
    response_format: Option<ResponseFormat>,
}

/// The form of an answer.
#[derive(Debug, Deserialize, JsonSchema)]
struct ResponseFormat {
    /// `text`.
    #[serde(rename = "type")]
    kind: String,
}

/// A turn of a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
struct Turn {
    /// `system`, `developer`, `user` or `assistant`.
    role: String,
    /// What is said: a text, or parts of type `text`. A turn of the assistant
    /// that only calls tools has none.
    #[serde(default)]
    content: Value,
}

/// An answer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChatCompletion")]
pub(crate) struct Completion {
    /// The id of the answer.
    id: String,
    /// `chat.completion`.
    object: &'static str,
    /// Seconds since 1970.
    created: i64,
    /// The mode that answered.
    model: String,
    /// The answer.
    choices: Vec<Choice>,
    /// Ids of the entries that are cited.
    citations: Vec<String>,
    #[serde(flatten)]
    trust: Trust,
}

/// How far the answer can be trusted.
#[derive(Debug, Serialize, JsonSchema)]
struct Trust {
    /// `grounded`, `partial`, `clarify`, `insufficient` or `uncited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    answer_status: Option<AnswerStatus>,
    /// The probability that the answer is right, 0 to 1, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_confidence: Option<f64>,
    /// The words of the answer that answer the question, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    answer_highlights: Vec<TextRange>,
}

/// The one answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    /// 0.
    index: usize,
    /// The answer.
    message: Message,
    /// `stop`.
    finish_reason: &'static str,
}

/// What the pipeline says.
#[derive(Debug, Serialize, JsonSchema)]
struct Message {
    /// `assistant`.
    role: &'static str,
    /// Its text.
    content: String,
}

/// `POST /v1/chat/completions`.
pub(crate) async fn complete(
    app: App,
    JsonBody(body): JsonBody<ChatBody>,
) -> Result<Response, Problem> {
    let is_streamed = body.stream;
    let input = body.into_input(&app)?;
    if is_streamed {
        return stream(&app, input).await;
    }
    let result = app.search(input).await?;
    let completion = Completion {
        id: completion_id(),
        object: "chat.completion",
        created: now(),
        model: result.mode.clone(),
        choices: vec![Choice {
            index: 0,
            message: Message {
                role: "assistant",
                content: text_of(&result),
            },
            finish_reason: "stop",
        }],
        trust: Trust::of(&result),
        citations: result.citations,
    };
    Ok(Json(completion).into_response())
}

impl Trust {
    fn of(result: &SearchResult) -> Self {
        Self {
            answer_status: result.answer_status,
            answer_confidence: result.answer_confidence,
            answer_highlights: TextRange::of(result.answer_highlights.clone()),
        }
    }
}

impl ChatBody {
    /// What cannot be given is refused: an answer in another form than the one
    /// that was asked for may be taken for it.
    fn check_form(&self) -> Result<(), Problem> {
        if self.n.is_some_and(|answers| answers != 1) {
            return Err(Problem::invalid("n: one answer is given").param("n"));
        }
        let form = self.response_format.as_ref();
        if form.is_some_and(|form| form.kind != "text") {
            let detail = "response_format: the answer is a text; `type` must be `text`";
            return Err(Problem::invalid(detail).param("response_format"));
        }
        Ok(())
    }

    fn into_input(self, app: &App) -> Result<SearchInput, Problem> {
        self.check_form()?;
        let mode = app.gannet.mode(&self.model).map_err(of_model)?;
        let mode = mode.descriptor.name.clone();
        let mut turns: Vec<ChatMessage> = Vec::new();
        for (at, turn) in self.messages.into_iter().enumerate() {
            let role = match turn.role.as_str() {
                "user" => ChatRole::User,
                "assistant" => ChatRole::Assistant,
                // The pipeline has instructions of its own.
                "system" | "developer" | "tool" => continue,
                other => {
                    let field = format!("messages[{at}].role");
                    let detail = format!(
                        "{field}: there is no role `{other}`; roles are system, developer, user, \
                         assistant, tool"
                    );
                    return Err(Problem::invalid(detail).param(field));
                }
            };
            let content = said(&turn.content).map_err(|fault| {
                let field = format!("messages[{at}].content");
                Problem::invalid(format!("{field}: {fault}")).param(field)
            })?;
            match (content, role) {
                (Some(content), role) => turns.push(ChatMessage::new(role, content)),
                // A turn that only calls tools.
                (None, ChatRole::Assistant) => {}
                (None, _) => {
                    let field = format!("messages[{at}].content");
                    let detail = format!("{field}: the turn of a user must have text");
                    return Err(Problem::invalid(detail).param(field));
                }
            }
        }
        let question = turns.pop().filter(|turn| turn.role == ChatRole::User);
        let Some(question) = question else {
            let detail = "messages: the last turn must be of the role `user`";
            return Err(Problem::invalid(detail).param("messages"));
        };
        let mut input = SearchInput::new(question.content);
        input.mode = Some(mode);
        input.history = turns;
        app.tenant().clone_into(&mut input.tenant);
        Ok(input)
    }
}

/// The text of a part of type `text`; images and files are none.
fn text_of_part(part: &Value) -> Option<&str> {
    let is_text = part.get("type").is_none_or(|kind| kind == "text");
    part["text"].as_str().filter(|_| is_text)
}

/// A text, or the texts of its parts; `None` where nothing is said.
///
/// # Errors
/// What it must be instead.
fn said(content: &Value) -> Result<Option<String>, &'static str> {
    match content {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text.clone())),
        Value::Array(parts) => {
            let texts = parts.iter().map(text_of_part).collect::<Option<Vec<_>>>();
            let texts = texts.ok_or(MUST_BE_TEXT)?;
            Ok(Some(texts.join("\n")))
        }
        _ => Err(MUST_BE_TEXT),
    }
}

/// The answer; of a search module the entries in a line each.
fn text_of(result: &SearchResult) -> String {
    if let Some(answer) = &result.answer {
        return answer.clone();
    }
    let lines = result.entries.iter().map(|hit| {
        let first = hit.entry.raw_text.lines().next().unwrap_or_default();
        format!("[#{}] {first}", hit.entry.entry_id)
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => NO_ANSWER.to_owned(),
        false => lines.join("\n"),
    }
}

/// The tokens of a chat model as they come; without a model the whole answer
/// at the end.
async fn stream(app: &App, input: SearchInput) -> Result<Response, Problem> {
    let model = input.mode.clone().unwrap_or_default();
    let chunks = Chunks {
        id: completion_id(),
        model,
        has_tokens: false,
    };
    let pieces = SearchStream::start(app, input).await?;
    let state = Some((pieces, chunks, Vec::<String>::new()));
    let events = unfold(state, |state| async move {
        let (mut pieces, mut chunks, mut ready) = state?;
        loop {
            if !ready.is_empty() {
                let data = ready.remove(0);
                let is_last = data == Chunks::DONE;
                let event = SseEvent::default().data(data);
                let next = (!is_last).then_some((pieces, chunks, ready));
                return Some((Ok::<_, Infallible>(event), next));
            }
            let piece = pieces.next().await;
            chunks.add(piece, &mut ready);
        }
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

/// The pieces of an answer in OpenAI's form.
struct Chunks {
    id: String,
    model: String,
    has_tokens: bool,
}

impl Chunks {
    /// The end of a stream.
    const DONE: &'static str = "[DONE]";

    fn add(&mut self, piece: Piece, ready: &mut Vec<String>) {
        match piece {
            Piece::Event(Event::Token { text }) => {
                let delta = match self.has_tokens {
                    true => json!({ "content": text }),
                    false => json!({ "role": "assistant", "content": text }),
                };
                self.has_tokens = true;
                ready.push(self.chunk(&delta, None).to_string());
            }
            Piece::Event(_) => {}
            Piece::Done(result) => {
                if !self.has_tokens {
                    let delta = json!({ "role": "assistant", "content": text_of(&result) });
                    ready.push(self.chunk(&delta, None).to_string());
                }
                ready.push(self.last(*result).to_string());
                ready.push(Self::DONE.to_owned());
            }
            Piece::Failed(problem) => {
                let error = serde_json::to_string(&ErrorBody::from(&problem));
                ready.push(error.unwrap_or_default());
                ready.push(Self::DONE.to_owned());
            }
        }
    }

    /// The chunk that ends the answer, with what Gannet says beside it.
    fn last(&self, result: SearchResult) -> Value {
        let mut last = self.chunk(&json!({}), Some("stop"));
        let trust = serde_json::to_value(Trust::of(&result)).unwrap_or_default();
        if let (Value::Object(last), Value::Object(trust)) = (&mut last, trust) {
            last.insert("citations".to_owned(), result.citations.into());
            last.extend(trust);
        }
        last
    }

    fn chunk(&self, delta: &Value, finish_reason: Option<&str>) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": now(),
            "model": self.model,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
        })
    }
}

fn completion_id() -> String {
    format!("chatcmpl-{}", random::hex(24))
}
