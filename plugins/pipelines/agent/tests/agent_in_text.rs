//! A model that calls tools in the text of its replies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    QUESTION, ask, calls, host_with, later, listening, noted, observations, run, says, setup,
    steps, told, unfenced,
};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::Error;
use gannet_plugin::provider::ChatRole;
use serde_json::json;

const SEARCH: &str =
    r#"{"thought": "look", "tool": "keyword_search", "arguments": {"query": "trip"}}"#;
const ANSWER: &str = r#"{"thought": "enough", "final": "An interlock [#A]. Else [#Z]."}"#;

#[test]
fn tools_are_described_and_replies_are_asked_for_as_json() {
    let host = host_with([says(SEARCH), says(ANSWER)]);
    let (context, heard) = listening(&host);
    let answer = run(json!({"tool_mode": "text"}), &setup(), &context).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]. Else."));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(
        told(&heard),
        [
            "thought",
            "tool_call",
            "tool_result",
            "token An interlock [#A]. Else.",
            "hit 1 A",
            "hit 2 B",
            "citation A",
            "end",
        ]
    );

    let chats = host.calls().chats;
    assert!(chats.iter().all(|chat| chat.tools.is_empty()));
    let schema = chats[0].response_schema.clone().unwrap();
    assert_eq!(
        schema["properties"]["tool"]["enum"],
        json!(["keyword_search", "semantic_search", "read_entry"])
    );
    assert_eq!(
        schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["thought", "tool", "arguments", "final"]
    );
    let system = &chats[0].messages[0].content;
    assert!(
        system.contains("keyword_search: Answers what a test says.\nArguments (JSON Schema): {"),
        "{system}"
    );

    let messages = &chats[1].messages;
    let roles: Vec<ChatRole> = messages.iter().map(|message| message.role).collect();
    assert_eq!(
        roles,
        [
            ChatRole::System,
            ChatRole::User,
            ChatRole::Assistant,
            ChatRole::User
        ]
    );
    assert_eq!(messages[1].content, QUESTION);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&messages[2].content).unwrap(),
        serde_json::from_str::<serde_json::Value>(SEARCH).unwrap()
    );
    let observation = unfenced(&messages[3].content);
    assert!(
        observation.starts_with("Observation: <<<DATA NONCE>>>\n1. ENTRY #A | "),
        "{observation}"
    );
    assert!(observation.ends_with("<<<END NONCE>>>"), "{observation}");
}

#[test]
fn lines_of_react_do_as_well() {
    let host = host_with([
        says("Thought: look\nAction: keyword_search\nAction Input: {\"query\": \"trip\"}"),
        says("Thought: enough\nFinal Answer: An interlock [#A]."),
    ]);
    let answer = run(json!({"tool_mode": "text"}), &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]."));
    assert_eq!(steps(&answer)[1], "reasoning - look");
}

