//! The pipeline `rag`: retrieve, fuse, assemble, answer and cite.
//!
//! It asks every search module that the configuration gives it, fuses their
//! lists by score, and answers with sentences of the entries, each with its
//! citation. With a chat model configured, that answer is sent first and the
//! model's follows; whatever the model fails at, the first answer stands.
//!
//! ```yaml
//! pipelines:
//!   rag:
//!     retrieval_modules: [keyword, semantic]
//!     settings:
//!       fusion: { method: convex, alpha: 0.5 }
//!       candidates: 100
//! ```
//!
//! In a program, without a host around it:
//!
//! ```
//! use gannet_plugin::prelude::{Pipeline, Setup};
//! use gannet_rag::{Rag, RagSettings};
//!
//! let settings = RagSettings { candidates: 100, ..RagSettings::default() };
//! let setup = Setup::default().with_retrieval_modules(vec!["keyword".to_owned()]);
//! let rag = Rag::new(settings, &setup)?;
//! // `rag.run(request, &context).await` answers.
//! # drop(rag);
//! assert_eq!(Rag::descriptor().name, "rag");
//! # Ok::<(), gannet_plugin::prelude::Error>(())
//! ```
//!
//! A call can choose what is searched and how the answer is worded:
//!
//! | parameter | does |
//! |---|---|
//! | `method` | asks all modules, those that compare meanings, or the others |
//! | `scope` | searches only entries with these values |
//! | `pinned` | puts these entries in front of what is found |
//! | `rerank`, `min_relevance` | let a reranker order the first hits, and cut what is less relevant |
//! | `answer` | lets a model word the answer, the entries alone, or nobody |
//! | `similarity_threshold`, `max_context_chars`, `max_chars_per_entry`, `temperature` | as in the settings |
//!
//! Its settings are [`RagSettings`]; its prompts are `rag.system`, `rag.user`
//! and `rag.ask`, and a facility can put its own in their place.

mod ask_prompt;
mod by_time;
mod examples;
mod generate;
mod given;
mod late;
mod matching;
mod method;
mod parameters;
mod pinned;
mod planned;
mod prompts;
mod rag;
mod ranking;
mod report;
mod retrieval;
mod run;
mod scope;
mod search_text;
mod sets;
mod settings;
mod wording;

pub use method::Method;
pub use rag::Rag;
pub use settings::{BudgetSettings, RagSettings};

gannet_plugin::export_plugin! {
    pipelines: [Rag],
}
