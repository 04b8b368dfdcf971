//! What the model is told, built in or by the facility.

use gannet_plugin::{Result, Setup};

const SYSTEM: (&str, &str) = ("agent.system", include_str!("../prompts/agent.system.md"));
const TEXT_TOOLS: (&str, &str) = (
    "agent.text_tools",
    include_str!("../prompts/agent.text_tools.md"),
);
const LAST_TURN: (&str, &str) = (
    "agent.last_turn",
    include_str!("../prompts/agent.last_turn.md"),
);

/// Whether the facility's own prompts can be used.
pub(crate) fn check(setup: &Setup) -> Result<()> {
    setup.prompts.check(SYSTEM.0, &["nonce"])?;
    setup.prompts.check(TEXT_TOOLS.0, &["tools"])
}

/// What the model is and does. `nonce` is that of the fence, `today` a day of
/// the facility.
pub(crate) fn system(setup: &Setup, nonce: &str, today: &str) -> String {
    render(setup, SYSTEM, &[("nonce", nonce), ("today", today)])
}

/// Which tools there are, and how a reply is written.
pub(crate) fn text_tools(setup: &Setup, tools: &str) -> String {
    render(setup, TEXT_TOOLS, &[("tools", tools)])
}

/// That the answer is wanted now.
pub(crate) fn last_turn(setup: &Setup) -> String {
    render(setup, LAST_TURN, &[])
}

fn render(setup: &Setup, (name, built_in): (&str, &str), values: &[(&str, &str)]) -> String {
    let mut all = vec![
        ("facility", setup.prompts.facility.trim()),
        ("guidelines", setup.prompts.guidelines.trim()),
    ];
    all.extend(values);
    let text = setup.prompts.render(name, built_in, &all);
    text.trim().to_owned()
}
