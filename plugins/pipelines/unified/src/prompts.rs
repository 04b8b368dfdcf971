//! Prompts: what is said to a chat model, in the built-in words or in those of
//! the facility.

use gannet_plugin::prelude::Setup;
use gannet_plugin::provider::{ChatMessage, ChatRole};
use gannet_stages::{BuiltInPrompt, CitationStyle};

const PLUGIN: &str = "unified";

/// What the model is, and how it is to treat what it reads.
const SYSTEM: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "system",
    text: include_str!("../prompts/unified.system.md"),
    required: &["nonce"],
};
/// Entries in order, and the question.
const USER: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "user",
    text: include_str!("../prompts/unified.user.md"),
    required: &["context", "question"],
};

/// Every prompt of the pipeline.
pub(crate) const PROMPTS: [BuiltInPrompt; 2] = [SYSTEM, USER];

/// What is said to the model: the system's words, and the question after the
/// fenced entries.
pub(crate) fn messages(
    setup: &Setup,
    style: CitationStyle,
    mark: &str,
    (context, question): (&str, &str),
) -> Vec<ChatMessage> {
    let values = [
        ("citing", style.instruction()),
        ("mark", style.form()),
        ("nonce", mark),
        ("context", context),
        ("question", question),
    ];
    vec![
        ChatMessage::new(ChatRole::System, SYSTEM.render(setup, &values[..3])),
        ChatMessage::new(ChatRole::User, USER.render(setup, &values)),
    ]
}
