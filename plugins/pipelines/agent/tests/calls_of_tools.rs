//! What the model sees of its calls: results, mistakes and failures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    QUESTION, ask, calls, entry, found, hit_ids, host, host_with, later, noted, observations, run,
    says, scripted, searches, server_is_down, setup,
};
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{Error, Hit};
use gannet_plugin::search::{Found, ScoreKind};
use gannet_plugin::testing::FakeHost;
use serde_json::json;

#[test]
fn mistakes_of_the_model_are_told_to_it_and_to_nobody_else() {
    let host = host_with([
        calls(
            "",
            &[
                (
                    "keyword_search",
                    json!({"query": "x", "max_results": 99, "limit": 3}),
                ),
                ("delete_everything", json!({})),
                ("keyword_search", json!({"query": " "})),
                (
                    "keyword_search",
                    json!({"query": "x", "start_date": "soon"}),
                ),
                ("read_entry", json!({"entry_id": "Z"})),
                ("semantic_search", json!({"query": "trip"})),
            ],
        ),
        says("An interlock [#A]."),
    ]);
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    let seen = observations(&host);
    assert!(seen[0].starts_with("Error: "), "{}", seen[0]);
    assert!(seen[0].contains("limit"), "{}", seen[0]);
    assert!(!seen[0].contains("max_results"), "{}", seen[0]);
    assert_eq!(
        seen[1],
        "Error: there is no tool `delete_everything`; tools are keyword_search, \
         semantic_search, read_entry"
    );
    assert_eq!(seen[2], "Error: query is empty");
    assert!(
        seen[3].starts_with("Error: filter `start_date`: `soon` is not a valid date"),
        "{}",
        seen[3]
    );
    assert_eq!(
        seen[4],
        "Error: no entry has this id; use one from a search result"
    );
    assert!(seen[5].starts_with("<<<DATA "), "{}", seen[5]);
    assert_eq!(host.calls().search_modules.len(), 1);
    assert_eq!(answer.citations, ["A"]);
    assert!(!answer.degraded);
    assert_eq!(noted(&context), []);
}

#[test]
fn a_number_of_results_outside_the_bounds_is_taken_as_the_nearest() {
    let search = |count: i64| {
        let arguments = json!({"query": "trip", "max_results": count});
        calls("", &[("keyword_search", arguments)])
    };
    let host = host_with([search(0), search(99), search(7), says("An interlock [#A].")]);
    let context = host.context();
    run(json!({}), &setup(), &context).unwrap();
    let asked = host.calls().search_modules;
    let limits: Vec<usize> = asked.iter().map(|call| call.request.limit).collect();
    assert_eq!(limits, [1, 50, 7]);
    let notes = context.diagnostics.take();
    let messages: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`max_results` was 0; taken as 1 (1 to 50)",
            "`max_results` was 99; taken as 50 (1 to 50)",
        ]
    );
}

#[test]
fn a_tool_that_fails_is_noted_once_and_the_others_stand() {
    let failures = [
        Error::Timeout {
            operation: "keyword".to_owned(),
            limit: std::time::Duration::from_millis(5),
        },
        Error::panicked("index out of bounds"),
        server_is_down(),
    ];
    for failure in failures {
        let category = failure.category();
        let failing = host().on_search_module("keyword", move |_| Err(failure.clone()));
        let both = || {
            calls(
                "",
                &[
                    ("keyword_search", json!({"query": "trip"})),
                    ("semantic_search", json!({"query": "trip"})),
                ],
            )
        };
        let host = scripted(failing, [both(), both(), says("An interlock [#A].")]);
        let context = host.context();
        let answer = run(json!({}), &setup(), &context).unwrap();
        let seen = observations(&host);
        let expected = format!(
            "Error: keyword_search failed ({category}); try another tool, or answer from what \
             was found"
        );
        assert_eq!(seen[0], expected);
        assert_eq!(answer.citations, ["A"]);
        assert!(answer.degraded);
        assert_eq!(answer.search_modes_used, ["semantic"]);
        assert_eq!(
            noted(&context),
            [("agent.tools.keyword".to_owned(), category.to_owned())]
        );
    }
}

