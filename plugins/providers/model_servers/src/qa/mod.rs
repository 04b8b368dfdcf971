//! Extractive question answering on servers.

mod answers;
mod reading;

use std::collections::BTreeMap;

use futures::stream::{StreamExt, TryStreamExt, iter};
use gannet_plugin::prelude::{Context, Descriptor, Error, Result, Setup};
use gannet_plugin::provider::{ReadRequest, Reader, Reading};
use serde_json::{Map, Value, json};

use crate::response::max_of_scores;
use crate::server::{Access, Server};
use crate::settings::{QaForm, QaSettings};

use answers::{Answered, answers_of_each};

const NAME: &str = "hf_qa";

/// A server with Hugging Face's question-answering interface.
pub struct QaServer {
    server: Server,
    path: String,
    form: QaForm,
    model: Option<String>,
    parameters: Map<String, Value>,
    min_score: f64,
    concurrency: usize,
    batch: usize,
}

/// A passage that is sent to the server.
struct Asked<'r> {
    /// Which of the passages of the request.
    passage: usize,
    text: &'r str,
}

impl Reader for QaServer {
    const NAME: &'static str = NAME;

    type Settings = QaSettings;

    fn descriptor() -> Descriptor {
        Descriptor::reader(
            Self::NAME,
            "Question-answering server",
            "Finds the words of entries that answer a question, with a model behind the \
             question-answering interface of Hugging Face.",
        )
    }

    fn new(settings: QaSettings, setup: &Setup) -> Result<Self> {
        let access = Access {
            base_url: settings.base_url,
            key: settings.api_key,
            headers: BTreeMap::new(),
            timeout_seconds: settings.timeout_seconds,
            allow_private_addresses: settings.allow_private_addresses,
            max_retries: settings.max_retries,
        };
        let mut parameters = Map::new();
        if let Some(top_k) = settings.top_k {
            parameters.insert("top_k".to_owned(), top_k.into());
        }
        if let Some(handle) = settings.handle_impossible_answer {
            parameters.insert("handle_impossible_answer".to_owned(), handle.into());
        }
        Ok(Self {
            server: Server::new(&setup.instance, access)?,
            path: settings.path,
            form: settings.form,
            model: settings.model,
            parameters,
            min_score: settings.min_score,
            concurrency: settings.concurrency.max(1),
            batch: settings.batch.max(1),
        })
    }

    /// Passages without text are not sent, and without passages no request is.
    async fn read(&self, request: ReadRequest, _context: &Context) -> Result<Reading> {
        if request.question.trim().is_empty() {
            let message = "the question is empty; a reader needs one with words";
            return Err(Error::invalid_input(message));
        }
        let passages = request.passages.iter().enumerate();
        let asked: Vec<Asked<'_>> = passages
            .map(|(passage, of)| Asked {
                passage,
                text: &of.entry.raw_text,
            })
            .filter(|asked| !asked.text.trim().is_empty())
            .collect();
        let per_request = match self.form {
            QaForm::Single => 1,
            QaForm::List => self.batch,
        };
        let requests: Vec<_> = asked
            .chunks(per_request)
            .map(|asked| self.ask(&request.question, asked))
            .collect();
        let answered: Vec<Vec<Answered>> = iter(requests)
            .buffered(self.concurrency)
            .try_collect()
            .await?;
        Ok(reading::of(
            answered.concat(),
            self.min_score,
            request.max_chars,
        ))
    }
}

impl QaServer {
    /// The answers of the server from each of these passages.
    async fn ask(&self, question: &str, asked: &[Asked<'_>]) -> Result<Vec<Answered>> {
        let texts: Vec<&str> = asked.iter().map(|asked| asked.text).collect();
        let answer = self
            .server
            .post(&self.path, &self.body(question, &texts))
            .await?;
        let endpoint = answer.endpoint().clone();
        let body = answer.json(max_of_scores(&texts)).await?;
        let answers = answers_of_each(&body, &texts)
            .map_err(|why| endpoint.unreadable(why, &body.to_string()))?;
        let answered = asked.iter().zip(answers);
        Ok(answered
            .map(|(asked, answers)| Answered {
                passage: asked.passage,
                ..answers
            })
            .collect())
    }

    fn body(&self, question: &str, texts: &[&str]) -> Value {
        let input = |text: &&str| json!({"question": question, "context": text});
        let inputs = match (self.form, texts) {
            (QaForm::Single, [text]) => input(text),
            _ => texts.iter().map(input).collect(),
        };
        let mut body = json!({"inputs": inputs});
        if !self.parameters.is_empty() {
            body["parameters"] = Value::Object(self.parameters.clone());
        }
        if let Some(model) = &self.model {
            body["model"] = model.as_str().into();
        }
        body
    }
}
