//! A model that calls tools by the provider's own calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    QUESTION, ask, calls, hit_ids, host_with, listening, nonce_of, noted, run, says, searches,
    setup, steps, told,
};
use gannet_plugin::filter::{Condition, Filter, FilterField, TimeRange};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::PipelineRequest;
use gannet_plugin::provider::{ChatMessage, ChatRole};
use gannet_plugin::testing::{self, FakeHost};
use serde_json::{Value, json};

#[test]
fn it_stands_whatever_a_host_does_to_it() {
    testing::assert_conforms();
}

/// Two tools in one turn, then an answer.
fn two_tools() -> FakeHost {
    host_with([
        calls(
            "Let me look.",
            &[
                (
                    "keyword_search",
                    json!({"query": "RF trip", "max_results": 2}),
                ),
                ("semantic_search", json!({"query": "why did it trip"})),
            ],
        ),
        says("An interlock tripped it [#A]. It came back [#C]. Else [#Z]."),
    ])
}

#[test]
fn the_model_gets_the_question_the_tools_and_what_they_give() {
    let host = two_tools();
    run(json!({}), &setup(), &host.context()).unwrap();
    let chats = host.calls().chats;
    assert_eq!(chats.len(), 2);
    for chat in &chats {
        assert_eq!(chat.provider.as_deref(), Some("scripted"));
        assert_eq!(chat.model.as_deref(), Some("tiny"));
        assert_eq!(chat.temperature, Some(0.1));
        assert_eq!(chat.response_schema, None);
        let names: Vec<&str> = chat.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["keyword_search", "semantic_search", "read_entry"]);
    }
    let keyword = &chats[0].tools[0];
    assert_eq!(keyword.description, "Answers what a test says.");
    let arguments: Vec<&String> = keyword.arguments["properties"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(
        arguments,
        [
            "query",
            "max_results",
            "start_date",
            "end_date",
            "author",
            "source_system"
        ]
    );

    let nonce = nonce_of(&chats[0].messages[0].content).unwrap();
    let without_nonce = |messages: &[ChatMessage]| -> Value {
        let text = serde_json::to_string(messages).unwrap();
        serde_json::from_str(&text.replace(&nonce, "NONCE")).unwrap()
    };
    let first = without_nonce(&chats[0].messages);
    assert_eq!(first.as_array().unwrap().len(), 2);
    assert_eq!(first[0]["role"], "system");
    let system = first[0]["content"].as_str().unwrap();
    assert!(system.contains("between the lines <<<DATA NONCE>>> and <<<END NONCE>>>"));
    assert!(!system.contains('{'), "{system}");
    assert_eq!(first[1], json!({"role": "user", "content": QUESTION}));

    let a = "ENTRY #A | 2024-03-15T10:30:00+00:00 | Author: J. Smith | score 2.000";
    let a_text = "The RF cavity trip was caused by a reflected power interlock.";
    let b = "ENTRY #B | 2024-03-15T10:30:00+00:00 | Author: J. Smith | score 1.000";
    let b_text = "Vacuum pump serviced in sector 4.";
    let c = b.replace("#B", "#C");
    let c_text = "RF cavity retuned after the trip, beam back at 07:15.";
    let expected = json!([
        first[0],
        first[1],
        {"role": "assistant", "content": "Let me look.", "tool_calls": [
            {"id": "c0", "name": "keyword_search", "arguments": {"query": "RF trip", "max_results": 2}},
            {"id": "c1", "name": "semantic_search", "arguments": {"query": "why did it trip"}},
        ]},
        {"role": "tool", "tool_call_id": "c0", "content": format!(
            "<<<DATA NONCE>>>\n1. {a} (bm25)\n   {a_text}\n2. {b} (bm25)\n   {b_text}\n<<<END NONCE>>>"
        )},
        {"role": "tool", "tool_call_id": "c1", "content": format!(
            "<<<DATA NONCE>>>\n1. {a} (cosine)\n   {a_text}\n2. {c} (cosine)\n   {c_text}\n<<<END NONCE>>>"
        )},
    ]);
    assert_eq!(without_nonce(&chats[1].messages), expected);
}

