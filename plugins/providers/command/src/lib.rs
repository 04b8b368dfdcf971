//! A program as a chat model: it reads the conversation from standard input and
//! writes the answer to standard output.
//!
//! ```yaml
//! providers:
//!   command:
//!     settings: { command: "llm -m local", timeout_seconds: 120 }
//! pipelines:
//!   rag: { provider: command }
//! ```
//!
//! The command is split into words with the quoting rules of a shell and run
//! without a shell; the first word is the program. `$HOME` and `;` are literal.
//!
//! ```
//! use futures::TryStreamExt;
//! use gannet_command::{Command, Settings};
//! use gannet_plugin::prelude::Setup;
//! use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatModel, ChatRequest, ChatRole};
//!
//! # let runtime = tokio::runtime::Runtime::new()?;
//! # runtime.block_on(async {
//! let settings = Settings {
//!     command: Some("tr a-z A-Z".to_owned()),
//!     ..Settings::default()
//! };
//! let model = Command::new(settings, &Setup::default())?;
//! let mut request = ChatRequest::default();
//! request.messages.push(ChatMessage::new(ChatRole::User, "why did it trip?"));
//! let chunks: Vec<ChatChunk> = model.chat(request, &gannet_plugin::testing::context()).await?.try_collect().await?;
//! assert_eq!(chunks[0], ChatChunk::Token("WHY DID IT TRIP?".to_owned()));
//! # Ok::<(), gannet_plugin::prelude::Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without `command` it is taken from the environment, by the task that it is
//! for: see [`route`]. A program knows nothing of tools: it is not told of
//! them. It is ended, with all that it started, when its time is over, when it
//! writes more than 1 MiB, or when nobody listens any more. When it exits, the
//! answer is what it wrote until then, and what it left behind is ended too.
//!
//! What is said in general and the question are set apart by an empty line,
//! and each turn of a longer conversation too, with the name of who speaks.
//! The 2 bytes of the first are part of a prompt's budget
//! (`budget.max_prompt_bytes`); turns of a conversation come on top of it.
//!
//! It is in a process group of its own, so a signal to the host does not reach
//! it. A host that is ended by a signal calls [`end_all`] before it exits.

mod group;
mod process;
mod prompt;
mod provider;
mod route;

pub use group::end_all;
pub use provider::{Command, Settings};
pub use route::{NoCommand, Task, route};

gannet_plugin::export_plugin! {
    runtime: tokio,
    chat_models: [Command],
}
