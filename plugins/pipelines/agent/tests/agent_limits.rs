//! What stands when the model, the tools or the time come to an end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use std::time::Duration;

use fixture::{
    QUESTION, ask, found, hit_ids, host, host_with, listening, noted, run, says, scripted,
    searches, server_is_down, setup, steps, told, without_model,
};
use gannet_plugin::entry::DEFAULT_TENANT;
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::host::{Call, Deadline};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{Error, PipelineRequest, Result};
use gannet_plugin::provider::{ChatChunk, ChatMessage, ChatRole};
use gannet_plugin::search::{QuerySyntax, ScoreKind};
use gannet_plugin::testing::FakeHost;
use serde_json::json;

const ENTRYS_OWN: &str = "caused by a reflected power interlock. [#A]";

#[test]
fn without_a_model_each_tool_is_asked_once_and_the_entries_answer() {
    let host = host();
    let (context, heard) = listening(&host);
    let answer = run(json!({}), &without_model(), &context).unwrap();
    let text = answer.answer.clone().unwrap();
    assert!(text.contains(ENTRYS_OWN), "{text}");
    assert_eq!(answer.answer_status, Some(AnswerStatus::Grounded));
    assert_eq!(hit_ids(&answer), ["A", "B", "C"]);
    assert_eq!(answer.hits[0].score_kind, ScoreKind::Rrf);
    assert_eq!(answer.hits[0].provenance.len(), 2);
    assert_eq!(answer.search_modes_used, ["keyword", "semantic"]);
    assert!(!answer.degraded);
    let notes = context.diagnostics.take();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].source, "agent");
    assert!(notes[0].message.contains("`reasoning.provider`"));
    let asked = host.calls().search_modules;
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|one| one.request.query == QUESTION));
    assert!(
        asked
            .iter()
            .all(|one| one.request.syntax == QuerySyntax::Plain)
    );
    assert_eq!(
        told(&heard),
        [
            "tool_call",
            "tool_call",
            "tool_result",
            "tool_result",
            &format!("answer {text}"),
            "hit 1 A",
            "hit 2 B",
            "hit 3 C",
            "citation A",
            "end",
        ]
    );
    assert!(host.calls().chats.is_empty());
}

#[test]
fn a_follow_up_without_a_model_is_searched_with_the_question_before() {
    let host = host();
    let context = host.context();
    let history = [
        ChatMessage::new(ChatRole::User, QUESTION),
        ChatMessage::new(ChatRole::Assistant, "A reflected power interlock. [#A]"),
    ];
    let request = PipelineRequest::new("What fixed it?", 10).with_history(history.into());
    let answer = ask(request, json!({}), &without_model(), &context).unwrap();
    let text = answer.answer.clone().unwrap();
    assert!(text.contains("RF cavity"), "{text}");
    let searched = format!("{QUESTION} What fixed it?");
    let asked = host.calls().search_modules;
    assert!(asked.iter().all(|one| one.request.query == searched));
    let notes = context.diagnostics.take();
    let expected = format!("treated as a follow-up; searched for `{searched}`");
    assert!(
        notes.iter().any(|note| note.message == expected),
        "{notes:?}"
    );
}

#[test]
fn the_same_question_without_a_model_gives_the_same_answer() {
    let first = run(json!({}), &without_model(), &host().context()).unwrap();
    for _ in 0..20 {
        assert_eq!(
            run(json!({}), &without_model(), &host().context()).unwrap(),
            first
        );
    }
}

#[test]
fn a_model_that_fails_at_once_leaves_what_each_tool_finds() {
    let broken = [
        Err(server_is_down()),
        Ok(vec![
            Ok(ChatChunk::Token("It ".to_owned())),
            Err(server_is_down()),
        ]),
    ];
    for turn in broken {
        let host = host_with([turn]);
        let (context, heard) = listening(&host);
        let answer = run(json!({}), &setup(), &context).unwrap();
        assert!(answer.answer.clone().unwrap().contains(ENTRYS_OWN));
        assert!(answer.degraded);
        assert_eq!(
            noted(&context),
            [("agent".to_owned(), "provider".to_owned())]
        );
        assert_eq!(host.calls().search_modules.len(), 2);
        assert_eq!(told(&heard).last().unwrap(), "end");
    }
}

