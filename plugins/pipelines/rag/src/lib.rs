//! The pipeline `rag`: retrieve, fuse, assemble, answer and cite.
//!
//! It asks every search module that the configuration gives it, fuses their
//! lists by rank, and answers with sentences of the entries, each with its
//! citation. With a chat model configured, that answer is sent first and the
//! model's follows; whatever the model fails at, the first answer stands.
//!
//! ```yaml
//! pipelines:
//!   rag:
//!     retrieval_modules: [keyword, semantic]
//!     settings:
//!       fusion: { method: rrf, k: 60, weights: { keyword: 1.0, semantic: 1.0 } }
//!       candidates: 50
//! ```
//!
//! In a program, without a host around it:
//!
//! ```
//! use gannet_plugin::{Pipeline, Setup};
//! use gannet_rag::{Rag, RagSettings};
//!
//! let settings = RagSettings { candidates: 100, ..RagSettings::default() };
//! let setup = Setup { retrieval_modules: vec!["keyword".to_owned()], ..Setup::default() };
//! let rag = Rag::new(settings, &setup)?;
//! // `rag.run(request, &context).await` answers.
//! # drop(rag);
//! assert_eq!(Rag::descriptor().name, "rag");
//! # Ok::<(), gannet_plugin::Error>(())
//! ```
//!
//! Its settings are [`RagSettings`]; a call can set `similarity_threshold`,
//! `max_context_chars`, `max_chars_per_entry` and `temperature`.

mod examples;
mod generate;
mod question;
mod rag;
mod report;
mod settings;

pub use rag::Rag;
pub use settings::RagSettings;

gannet_plugin::export_plugin! {
    pipelines: [Rag],
}