#[test]
fn a_reply_that_cannot_be_read_is_told_to_the_model_and_counts_as_a_turn() {
    let host = host_with([says(r#"{"tool": "keyw"#), says(SEARCH), says(ANSWER)]);
    let context = host.context();
    let settings = json!({"tool_mode": "text", "max_iterations": 2});
    let answer = run(settings, &setup(), &context).unwrap();
    assert_eq!(answer.citations, ["A"]);
    let told = &host.calls().chats[1].messages[3];
    assert!(
        told.content
            .starts_with("Error: the reply is not a JSON object"),
        "{}",
        told.content
    );
    let notes = noted(&context);
    assert_eq!(notes[0], ("agent".to_owned(), "limit".to_owned()));
}

#[test]
fn the_last_turn_says_so_in_the_same_message_as_the_result() {
    let host = host_with([says(SEARCH), says("An interlock [#A].")]);
    let settings = json!({"tool_mode": "text", "max_iterations": 1});
    let answer = run(settings, &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]."));
    let last = &host.calls().chats[1];
    assert_eq!(last.response_schema, None);
    let end = &last.messages.last().unwrap().content;
    assert!(
        end.starts_with("Observation: ") && end.contains("No more tools"),
        "{end}"
    );
}

#[test]
fn a_provider_that_refuses_tools_is_asked_again_in_text() {
    let refusals = [
        Error::invalid_input("tools are not supported"),
        Error::Provider {
            provider: "scripted".to_owned(),
            message: "400: does not support tools".to_owned(),
            retryable: false,
        },
        Error::Provider {
            provider: "scripted".to_owned(),
            message: "127.0.0.1:9/v1 answered 501 Not Implemented: no tools here".to_owned(),
            retryable: false,
        },
    ];
    for refusal in refusals {
        let host = host_with([Err(refusal), says(SEARCH), says(ANSWER)]);
        let context = host.context();
        let answer = run(json!({}), &setup(), &context).unwrap();
        assert_eq!(answer.citations, ["A"]);
        assert!(!answer.degraded);
        let notes = context.diagnostics.take();
        assert_eq!(notes[0].category.as_deref(), Some("tool_mode"));
        assert_eq!(notes[0].level, gannet_plugin::host::Level::Info);
        assert!(notes[0].message.contains("tools"), "{}", notes[0].message);
        let chats = host.calls().chats;
        assert!(!chats[0].tools.is_empty() && chats[1].tools.is_empty());
        assert_eq!(chats[1].messages.len(), 2);
    }
}

#[test]
fn any_other_failure_is_no_refusal_of_tools() {
    for message in [
        "answered 401 Unauthorized: no key",
        "answered 404 Not Found: no such model",
        r#"returned a response that is not JSON: {"tools": 1, "function":"#,
        "the stream was cut",
    ] {
        let refusal = Error::Provider {
            provider: "scripted".to_owned(),
            message: message.to_owned(),
            retryable: false,
        };
        let host = host_with([Err(refusal), says(SEARCH), says(ANSWER)]);
        let context = host.context();
        let answer = run(json!({}), &setup(), &context).unwrap();
        assert!(answer.degraded, "{message}");
        assert_eq!(host.calls().chats.len(), 1, "{message}");
    }
}

#[test]
fn a_model_that_calls_no_tool_at_first_is_asked_again_in_text() {
    let host = host_with([says("It tripped, I guess."), says(SEARCH), says(ANSWER)]);
    let (context, heard) = listening(&host);
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.citations, ["A"]);
    let told = told(&heard);
    assert!(told.contains(&"answer ".to_owned()), "{told:?}");
    assert_eq!(
        noted(&context)[0],
        ("agent".to_owned(), "tool_mode".to_owned())
    );
    assert_eq!(
        steps(&answer),
        [
            "user_query - What caused the RF cavity trip?",
            "reasoning - look",
            "tool_call keyword_search {\"query\":\"trip\"}",
            &steps(&answer)[3],
            "final_answer - An interlock [#A]. Else.",
        ]
    );
}

#[test]
fn a_first_answer_without_a_search_gives_way_to_the_entries() {
    let host = host_with([says("It tripped."), says("It tripped.")]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert!(answer.degraded && !answer.citations.is_empty());
    let notes = noted(&context);
    assert_eq!(notes[1], ("agent".to_owned(), "unavailable".to_owned()));
}

#[test]
fn a_later_answer_without_a_search_stands_uncited() {
    let host = host_with([says("It tripped."), says("It tripped.")]);
    let answer = ask(later(QUESTION), json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("It tripped."));
    assert_eq!(answer.answer_status, Some(AnswerStatus::Uncited));
    assert_eq!(answer.sources, Vec::<String>::new());
    assert_eq!(answer.reasoning, "No tool calls; phrased by a chat model.");
    assert_eq!(host.calls().chats.len(), 2);
}

#[test]
fn in_native_mode_nothing_is_asked_again() {
    let host = host_with([says("It tripped.")]);
    let settings = json!({"tool_mode": "native"});
    let answer = ask(later(QUESTION), settings, &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("It tripped."));
    assert_eq!(host.calls().chats.len(), 1);
}

#[test]
fn calls_of_a_provider_are_not_carried_out_where_none_were_offered() {
    let host = host_with([
        calls("", &[("keyword_search", json!({"query": "trip"}))]),
        says("unused"),
    ]);
    let context = host.context();
    let answer = run(json!({"tool_mode": "text"}), &setup(), &context).unwrap();
    assert!(answer.degraded);
    assert_eq!(
        noted(&context),
        [("agent".to_owned(), "provider".to_owned())]
    );
    assert!(observations(&host).is_empty());
}