#[test]
fn a_model_that_fails_later_leaves_what_was_found_by_then() {
    let broken = vec![
        Ok(ChatChunk::Token("It tripped ".to_owned())),
        Err(server_is_down()),
    ];
    let host = host_with([searches("trip"), Ok(broken)]);
    let (context, heard) = listening(&host);
    let answer = run(json!({}), &setup(), &context).unwrap();
    let text = answer.answer.clone().unwrap();
    assert!(text.contains(ENTRYS_OWN), "{text}");
    assert_eq!(answer.citations, ["A"]);
    assert_eq!(hit_ids(&answer), ["A", "B"]);
    assert_eq!(answer.search_modes_used, ["keyword"]);
    assert!(answer.degraded);
    assert_eq!(
        noted(&context),
        [("agent".to_owned(), "provider".to_owned())]
    );
    let told = told(&heard);
    let shown = told
        .iter()
        .position(|one| one == "token It tripped")
        .unwrap();
    assert_eq!(told[shown + 1], "answer ");
    assert_eq!(told[shown + 2], format!("answer {text}"));
}

#[test]
fn a_model_that_calls_tools_for_ever_is_asked_for_its_answer() {
    let mut turns: Vec<_> = (0..5).map(|n| searches(&format!("trip {n}"))).collect();
    turns.push(says("An interlock [#A]."));
    let host = host_with(turns);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]."));
    assert!(!answer.degraded);
    assert_eq!(noted(&context), [("agent".to_owned(), "limit".to_owned())]);
    let chats = host.calls().chats;
    assert_eq!(chats.len(), 6);
    assert_eq!(host.calls().search_modules.len(), 5);
    let last = chats.last().unwrap();
    assert!(last.tools.is_empty());
    assert!(
        last.messages
            .last()
            .unwrap()
            .content
            .starts_with("No more tools")
    );
}

#[test]
fn a_model_that_does_not_stop_even_then_leaves_what_was_found() {
    for last in [searches("more"), says("  "), says("[#Z]")] {
        let host = host_with([searches("trip"), last]);
        let context = host.context();
        let answer = run(json!({"max_iterations": 1}), &setup(), &context).unwrap();
        assert!(answer.answer.unwrap().contains(ENTRYS_OWN));
        assert!(answer.degraded);
        assert_eq!(host.calls().search_modules.len(), 1);
        let expected = [("agent", "limit"), ("agent", "provider")];
        let expected = expected.map(|(source, category)| (source.to_owned(), category.to_owned()));
        assert_eq!(noted(&context), expected);
    }
}

