//! The instructions of the model, built in or by the facility.

use gannet_plugin::prelude::Setup;
use gannet_stages::BuiltInPrompt;

const PLUGIN: &str = "agent";

const SYSTEM: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "system",
    text: include_str!("../prompts/agent.system.md"),
    required: &["nonce"],
};
const TEXT_TOOLS: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "text_tools",
    text: include_str!("../prompts/agent.text_tools.md"),
    required: &["tools"],
};
const LAST_TURN: BuiltInPrompt = BuiltInPrompt {
    plugin: PLUGIN,
    part: "last_turn",
    text: include_str!("../prompts/agent.last_turn.md"),
    required: &[],
};

/// Every prompt of the pipeline.
pub(crate) const PROMPTS: [BuiltInPrompt; 3] = [SYSTEM, TEXT_TOOLS, LAST_TURN];

/// What the model is and does. `nonce` is that of the fence, `today` a day of
/// the facility.
pub(crate) fn system(setup: &Setup, nonce: &str, today: &str) -> String {
    SYSTEM.render(setup, &[("nonce", nonce), ("today", today)])
}

/// Which tools there are, and how a reply is written; `example` is a call that
/// makes sense as it stands, since small models repeat it.
pub(crate) fn text_tools(setup: &Setup, tools: &str, example: &str) -> String {
    TEXT_TOOLS.render(setup, &[("tools", tools), ("example", example)])
}

/// That the answer is wanted now.
pub(crate) fn last_turn(setup: &Setup) -> String {
    LAST_TURN.render(setup, &[])
}
