//! Inputs with what ARIEL gives for them, read from a folder `shared/cases`
//! beside the repository. Without it each test says that it was skipped.
//!
//! Left out: its SQL tool, which is not there, and entries without a time,
//! which cannot be stored.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    ask, calls, entry, found, host_with, later, observations, run, says, scripted, searches, setup,
    steps,
};
use gannet_keyword::Keyword;
use gannet_plugin::filter::{Condition, FilterField, TimeRange};
use gannet_plugin::pipeline::{ReadOptions, Tool};
use gannet_plugin::prelude::{Descriptor, Error, Hit, SearchModule};
use gannet_plugin::search::{Found, ScoreKind};
use gannet_plugin::testing::FakeHost;
use gannet_semantic::Semantic;
use gannet_test_cases::strings;
use serde_json::{Value, json};

fn cases(area: &str) -> Vec<Value> {
    gannet_test_cases::cases("ariel.jsonl", area)
}

fn tool(descriptor: &Descriptor) -> Tool {
    Tool::of(descriptor).unwrap()
}

/// No tool at all is an error here.
#[test]
fn the_tools_are_the_modules_that_are_on_and_named() {
    for case in cases("agent_tools") {
        let input = &case["input"];
        let mut host = FakeHost::default();
        for (name, module) in input["search_modules"].as_object().unwrap() {
            if module["enabled"] == true {
                host = host.on_search_module(name, |_| Ok(found(ScoreKind::Bm25, &[])));
            }
        }
        let named = &input["pipelines"]["agent"]["retrieval_modules"];
        let setup = setup().with_retrieval_modules(if named.is_null() {
            Vec::new()
        } else {
            strings(named)
        });
        let host = scripted(host, [says("Nothing.")]);
        let outcome = run(json!({"tool_mode": "native"}), &setup, &host.context());
        let expected = strings(&case["expected"]);
        if expected.is_empty() {
            assert!(
                matches!(outcome, Err(Error::Configuration { .. })),
                "{case}"
            );
            continue;
        }
        let offered = &host.calls().chats[0].tools;
        let searches = offered.iter().map(|tool| tool.name.clone());
        let searches: Vec<String> = searches.filter(|name| name != "read_entry").collect();
        assert_eq!(searches, expected, "{case}");
    }
}

/// Names, and the arguments of ARIEL's with their bounds; there are more here.
#[test]
fn descriptors_give_the_tools_that_ariel_has() {
    for case in cases("tool_descriptor") {
        let expected = &case["expected"];
        let descriptor = match expected["search_mode"].as_str().unwrap() {
            "keyword" => Keyword::descriptor(),
            other => Descriptor::search_module(other, other, "Finds entries."),
        };
        let tool = tool(&descriptor);
        assert_eq!(tool.name, expected["name"].as_str().unwrap());
        assert_eq!(tool.mode, expected["search_mode"].as_str().unwrap());
        assert_eq!(
            descriptor.needs.embedder,
            expected["needs_embedder"] == true
        );
        let schema = &expected["args_schema"];
        assert_eq!(tool.arguments["required"], schema["required"]);
        for (name, wanted) in schema["properties"].as_object().unwrap() {
            let property = &tool.arguments["properties"][name];
            assert!(property.is_object(), "{name}");
            for key in ["default", "minimum", "maximum"] {
                assert_eq!(property.get(key), wanted.get(key), "{name}.{key}");
            }
        }
    }
}

fn is_allowed(schema: &Value, value: &Value) -> bool {
    const ADDRESS: &str = "https://arguments.invalid/";
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource(ADDRESS, schema.clone()).unwrap();
    let index = compiler.compile(ADDRESS, &mut schemas).unwrap();
    schemas.validate(value, index).is_ok()
}

