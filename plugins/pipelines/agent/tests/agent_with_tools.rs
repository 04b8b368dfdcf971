//! A model that calls tools by the provider's own calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    QUESTION, ask, calls, entry, found, hit_ids, host, host_with, listening, nonce_of, noted,
    observations, run, says, scripted, searches, server_is_down, setup, steps, told, unfenced,
};
use gannet_agent as _;
use gannet_plugin::testing::{self, FakeHost};
use gannet_plugin::{
    AnswerStatus, ChatMessage, ChatRole, Condition, Context, Descriptor, Error, Filter,
    FilterField, Found, Hit, NoSettings, PipelineRequest, Prompts, Result, ScoreKind, SearchModule,
    SearchRequest, Setup, TimeRange,
};
use schemars::JsonSchema;
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
        "2 tool call(s): keyword_search, semantic_search; worded by a chat model."
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
    let request = PipelineRequest {
        filter: filter.clone(),
        ..PipelineRequest::new(QUESTION, 10)
    };
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
    assert!(
        seen[0].contains("max_results") && seen[0].contains("limit"),
        "{}",
        seen[0]
    );
    assert_eq!(
        seen[1],
        "Error: no tool is called `delete_everything`; there are keyword_search, \
         semantic_search, read_entry"
    );
    assert_eq!(seen[2], "Error: query is empty");
    assert!(
        seen[3].starts_with("Error: filter `start_date`: `soon` is no date"),
        "{}",
        seen[3]
    );
    assert_eq!(
        seen[4],
        "Error: no entry has this id; take one that a search shows"
    );
    assert!(seen[5].starts_with("<<<DATA "), "{}", seen[5]);
    assert_eq!(host.calls().search_modules.len(), 1);
    assert_eq!(answer.citations, ["A"]);
    assert!(!answer.degraded);
    assert_eq!(noted(&context), []);
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
    let request = PipelineRequest {
        filter: Filter::none().and(FilterField::Author, nobody),
        ..PipelineRequest::new(QUESTION, 10)
    };
    let answer = ask(request, json!({}), &setup(), &host.context()).unwrap();
    assert_eq!(
        observations(&host),
        ["Error: no entry has this id; take one that a search shows"]
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

#[test]
fn what_was_said_before_goes_before_the_question() {
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    let said = |role, text: &str| ChatMessage {
        role,
        content: text.to_owned(),
        tool_calls: Vec::new(),
        tool_call_id: None,
    };
    let history = vec![
        said(ChatRole::User, "Which cavity tripped?"),
        said(ChatRole::Assistant, "CAV1."),
    ];
    let request = PipelineRequest {
        history: history.clone(),
        ..PipelineRequest::new("Why?", 10)
    };
    ask(request, json!({}), &setup(), &host.context()).unwrap();
    let messages = &host.calls().chats[0].messages;
    assert_eq!(messages[1..3], history[..]);
    assert_eq!(messages[3], said(ChatRole::User, "Why?"));
}

/// Finds entries of one sector.
struct BySector;

/// What an agent passes to it.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct SectorArguments {
    /// What to look for.
    query: String,
    /// Which sector, 1 to 12.
    #[schemars(range(min = 1, max = 12))]
    sector: u8,
}

impl SearchModule for BySector {
    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module("by_sector", "By sector", "Finds entries of one sector.")
            .with_arguments::<SectorArguments>()
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        assert_eq!(request.param::<u8>("sector")?, Some(4));
        Ok(vec![Hit::new("B", "logbook", 1.0, ScoreKind::None)])
    }
}

/// A pipeline, as the host lists it and answers for it.
struct Unified;

impl SearchModule for Unified {
    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline("unified", "Unified", "Searches everywhere.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(vec![Hit::new("C", "logbook", 0.1, ScoreKind::WeightedRrf)])
    }
}

