//! What the run did, step by step: streamed, and kept for the result.

use gannet_plugin::pipeline::Event;
use gannet_plugin::prelude::Context;
use serde_json::{Value, json};

/// Characters of what is kept of a step.
const KEPT_CHARS: usize = 200;

/// What the run did.
pub(crate) struct Trace {
    context: Context,
    steps: Vec<Value>,
    invocations: Vec<Invocation>,
}

/// One call of a tool.
struct Invocation {
    tool_name: String,
    tool_args: Value,
    result_summary: String,
}

impl Trace {
    /// The trace of a run over this question.
    pub(crate) fn of(question: &str, context: &Context) -> Self {
        let mut trace = Self {
            context: context.clone(),
            steps: Vec::new(),
            invocations: Vec::new(),
        };
        trace.step("user_query", question, None);
        trace
    }

    /// What the model thought before it called a tool.
    pub(crate) fn thought(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.step("reasoning", text, None);
            self.tell("thought", json!({ "text": cut(text) }));
        }
    }

    /// A call, and its place among the calls.
    pub(crate) fn tool_call(&mut self, tool: &str, arguments: &Value) -> usize {
        let order = self.invocations.len();
        let (tool, arguments) = (cut(tool), bounded(arguments));
        self.step("tool_call", &arguments.to_string(), Some(&tool));
        let details = json!({ "tool_name": tool, "tool_args": arguments, "order": order });
        self.tell("tool_call", details);
        self.invocations.push(Invocation {
            tool_name: tool,
            tool_args: arguments,
            result_summary: String::new(),
        });
        order
    }

    /// What a call gave.
    pub(crate) fn tool_result(&mut self, order: usize, result: &str) {
        let summary = cut(result);
        let Some(invocation) = self.invocations.get_mut(order) else {
            return;
        };
        invocation.result_summary.clone_from(&summary);
        let tool = invocation.tool_name.clone();
        self.step("tool_result", &summary, Some(&tool));
        let details = json!({ "tool_name": tool, "result_summary": summary, "order": order });
        self.tell("tool_result", details);
    }

    /// The answer.
    pub(crate) fn final_answer(&mut self, text: &str) {
        self.step("final_answer", text, None);
    }

    /// The result's `pipeline_details`.
    pub(crate) fn details(&self) -> Value {
        let invocations = self.invocations.iter().enumerate();
        let invocations: Vec<Value> = invocations
            .map(|(order, one)| {
                json!({
                    "tool_name": one.tool_name,
                    "tool_args": one.tool_args,
                    "result_summary": one.result_summary,
                    "order": order,
                })
            })
            .collect();
        json!({
            "pipeline_type": "agent",
            "agent_tool_invocations": invocations,
            "agent_steps": self.steps,
            "step_summary": self.summary(),
        })
    }

    /// `3 tool call(s): keyword_search, semantic_search`, each tool named once
    /// in the order of the first calls, or `No tool calls`.
    pub(crate) fn summary(&self) -> String {
        if self.invocations.is_empty() {
            return "No tool calls".to_owned();
        }
        let mut names: Vec<&str> = Vec::new();
        for invocation in &self.invocations {
            if !names.contains(&invocation.tool_name.as_str()) {
                names.push(&invocation.tool_name);
            }
        }
        let calls = self.invocations.len();
        format!("{calls} tool call(s): {}", names.join(", "))
    }

    fn step(&mut self, step_type: &str, content: &str, tool_name: Option<&str>) {
        let order = self.steps.len();
        self.steps.push(json!({
            "step_type": step_type,
            "content": cut(content),
            "tool_name": tool_name,
            "order": order,
        }));
    }

    fn tell(&self, stage: &str, details: Value) {
        let stage = stage.to_owned();
        self.context.emit(Event::Stage { stage, details });
    }
}

fn cut(text: &str) -> String {
    text.chars().take(KEPT_CHARS).collect()
}

/// Arguments as they are; of those that nobody would write, the beginning.
fn bounded(arguments: &Value) -> Value {
    const LONGEST: usize = 4_000;
    let written = arguments.to_string();
    match written.len() > LONGEST {
        true => Value::String(cut(&written)),
        false => arguments.clone(),
    }
}

#[cfg(test)]
mod tests {
    use gannet_plugin::testing::FakeHost;

    use super::*;

    #[test]
    fn the_summary_counts_calls_and_names_each_tool_once() {
        let mut trace = Trace::of("why?", &FakeHost::default().context());
        assert_eq!(trace.summary(), "No tool calls");
        for tool in ["keyword_search", "read_entry", "keyword_search"] {
            trace.tool_call(tool, &json!({}));
        }
        assert_eq!(
            trace.summary(),
            "3 tool call(s): keyword_search, read_entry"
        );
    }
}