#[test]
fn arguments_are_taken_and_refused_as_ariel_does() {
    for case in cases("tool_input") {
        let input = &case["input"];
        let descriptor = match input["schema"].as_str().unwrap() {
            "KeywordSearchInput" => Keyword::descriptor(),
            "SemanticSearchInput" => {
                Semantic::descriptor().with_settings::<gannet_semantic::Settings>()
            }
            "SqlQueryInput" => continue,
            other => panic!("unknown schema {other}"),
        };
        let tool = tool(&descriptor);
        let mut arguments = input.clone();
        arguments.as_object_mut().unwrap().remove("schema");
        let is_taken = is_allowed(&tool.arguments, &arguments);
        let expected = &case["expected"];
        assert_eq!(is_taken, expected.get("error").is_none(), "{case}");
        if !is_taken {
            continue;
        }
        let request = tool.read(&arguments, &ReadOptions::default()).unwrap();
        assert_eq!(request.query, expected["query"].as_str().unwrap());
        assert_eq!(
            request.limit,
            expected["max_results"].as_u64().unwrap() as usize
        );
        assert!(request.filter.is_empty());
        assert_eq!(
            request.params.get("similarity_threshold"),
            arguments.get("similarity_threshold")
        );
    }
}

/// Where an answer names ids without marks, ARIEL takes them for sources; here
/// sources are what tools gave, and only marks cite.
#[test]
fn messages_are_read_into_an_answer_and_a_trace() {
    for case in cases("agent_parse") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let messages = input["messages"].as_array().unwrap();
        let of_the_model = messages.iter().filter(|message| message["type"] == "ai");
        let turns = of_the_model.map(|message| {
            let tool_calls = message["tool_calls"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let made: Vec<(&str, Value)> = tool_calls
                .iter()
                .map(|call| (call["name"].as_str().unwrap(), call["args"].clone()))
                .collect();
            let text = message["content"].as_str().unwrap();
            if made.is_empty() {
                says(text)
            } else {
                calls(text, &made)
            }
        });
        let host = host_with(turns);
        // A first answer that nothing was searched for would not stand here.
        let settings = json!({"tool_mode": "native"});
        let answer = ask(later("What happened?"), settings, &setup(), &host.context()).unwrap();
        assert_eq!(
            answer.answer.as_deref(),
            expected["answer"].as_str(),
            "{case}"
        );
        assert_eq!(
            answer.search_modes_used,
            strings(&expected["search_modes_used"])
        );
        assert_eq!(answer.citations, Vec::<String>::new());

        let details = answer.pipeline_details.clone().unwrap();
        assert_eq!(details["step_summary"], expected["step_summary"]);
        let invocations = details["agent_tool_invocations"].as_array().unwrap();
        let wanted = expected["tool_invocations"].as_array().unwrap();
        assert_eq!(invocations.len(), wanted.len());
        for (made, wanted) in invocations.iter().zip(wanted) {
            for key in ["tool_name", "tool_args", "order"] {
                assert_eq!(made[key], wanted[key], "{case}");
            }
            assert!(made["result_summary"].as_str().unwrap().chars().count() <= 200);
        }
        let kind = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let kinds: Vec<String> = steps(&answer).iter().map(kind).collect();
        let wanted: Vec<String> = expected["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| {
                let tool = step["tool_name"].as_str().unwrap_or("-");
                format!("{} {tool}", step["step_type"].as_str().unwrap())
            })
            .collect();
        // Some of the recorded conversations begin after the question.
        let begins = usize::from(wanted[0] != kinds[0]);
        assert_eq!(kinds[begins..], wanted[..], "{case}");
    }
}

/// ARIEL counts steps of its graph: two for each cycle of model and tools, and
/// one for the answer.
#[test]
fn limits_are_those_of_ariel() {
    for case in cases("agent_limits") {
        let cycles = case["input"]["max_iterations"].as_u64().unwrap() as usize;
        let expected = &case["expected"];
        let turns = (0..cycles).map(|n| searches(&format!("trip {n}")));
        let host = host_with(turns.chain([says("An interlock [#A].")]));
        run(json!({"max_iterations": cycles}), &setup(), &host.context()).unwrap();
        let asked = host.calls();
        let steps = asked.chats.len() + asked.search_modules.len();
        assert_eq!(
            steps,
            expected["recursion_limit"].as_u64().unwrap() as usize
        );
        let settings = gannet_agent::AgentSettings::default();
        let seconds = expected["total_timeout_seconds"].as_u64().unwrap();
        assert_eq!(settings.total_timeout_seconds, seconds);
    }
}