#[test]
fn the_answer_cites_what_tools_gave_and_tells_how_it_came_about() {
    let host = two_tools();
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(
        answer.answer.as_deref(),
        Some("An interlock tripped it [#A]. It came back [#C]. Else.")
    );
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(answer.citations, ["A", "C"]);
    assert_eq!(answer.sources, ["A", "B", "C"]);
    assert_eq!(hit_ids(&answer), ["A", "B", "C"]);
    assert_eq!(answer.search_modes_used, ["keyword", "semantic"]);
    assert_eq!(
        answer.reasoning,
        "2 tool call(s): keyword_search, semantic_search; phrased by a chat model."
    );
    assert!(!answer.degraded);
    let modules: Vec<&str> = answer.hits[0]
        .provenance
        .iter()
        .map(|one| one.module.as_str())
        .collect();
    assert_eq!(modules, ["keyword", "semantic"]);
    assert_eq!(
        noted(&context),
        [("agent.cite".to_owned(), "citation".to_owned())]
    );

    let details = answer.pipeline_details.clone().unwrap();
    assert_eq!(details["pipeline_type"], "agent");
    assert_eq!(
        details["step_summary"],
        "2 tool call(s): keyword_search, semantic_search"
    );
    let first = &details["agent_tool_invocations"][0];
    assert_eq!(first["tool_name"], "keyword_search");
    assert_eq!(
        first["tool_args"],
        json!({"query": "RF trip", "max_results": 2})
    );
    assert_eq!(first["order"], 0);
    assert_eq!(first["result_summary"].as_str().unwrap().len(), 200);
    let kinds: Vec<String> = steps(&answer)
        .iter()
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        kinds,
        [
            "user_query -",
            "reasoning -",
            "tool_call keyword_search",
            "tool_call semantic_search",
            "tool_result keyword_search",
            "tool_result semantic_search",
            "final_answer -",
        ]
    );
}

#[test]
fn events_come_in_order_and_a_thought_is_no_answer() {
    let host = host_with([
        calls(
            "Let me look.",
            &[("keyword_search", json!({"query": "trip"}))],
        ),
        says("An interlock [#A]."),
    ]);
    let (context, heard) = listening(&host);
    run(json!({}), &setup(), &context).unwrap();
    assert_eq!(
        told(&heard),
        [
            "token Let me look.",
            "answer ",
            "thought",
            "tool_call",
            "tool_result",
            "token An",
            "token  interlock",
            "token  [#A].",
            "hit 1 A",
            "hit 2 B",
            "citation A",
            "end",
        ]
    );
}

#[test]
fn tools_are_called_with_the_requests_filter_and_within_their_time() {
    let january = Condition::Time(TimeRange {
        from: "2024-01-01T00:00:00Z".parse().ok(),
        until: None,
    });
    let smith = Condition::Contains("smith".to_owned());
    let filter = Filter::none()
        .and(FilterField::Timestamp, january.clone())
        .and(FilterField::Author, smith.clone());
    let host = host_with([
        calls(
            "",
            &[
                ("keyword_search", json!({"query": "a", "end_date": null})),
                (
                    "keyword_search",
                    json!("{\"query\": \"b\", \"end_date\": \"2023-12-31\"}"),
                ),
            ],
        ),
        says("Nothing."),
    ]);
    let request = PipelineRequest::new(QUESTION, 10).with_filter(filter.clone());
    ask(request, json!({}), &setup(), &host.context()).unwrap();
    let asked = host.calls().search_modules;
    assert_eq!(asked[0].request.filter, filter);
    let until_2024 = Condition::Time(TimeRange {
        from: None,
        until: "2024-01-01T00:00:00Z".parse().ok(),
    });
    let expected = Filter::none()
        .and(FilterField::Author, smith)
        .and(FilterField::Timestamp, until_2024);
    assert_eq!(asked[1].request.filter, expected);
    let left = asked[0].call.deadline.remaining().unwrap();
    assert!(
        left.as_secs_f64() <= 30.0 && left.as_secs_f64() > 20.0,
        "{left:?}"
    );
}

#[test]
fn what_was_said_before_goes_before_the_question() {
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    let said = |role, text: &str| ChatMessage::new(role, text);
    let history = vec![
        said(ChatRole::User, "Which cavity tripped?"),
        said(ChatRole::Assistant, "CAV1."),
    ];
    let request = (PipelineRequest::new("Why?", 10)).with_history(history.clone());
    ask(request, json!({}), &setup(), &host.context()).unwrap();
    let messages = &host.calls().chats[0].messages;
    assert_eq!(messages[1..3], history[..]);
    assert_eq!(messages[3], said(ChatRole::User, "Why?"));
}