#[test]
fn when_the_tools_that_the_model_called_failed_the_others_are_asked() {
    let failing = || host().on_search_module("keyword", |_| Err(server_is_down()));
    let host = scripted(failing(), [searches("trip"), says("I could not search.")]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(answer.answer.unwrap().contains(ENTRYS_OWN));
    assert_eq!(answer.search_modes_used, ["semantic"]);
    assert!(answer.degraded);
    let expected = [
        ("agent.tools.keyword", "provider"),
        ("agent", "unavailable"),
    ];
    let expected = expected.map(|(source, category)| (source.to_owned(), category.to_owned()));
    assert_eq!(noted(&context), expected);
}

#[test]
fn when_every_tool_fails_it_is_an_error() {
    let store = || Error::Store {
        message: "connection refused".to_owned(),
        retryable: true,
    };
    let down = || {
        host()
            .on_search_module("keyword", move |_| Err(store()))
            .on_search_module("semantic", move |_| Err(store()))
    };
    let refused = run(json!({}), &without_model(), &down().context());
    assert!(
        matches!(
            refused,
            Err(Error::Store {
                retryable: true,
                ..
            })
        ),
        "{refused:?}"
    );
    let with_model = scripted(down(), [searches("trip"), says("I could not search.")]);
    let refused = run(json!({}), &setup(), &with_model.context());
    assert!(matches!(refused, Err(Error::Store { .. })), "{refused:?}");
}

#[test]
fn a_question_that_every_tool_refuses_is_refused() {
    let refuse = |_: &_| Err(Error::invalid_input("the query is too long"));
    let host = host()
        .on_search_module("keyword", refuse)
        .on_search_module("semantic", refuse);
    let refused = run(json!({}), &without_model(), &host.context());
    assert_eq!(refused, Err(Error::invalid_input("the query is too long")));
}

fn in_time(
    host: &FakeHost,
    time: Duration,
    setup: &gannet_plugin::prelude::Setup,
) -> Result<gannet_plugin::prelude::Answer> {
    let call = Call::new("test", DEFAULT_TENANT, Deadline::after(time));
    run(json!({}), setup, &host.context_of(call))
}

#[test]
fn nobody_is_asked_when_the_time_is_up() {
    let host = host_with([searches("trip")]);
    let late = in_time(&host, Duration::ZERO, &setup());
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
    assert!(host.calls().chats.is_empty() && host.calls().search_modules.is_empty());
}

#[test]
fn a_run_that_ran_out_of_time_names_the_time_that_it_had() {
    let time = Duration::from_millis(30);
    let deadline = Deadline::after(time);
    let host = host_with([searches("trip"), says("Too late.")]);
    let host = host.on_search_module("keyword", move |_| {
        while !deadline.has_passed() {
            std::hint::spin_loop();
        }
        Ok(found(ScoreKind::Bm25, &["A"]))
    });
    let context = host.context_of(Call::new("test", DEFAULT_TENANT, deadline));
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(answer.degraded);
    let notes = context.diagnostics.take();
    let late = notes.iter().find(|one| one.source == "agent").unwrap();
    assert_eq!(late.category.as_deref(), Some("timeout"));
    assert!(!late.message.contains(" 0"), "{}", late.message);
}

/// The host ends a call at its deadline: a model that is too slow is a
/// time-out, and the tools have the rest of the time.
#[test]
fn a_model_that_is_too_slow_leaves_time_for_the_answer() {
    let host = host_with([Err(Error::Timeout {
        operation: "the chat model".to_owned(),
        limit: Duration::from_secs(96),
    })]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert!(answer.answer.unwrap().contains(ENTRYS_OWN));
    assert_eq!(
        noted(&context),
        [("agent".to_owned(), "timeout".to_owned())]
    );
    assert_eq!(host.calls().chats.len(), 1);
}

#[test]
fn a_tool_has_at_most_80_percent_of_the_time_that_is_left() {
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    in_time(&host, Duration::from_secs(10), &setup()).unwrap();
    let left = host.calls().search_modules[0].call.deadline.remaining();
    assert!(left.unwrap() <= Duration::from_secs(8), "{left:?}");
}

#[test]
fn a_blank_question_finds_nothing_or_lists_what_the_filter_lets_through() {
    let host = host_with([]);
    let request = PipelineRequest::new(" ", 10);
    let answer = ask(request.clone(), json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(answer.answer_status, Some(AnswerStatus::Insufficient));
    assert_eq!(steps(&answer), ["user_query -  "]);
    assert!(host.calls().search_modules.is_empty());

    let smith = Condition::Contains("smith".to_owned());
    let filtered = request.with_filter(Filter::none().and(FilterField::Author, smith));
    let answer = ask(filtered, json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(hit_ids(&answer), ["A", "B", "C"]);
    assert!(host.calls().chats.is_empty());
}

#[test]
fn the_result_holds_at_most_what_the_request_wants() {
    let host = host_with([searches("trip"), says("Serviced [#B].")]);
    let request = PipelineRequest::new(QUESTION, 1);
    let answer = ask(request, json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(hit_ids(&answer), ["B"]);
    assert_eq!(answer.sources, ["A", "B"]);
}

#[test]
fn a_module_that_is_not_on_is_no_tool() {
    let mut missing = setup();
    missing.retrieval_modules.push("gone".to_owned());
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    let context = host.context();
    run(json!({}), &missing, &context).unwrap();
    assert_eq!(
        noted(&context),
        [("agent.tools".to_owned(), "configuration".to_owned())]
    );
    missing.retrieval_modules = vec!["gone".to_owned()];
    let refused = run(json!({}), &missing, &host.context());
    assert!(
        matches!(refused, Err(Error::Configuration { .. })),
        "{refused:?}"
    );
}

#[test]
fn two_modules_of_one_tool_name_are_not_mixed_up() {
    let host = host().on_search_module("keyword_search", |_| Ok(found(ScoreKind::Bm25, &["C"])));
    let host = scripted(host, [searches("trip"), says("An interlock [#A].")]);
    let mut both = setup();
    both.retrieval_modules.push("keyword_search".to_owned());
    let context = host.context();
    run(json!({}), &both, &context).unwrap();
    assert_eq!(host.calls().search_modules[0].name, "keyword");
    assert_eq!(
        noted(&context),
        [("agent.tools".to_owned(), "configuration".to_owned())]
    );
}