#[test]
fn results_show_what_ariels_show() {
    for case in cases("format_result") {
        let input = &case["input"];
        let of_case = &input["entry"];
        let Some(time) = of_case["timestamp"].as_str() else {
            continue;
        };
        let text = of_case["raw_text"].as_str().unwrap();
        let text = text.replace("x*1000", &"x".repeat(1_000));
        let id = of_case["entry_id"].as_str().unwrap().to_owned();
        let mut entry = entry(&id, &text);
        entry.timestamp = time.parse().unwrap();
        entry.author = of_case["author"].as_str().unwrap().to_owned();
        entry.metadata = of_case["metadata"].as_object().cloned().unwrap_or_default();
        let score = input.get("score").unwrap_or(&input["similarity"]);
        let score = score.as_f64().unwrap();
        let hit = Hit::new(&id, "logbook", score, ScoreKind::Cosine);
        let host = FakeHost::default()
            .with_entries([entry])
            .on_search_module("keyword", move |_| Ok(Found::new(vec![hit.clone()])));
        let observation = shown(host);
        let expected = &case["expected"];
        let title = match expected["title"].as_str() {
            Some(title) => format!(" | {title}"),
            None => String::new(),
        };
        let header = format!(
            "1. ENTRY #{id} | {} | Author: {}{title} | score {score:.3} (cosine)",
            expected["timestamp"].as_str().unwrap(),
            expected["author"].as_str().unwrap(),
        );
        let lines: Vec<&str> = observation.lines().collect();
        assert_eq!(lines[1], header, "{case}");
        let text = expected["text"].as_str().unwrap();
        let text = text.replace("x*500", &"x".repeat(500));
        assert_eq!(lines[2].trim(), text);
    }
}

/// What the model sees of what a host's one module finds.
fn shown(host: FakeHost) -> String {
    let host = scripted(host, [searches("beam"), says("Nothing.")]);
    let setup = setup().with_retrieval_modules(vec!["keyword".to_owned()]);
    run(json!({}), &setup, &host.context()).unwrap();
    observations(&host).remove(0)
}

/// The rule by itself has its test beside `TimeRange::or`; this is the call.
#[test]
fn a_tools_own_time_is_used_in_its_call() {
    let tool = tool(&Keyword::descriptor());
    for case in cases("time_range") {
        let input = &case["input"];
        let range = |from: &Value, until: &Value| TimeRange {
            from: from.as_str().map(|text| text.parse().unwrap()),
            until: until.as_str().map(|text| text.parse().unwrap()),
        };
        let of_request = range(&input["fallback"][0], &input["fallback"][1]);
        let mut options = ReadOptions::default();
        if of_request != TimeRange::default() {
            let time = Condition::Time(of_request);
            options.filter = options.filter.and(FilterField::Timestamp, time);
        }
        let arguments = json!({
            "query": "x", "start_date": input["tool_start"], "end_date": input["tool_end"],
        });
        let request = tool.read(&arguments, &options).unwrap();
        let mut expected = range(&case["expected"][0], &case["expected"][1]);
        if input["tool_end"].is_string() {
            // A second that is named is inside.
            let end = expected.until.unwrap();
            expected.until = end.checked_add(jiff::SignedDuration::from_secs(1)).ok();
        }
        let times: Vec<_> = request
            .filter
            .clauses
            .iter()
            .map(|one| &one.condition)
            .collect();
        match expected == TimeRange::default() {
            true => assert!(times.is_empty(), "{case}"),
            false => assert_eq!(times, [&Condition::Time(expected)], "{case}"),
        }
    }
}
