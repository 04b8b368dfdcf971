//! The pipeline `agent`: a chat model searches with tools until it can answer.
//!
//! Its tools are the search modules and pipelines that the configuration
//! gives it, and `read_entry`, which shows one entry whole. The model thinks,
//! calls tools and reads what they give, for `max_iterations` turns at most,
//! and then answers with citations of entries that its tools gave. Models
//! without calls of tools do the same in JSON.
//!
//! Whatever fails or takes too long, what was found until then is answered
//! with the entries' own sentences. Without a model every tool is asked once.
//!
//! ```yaml
//! pipelines:
//!   agent:
//!     retrieval_modules: [keyword, semantic, rag]
//!     provider: local
//!     settings: { max_iterations: 5, total_timeout_seconds: 120 }
//! ```
//!
//! In a program, on a host in memory, with a model that says what a test
//! wants:
//!
//! ```
//! use gannet_agent::{Agent, AgentSettings};
//! use gannet_plugin::testing::FakeHost;
//! use gannet_plugin::prelude::{Entry, Hit, Pipeline, PipelineRequest, Setup};
//! use gannet_plugin::search::{Found, ScoreKind};
//!
//! let host = FakeHost::default()
//!     .with_entries([Entry::new("E1", "log", "2024-01-05T08:30:00Z".parse()?, "CAV1 tripped.")])
//!     .on_search_module("keyword", |_| {
//!         let hits = vec![Hit::new("E1", "logbook", 2.0, ScoreKind::Bm25)];
//!         Ok(Found::new(hits))
//!     })
//!     .with_replies([
//!         r#"{"thought": "look", "tool": "keyword_search", "arguments": {"query": "trip"}}"#,
//!         r#"{"thought": "enough", "final": "CAV1 tripped [#E1]."}"#,
//!     ]);
//!
//! let settings: AgentSettings = serde_json::from_str(r#"{"tool_mode": "text"}"#)?;
//! let setup = Setup::default()
//!     .with_retrieval_modules(vec!["keyword".to_owned()])
//!     .with_provider("scripted".to_owned());
//! let agent = Agent::new(settings, &setup)?;
//! let question = PipelineRequest::new("Which cavity tripped?", 10);
//! let answer = pollster::block_on(agent.run(question, &host.context()))?;
//!
//! assert_eq!(answer.answer.as_deref(), Some("CAV1 tripped [#E1]."));
//! assert_eq!(answer.citations, ["E1"]);
//! assert_eq!(answer.search_modes_used, ["keyword"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Its settings are [`AgentSettings`]; a call can set `temperature`. A
//! facility can put its own prompts in the place of `agent.system`,
//! `agent.text_tools` and `agent.last_turn`.
//!
//! What tools give is data: it stands in a fence that no text can foresee,
//! sanitized, and only the tools of the run can be called. This lowers the
//! risk that a text steers the model, and does not end it.

mod agent;
mod calling;
mod conversation;
mod dialogue;
mod examples;
mod findings;
mod generated_answer;
mod observation;
mod prompts;
mod reply;
mod run;
mod settings;
mod toolbox;
mod trace;
mod turn;

pub use agent::Agent;
pub use settings::{AgentSettings, ToolMode};

gannet_plugin::export_plugin! {
    pipelines: [Agent],
}