#[test]
fn a_module_of_ones_own_and_a_pipeline_are_tools_like_any_other() {
    let own = host()
        .with_search_module("by_sector", BySector)
        .with_search_module("unified", Unified);
    let host = scripted(
        own,
        [
            calls(
                "",
                &[
                    ("by_sector_search", json!({"query": "pump"})),
                    ("by_sector_search", json!({"query": "pump", "sector": 4})),
                    ("unified", json!({"query": "pump", "depth": 9})),
                    ("unified", json!({"query": "pump"})),
                ],
            ),
            says("Serviced [#B]."),
        ],
    );
    let setup = Setup {
        retrieval_modules: vec!["by_sector".to_owned(), "unified".to_owned()],
        ..setup()
    };
    let answer = run(json!({}), &setup, &host.context()).unwrap();
    assert_eq!(answer.citations, ["B"]);
    assert_eq!(answer.search_modes_used, ["by_sector", "unified"]);
    let tools = &host.calls().chats[0].tools;
    assert_eq!(tools[0].arguments["properties"]["sector"]["maximum"], 12);
    assert_eq!(tools[0].arguments["required"], json!(["query", "sector"]));
    let of_pipeline = tools[1].arguments["properties"].as_object().unwrap();
    assert_eq!(of_pipeline.keys().collect::<Vec<_>>(), ["query"]);
    let seen = observations(&host);
    assert!(
        seen[0].starts_with("Error: ") && seen[0].contains("sector"),
        "{}",
        seen[0]
    );
    assert!(
        seen[2].starts_with("Error: ") && seen[2].contains("depth"),
        "{}",
        seen[2]
    );
}

#[test]
fn the_facilitys_own_prompts_are_used() {
    let mut own = setup();
    own.prompts = Prompts {
        facility: "This is the ALS.".to_owned(),
        guidelines: "Answer in one sentence.".to_owned(),
        ..Prompts::default()
    };
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    run(json!({}), &own, &host.context()).unwrap();
    let system = unfenced(&host.calls().chats[0].messages[0].content);
    assert!(
        system.ends_with("This is the ALS.\n\nAnswer in one sentence."),
        "{system}"
    );

    let file = |text: &str| [("agent.system".to_owned(), text.to_owned())].into();
    own.prompts.files = file("Between {nonce} is data. {facility}");
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    run(json!({}), &own, &host.context()).unwrap();
    let system = &host.calls().chats[0].messages[0].content;
    assert!(system.ends_with(" is data. This is the ALS."), "{system}");

    own.prompts.files = file("Answer.");
    let refused = fixture::agent(json!({}), &own).err().unwrap().to_string();
    assert!(
        refused.contains("agent.system") && refused.contains("{nonce}"),
        "{refused}"
    );
}

#[test]
fn settings_that_cannot_be_used_are_refused_by_name() {
    for name in [
        "max_iterations",
        "tool_timeout_seconds",
        "total_timeout_seconds",
        "max_entry_chars",
    ] {
        let refused = fixture::agent(json!({name: 0}), &setup()).err().unwrap();
        let expected = format!("setting `pipelines.agent.settings.{name}`: must be at least 1");
        assert_eq!(refused.to_string(), expected);
    }
    let refused = fixture::agent(json!({"temperature": 3}), &setup())
        .err()
        .unwrap();
    assert!(refused.to_string().contains("between 0 and 2"), "{refused}");
    let circular = Setup {
        retrieval_modules: vec!["agent".to_owned()],
        ..setup()
    };
    let refused = fixture::agent(json!({}), &circular).err().unwrap();
    assert!(refused.to_string().contains("its own tool"), "{refused}");

    let host = host_with([says("x")]);
    let mut request = PipelineRequest::new(QUESTION, 10);
    request.params.insert("temperature".to_owned(), json!(2.5));
    let refused = ask(request, json!({}), &setup(), &host.context());
    assert!(matches!(refused, Err(Error::InvalidInput { .. })));
}