#[test]
fn results_that_are_none_are_dropped_and_noted() {
    let garbage = host().on_search_module("keyword", |_| {
        let mut found = found(ScoreKind::Bm25, &["A", "gone"]);
        found
            .hits
            .push(Hit::new("B", "logbook", f64::NAN, ScoreKind::Bm25));
        Ok(found)
    });
    let host = scripted(
        garbage,
        [searches("trip"), says("An interlock [#A]. [#gone]")],
    );
    let context = host.context();
    let answer = run(json!({}), &setup(), &context).unwrap();
    assert_eq!(hit_ids(&answer), ["A"]);
    assert_eq!(answer.answer.as_deref(), Some("An interlock [#A]."));
    assert!(answer.degraded);
    let expected = [
        (
            "agent.tools.keyword".to_owned(),
            "invalid_result".to_owned(),
        ),
        ("agent.cite".to_owned(), "citation".to_owned()),
    ];
    assert_eq!(noted(&context), expected);
}

#[test]
fn an_entry_is_read_whole_up_to_its_limit() {
    let host = host_with([
        searches("trip"),
        calls("", &[("read_entry", json!({"entry_id": "#A"}))]),
        calls("", &[("read_entry", json!({"entry_id": "C"}))]),
        says("An interlock [#A]. Retuned [#C]."),
    ]);
    let settings = json!({"max_entry_chars": 18});
    let answer = run(settings, &setup(), &host.context()).unwrap();
    let seen = observations(&host);
    assert_eq!(
        seen[1],
        "<<<DATA NONCE>>>\nENTRY #A | 2024-03-15T10:30:00+00:00 | Author: J. Smith\n\
         The RF cavity trip...\n(cut here)\n<<<END NONCE>>>"
    );
    assert_eq!(answer.citations, ["A", "C"]);
    assert_eq!(hit_ids(&answer), ["A", "B", "C"]);
    assert_eq!(answer.search_modes_used, ["keyword"]);
    assert_eq!(answer.hits[2].score_kind, ScoreKind::None);
}

#[test]
fn an_entry_that_the_request_leaves_out_cannot_be_read() {
    let host = host_with([
        calls("", &[("read_entry", json!({"entry_id": "A"}))]),
        says("I cannot read it."),
    ]);
    let nobody = Condition::Equals("nobody".to_owned());
    let request = later(QUESTION).with_filter(Filter::none().and(FilterField::Author, nobody));
    let answer = ask(request, json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(
        observations(&host),
        ["Error: no entry has this id; use one from a search result"]
    );
    assert_eq!(answer.sources, Vec::<String>::new());
}

#[test]
fn nothing_found_is_said_as_such() {
    let nothing = host().on_search_module("keyword", |_| Ok(Found::default()));
    let host = scripted(nothing, [searches("x"), says("No entry tells of it.")]);
    let answer = run(json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(
        observations(&host),
        ["No matches found in the indexed corpus."]
    );
    assert_eq!(answer.answer_status, Some(AnswerStatus::Uncited));
    assert!(!answer.degraded);
}

#[test]
fn five_results_stay_short() {
    let long = (0..5).map(|n| entry(&format!("L{n}"), &"The cavity tripped. ".repeat(200)));
    let long = FakeHost::default()
        .with_entries(long)
        .on_search_module("keyword", |_| {
            Ok(found(ScoreKind::Bm25, &["L0", "L1", "L2", "L3", "L4"]))
        });
    let host = scripted(long, [searches("trip"), says("It tripped [#L0].")]);
    run(json!({}), &setup(), &host.context()).unwrap();
    let seen = observations(&host);
    let snippets = seen[0].lines().filter(|line| line.starts_with("   "));
    let lengths: Vec<usize> = snippets.map(|line| line.trim().chars().count()).collect();
    assert_eq!(lengths.len(), 5);
    assert!(lengths.iter().all(|length| *length <= 500), "{lengths:?}");
}
