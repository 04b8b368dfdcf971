//! Which form the answer to a request has.

use serde_json::{Value, json};

use crate::reply::{Called, Ending, Reply, What};
use crate::server::Asked;
use crate::{ollama, openai};

/// A form of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    OpenAiChat,
    OllamaChat,
    OpenAiEmbeddings,
    OllamaEmbeddings,
    CohereRerank,
    TeiRerank,
}

/// What goes out: the pieces of the body and what they are.
pub(crate) struct Written {
    pub(crate) content_type: &'static str,
    pub(crate) pieces: Vec<String>,
}

impl Form {
    /// The form by the path; none of a path that no model server has.
    pub(crate) fn of(path: &str) -> Option<Self> {
        Some(match path {
            _ if path.ends_with("/chat/completions") => Self::OpenAiChat,
            _ if path.ends_with("/api/chat") => Self::OllamaChat,
            _ if path.ends_with("/embeddings") => Self::OpenAiEmbeddings,
            _ if path.ends_with("/api/embed") => Self::OllamaEmbeddings,
            _ if path.ends_with("/v1/rerank") || path.ends_with("/v2/rerank") => Self::CohereRerank,
            _ if path.ends_with("/rerank") => Self::TeiRerank,
            _ => return None,
        })
    }

    /// A model's turn.
    pub(crate) fn turn(
        self,
        asked: &Asked,
        reply: &Reply,
        first_id: usize,
    ) -> Result<Written, String> {
        let What::Turn { text, calls } = &reply.what else {
            return Err("the script has no turn of a model".to_owned());
        };
        let default = default_finish(self, calls);
        let finish = reply.finish.as_deref().unwrap_or(default);
        // Ollama streams unless it is told not to.
        let stream = &asked.body["stream"];
        match self {
            Self::OpenAiChat if *stream == true => Ok(Written {
                content_type: "text/event-stream",
                pieces: openai::events(text, calls, finish, first_id, reply.ending),
            }),
            Self::OpenAiChat => {
                let whole = openai::whole(text, calls, finish, first_id);
                Ok(one(whole, reply.ending))
            }
            Self::OllamaChat if *stream != false => Ok(Written {
                content_type: "application/x-ndjson",
                pieces: ollama::lines(text, calls, finish, reply.ending),
            }),
            Self::OllamaChat => Ok(one(ollama::whole(text, calls, finish), reply.ending)),
            _ => Err(format!(
                "the script has a turn of a model for {}",
                asked.path
            )),
        }
    }

    /// Vectors.
    pub(crate) fn embeddings(self, vectors: &[Vec<f32>]) -> Result<Value, String> {
        match self {
            Self::OpenAiEmbeddings => {
                let data: Vec<Value> = vectors
                    .iter()
                    .enumerate()
                    .map(|(index, vector)| json!({"object": "embedding", "index": index, "embedding": vector}))
                    .collect();
                Ok(json!({"object": "list", "data": data, "model": "scripted"}))
            }
            Self::OllamaEmbeddings => Ok(json!({"model": "scripted", "embeddings": vectors})),
            _ => Err(format!("the script has vectors for {self:?}")),
        }
    }

    /// Scores.
    pub(crate) fn scores(self, scores: &[(usize, f64)]) -> Result<Value, String> {
        let named = |name: &str| -> Vec<Value> {
            let one = |(index, score): &(usize, f64)| json!({"index": index, name: score});
            scores.iter().map(one).collect()
        };
        match self {
            Self::CohereRerank => Ok(json!({"results": named("relevance_score")})),
            Self::TeiRerank => Ok(Value::from(named("score"))),
            _ => Err(format!("the script has scores for {self:?}")),
        }
    }
}

fn default_finish(form: Form, calls: &[Called]) -> &'static str {
    match form {
        Form::OpenAiChat if !calls.is_empty() => "tool_calls",
        _ => "stop",
    }
}

/// One JSON body; only its first half where it does not end well.
fn one(body: Value, ending: Ending) -> Written {
    let body = body.to_string();
    let piece = match ending {
        Ending::Whole => body,
        _ => body.chars().take(body.len() / 2).collect(),
    };
    Written {
        content_type: "application/json",
        pieces: vec![piece],
    }
}
