//! A conversation as a single text.

use gannet_plugin::provider::{ChatMessage, ChatRequest, ChatRole};

/// What separates the parts. The budget of a prompt counts it once, between
/// what is said in general and the question.
const BETWEEN: &str = "\n\n";

/// The input of the program: instructions, earlier turns, and the question. A
/// single turn is passed unchanged.
pub(crate) fn prompt(request: &ChatRequest) -> String {
    let is_system = |message: &&ChatMessage| message.role == ChatRole::System;
    let turns = request.messages.iter().filter(|m| !is_system(m));
    let is_dialogue = turns.clone().count() > 1;
    let mut parts: Vec<String> = request
        .messages
        .iter()
        .filter(is_system)
        .map(|message| message.content.clone())
        .collect();
    if let Some(schema) = &request.response_schema {
        parts.push(format!(
            "Answer with one JSON value, and nothing else, that this JSON Schema allows:\n{schema}"
        ));
    }
    parts.extend(turns.map(|message| match is_dialogue {
        true => turn(message),
        false => message.content.clone(),
    }));
    parts.retain(|part| !part.is_empty());
    parts.join(BETWEEN)
}

fn turn(message: &ChatMessage) -> String {
    let speaker = match message.role {
        ChatRole::System => "System",
        ChatRole::User => "User",
        ChatRole::Assistant => "Assistant",
        ChatRole::Tool => "Tool",
    };
    let calls = message
        .tool_calls
        .iter()
        .map(|call| format!("(calls {} with {})", call.name, call.arguments));
    let said = (!message.content.is_empty()).then(|| message.content.clone());
    let lines: Vec<String> = said.into_iter().chain(calls).collect();
    format!("{speaker}: {}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use gannet_plugin::provider::ToolCall;
    use serde_json::json;

    use super::*;

    fn message(role: ChatRole, content: &str) -> ChatMessage {
        ChatMessage::new(role, content)
    }

    fn written(messages: Vec<ChatMessage>) -> String {
        prompt(&ChatRequest::new(messages))
    }

    #[test]
    fn a_question_alone_stands_as_it_is() {
        let question = message(ChatRole::User, " Why?\n");
        assert_eq!(written(vec![question.clone()]), " Why?\n");
        let system = message(ChatRole::System, "Be brief.");
        let sizes = system.content.len() + question.content.len();
        let text = written(vec![system, question]);
        assert_eq!(text, "Be brief.\n\n Why?\n");
        // As the front page and the reference of the configuration say.
        assert_eq!(text.len(), sizes + 2);
    }

    #[test]
    fn turns_say_who_speaks() {
        let call = ToolCall::new("1", "keyword", json!({"query": "trip"}));
        let text = written(vec![
            message(ChatRole::System, "Be brief."),
            message(ChatRole::User, "Why?"),
            message(ChatRole::Assistant, "").with_tool_calls(vec![call]),
            message(ChatRole::Tool, "A trip."),
            message(ChatRole::User, "And then?"),
        ]);
        assert_eq!(
            text,
            "Be brief.\n\nUser: Why?\n\nAssistant: (calls keyword with {\"query\":\"trip\"})\n\n\
             Tool: A trip.\n\nUser: And then?"
        );
    }

    #[test]
    fn a_schema_is_told_before_the_question() {
        let text = prompt(
            &ChatRequest::new(vec![message(ChatRole::User, "Why?")])
                .with_response_schema(json!({"type": "object"})),
        );
        assert!(
            text.ends_with("allows:\n{\"type\":\"object\"}\n\nWhy?"),
            "{text}"
        );
    }
}
