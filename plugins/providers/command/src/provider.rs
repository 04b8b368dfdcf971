//! The provider of the host.

use std::process::ExitStatus;
use std::time::Duration;

use futures::{StreamExt, stream};
use gannet_plugin::prelude::{Context, Descriptor, Error, Result, Setup, settings};
use gannet_plugin::provider::{ChatChunk, ChatModel, ChatRequest, ChatStream};
use tokio::time::{Instant, timeout_at};

use crate::process::Process;
use crate::prompt::prompt;
use crate::{Task, route};

const NAME: &str = "command";

/// Settings of the provider.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The program and its arguments, quoted as in a shell. If not set, the
    /// environment variables of `task` are used.
    pub command: Option<String>,
    /// Timeout of an answer in total, in seconds.
    #[setting(default = 300, min = 1)]
    pub timeout_seconds: u64,
    /// The task, which selects the environment variables with the command.
    pub task: Task,
}

/// A program as a chat model.
pub struct Command {
    instance: String,
    settings: Settings,
}

impl ChatModel for Command {
    const NAME: &'static str = NAME;

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::chat_model(
            Self::NAME,
            "Command",
            "Runs a program that reads the conversation from standard input and prints the answer.",
        )
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        if setup.model.is_some() {
            let message = "a program is run as `command` says; name the model there";
            return Err(Error::configuration(
                format!("providers.{}", setup.instance),
                message,
            ));
        }
        Ok(Self {
            instance: setup.instance.clone(),
            settings,
        })
    }

    async fn chat(&self, request: ChatRequest, _context: &Context) -> Result<ChatStream> {
        let words = self.words()?;
        let Some((program, arguments)) = words.split_first() else {
            return Err(self.misconfigured("the command is empty".to_owned()));
        };
        let process = Process::start(program, arguments, prompt(&request)).map_err(|error| {
            self.misconfigured(format!("cannot run the program `{program}`: {error}"))
        })?;
        let limit = Duration::from_secs(self.settings.timeout_seconds);
        let response = ChatResponse {
            process,
            instance: self.instance.clone(),
            limit,
            until: Instant::now() + limit,
            is_over: false,
        };
        let chunks = stream::try_unfold(response, |mut response| async move {
            let chunk = response.next().await?;
            Ok(chunk.map(|chunk| (chunk, response)))
        });
        Ok(chunks.boxed())
    }
}

impl Command {
    /// The words of the command, read for each call because the environment may
    /// change.
    fn words(&self) -> Result<Vec<String>> {
        let set = self.settings.command.as_deref();
        let command = route(self.settings.task, set, |name| std::env::var(name).ok())
            .map_err(|none| self.misconfigured(none.to_string()))?;
        shlex::split(&command)
            .ok_or_else(|| self.misconfigured("a quote in the command is not closed".to_owned()))
    }

    fn misconfigured(&self, message: String) -> Error {
        let key = format!("providers.{}.settings.command", self.instance);
        Error::configuration(key, message)
    }
}

/// The output of the program as a stream.
struct ChatResponse {
    process: Process,
    instance: String,
    limit: Duration,
    until: Instant,
    is_over: bool,
}

impl ChatResponse {
    async fn next(&mut self) -> Result<Option<ChatChunk>> {
        if self.is_over {
            return Ok(None);
        }
        match self.in_time().await? {
            Some(text) => Ok(Some(ChatChunk::Token(text))),
            None => {
                self.is_over = true;
                Ok(Some(ChatChunk::End("stop".to_owned())))
            }
        }
    }

    async fn in_time(&mut self) -> Result<Option<String>> {
        let (until, limit) = (self.until, self.limit);
        let operation = self.instance.clone();
        timeout_at(until, self.text_or_end())
            .await
            .unwrap_or(Err(Error::Timeout { operation, limit }))
    }

    /// The next text; `None` when the program has exited successfully.
    async fn text_or_end(&mut self) -> Result<Option<String>> {
        let text = self.process.text().await;
        if let Some(text) = text.map_err(|error| self.failed(error.to_string()))? {
            return Ok(Some(text));
        }
        let status = self.process.end().await;
        let status = status.map_err(|error| self.failed(error.to_string()))?;
        if status.success() {
            return Ok(None);
        }
        let complaints = self.process.complaints().await;
        let colon = if complaints.is_empty() { "" } else { ": " };
        let how = how_it_ended(status);
        Err(self.failed(format!("the command {how}{colon}{complaints}")))
    }

    fn failed(&self, message: String) -> Error {
        Error::Provider {
            provider: self.instance.clone(),
            message,
            retryable: false,
        }
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        None => format!("was terminated: {status}"),
    }
}
