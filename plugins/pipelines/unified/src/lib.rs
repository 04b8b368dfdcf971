//! The pipeline `unified`: one question over several domains.
//!
//! A domain is a part of the entries: those of a kind (`logbook`, `document`)
//! or of a source system, or whatever a search module of its own finds. The
//! pipeline plans the question, asks the modules of each domain at once, fuses
//! their lists, raises hits by named boosts, groups them into cards by the
//! entity that they are about, and answers with quoted sentences.
//!
//! ```yaml
//! pipelines:
//!   unified:
//!     retrieval_modules: [keyword, semantic]
//!     settings:
//!       domains:
//!         logbook: { kinds: [logbook], intents: [troubleshoot], routes: [/shift] }
//!         manuals: { kinds: [document], intents: [how_to], words: [manual, procedure] }
//! ```
//!
//! In a program, without a host around it:
//!
//! ```
//! use gannet_plugin::prelude::{Pipeline, Setup};
//! use gannet_unified::{Unified, UnifiedSettings};
//!
//! let setup = Setup::default().with_retrieval_modules(vec!["keyword".to_owned()]);
//! let unified = Unified::new(UnifiedSettings::default(), &setup)?;
//! // `unified.run(request, &context).await` answers.
//! # drop(unified);
//! assert_eq!(Unified::descriptor().name, "unified");
//! # Ok::<(), gannet_plugin::prelude::Error>(())
//! ```
//!
//! The same question, context and index give the same result, byte for byte:
//! nothing reads a clock or depends on which module was first. Only the words
//! of a chat model (`answer: model`) may differ.
//!
//! What it gives beyond an [`Answer`](gannet_plugin::prelude::Answer) is in
//! `extensions`: `cards`, `overflow`, `coverage`, `contextAnswer` and
//! `synthesis`. Its plan is [`Answer::plan`](gannet_plugin::prelude::Answer::plan).

mod aliases;
mod ambient;
mod blended;
mod boosts;
mod cards;
mod compared;
mod context_answer;
mod coverage;
mod domains;
mod entity;
mod entries;
mod examples;
mod face_settings;
mod grounding;
mod grouping;
mod intent;
mod links;
mod merge;
mod names;
mod overflow;
mod parameters;
mod planning;
mod prompts;
mod questions;
mod ranking;
mod retrieval;
mod run;
mod set_union;
mod sets;
mod settings;
mod synthesis;
mod time_order;
mod unified;

pub use face_settings::{HistorySettings, SessionSettings, SynthesisSettings, TelemetrySettings};
pub use intent::Intent;
pub use settings::{
    AnswerSettings, BoostSettings, CardSettings, DomainField, DomainSettings, FreshnessSettings,
    FusionSettings, OverflowSettings, UnifiedSettings,
};
pub use unified::Unified;

gannet_plugin::export_plugin! {
    pipelines: [Unified],
}
