#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ReadOptions, Tool, ToolError};
use crate::{
    Condition, Descriptor, Exposure, Filter, FilterField, ParameterDescriptor, ParameterOption,
    ParameterType, TimeRange,
};

fn module(name: &str) -> Descriptor {
    Descriptor::search_module(name, "Label", "Finds entries.")
}

fn tool(descriptor: &Descriptor) -> Tool {
    Tool::of(descriptor).unwrap()
}

fn keyword() -> Tool {
    tool(&module("keyword"))
}

fn time(from: Option<&str>, until: Option<&str>) -> Condition {
    let at = |text: &str| text.parse().unwrap();
    Condition::Time(TimeRange {
        from: from.map(at),
        until: until.map(at),
    })
}

fn in_january() -> ReadOptions {
    let january = time(Some("2024-01-01T00:00:00Z"), Some("2024-02-01T00:00:00Z"));
    let filter = Filter::none()
        .and(FilterField::Timestamp, january)
        .and(FilterField::Kind, Condition::Equals("logbook".to_owned()));
    ReadOptions {
        filter,
        ..ReadOptions::default()
    }
}

#[test]
fn a_pipeline_gives_as_many_entries_as_its_final_k_says_or_five() {
    let results = |default: Value| {
        let final_k = ParameterDescriptor::new("final_k", "", "", ParameterType::Int, default);
        let pipeline = Descriptor::pipeline("deep", "Deep", "Answers.");
        let tool = tool(&pipeline.with_parameters(vec![final_k]));
        let request = tool.read(&json!({"query": "x"}), &ReadOptions::default());
        request.unwrap().limit
    };
    assert_eq!(results(Value::Null), 5);
    assert_eq!(results(json!(8)), 8);
    let plain = tool(&Descriptor::pipeline("deep", "Deep", "Answers."));
    assert_eq!((plain.results, keyword().results), (5, 10));
}

#[test]
fn an_agent_reads_the_text_that_is_meant_for_it() {
    let pipeline = Descriptor::pipeline("deep", "Deep", "A model answers.");
    assert_eq!(tool(&pipeline).description, "A model answers.");
    let pipeline = pipeline.for_agents("Gives entries.");
    assert_eq!(tool(&pipeline).description, "Gives entries.");
}

#[test]
fn a_search_modules_tool_is_named_after_it() {
    assert_eq!(keyword().name, "keyword_search");
    assert_eq!(keyword().mode, "keyword");
    let named_so_already = tool(&module("pv_search"));
    assert_eq!(named_so_already.name, "pv_search");
    assert_eq!(named_so_already.mode, "pv_search");
}

#[test]
fn a_pipeline_takes_a_query_and_its_parameters_for_agents() {
    let tool = tool(&Descriptor::pipeline("rag", "RAG", "Answers."));
    assert_eq!(tool.name, "rag");
    let expected = json!({
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to search for."}},
        "required": ["query"],
        "additionalProperties": false,
    });
    assert_eq!(tool.arguments, expected);
    let request = tool.read(&json!({"query": "why?"}), &in_january()).unwrap();
    assert_eq!(request.filter, in_january().filter);
    assert_eq!(request.limit, 5);
    let counted = Descriptor::pipeline("trend", "Trend", "Counts.").with_parameters(vec![
        parameter("by", ParameterType::Text, Value::Null, Exposure::Agent),
        parameter("svg", ParameterType::Bool, json!(false), Exposure::Api),
    ]);
    let counted = self::tool(&counted);
    let properties = counted.arguments["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["query", "by"]);
    let arguments = json!({"query": "trips", "by": "system"});
    let request = counted.read(&arguments, &in_january()).unwrap();
    assert_eq!(Value::Object(request.params), json!({"by": "system"}));
}

#[test]
fn only_search_modules_and_pipelines_are_tools() {
    let adapter = Descriptor::adapter("jsonl", "JSONL", "Reads lines.");
    assert_eq!(Tool::of(&adapter), None);
}

#[test]
fn shared_arguments_are_there_unless_the_module_has_its_own() {
    let mut descriptor = module("keyword");
    descriptor.arguments_schema = json!({
        "properties": {
            "query": {"type": "string"},
            "max_results": {"type": "integer", "maximum": 5},
            "sector": {"$ref": "#/$defs/Sector"},
        },
        "required": ["query", "sector"],
        "$defs": {"Sector": {"enum": ["SR01", "SR02"]}},
    });
    let schema = tool(&descriptor).arguments;
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let expected = [
        "query",
        "max_results",
        "sector",
        "start_date",
        "end_date",
        "author",
        "source_system",
    ];
    assert_eq!(names, expected);
    assert_eq!(schema["properties"]["max_results"]["maximum"], 5);
    assert_eq!(schema["required"], json!(["query", "sector"]));
    assert_eq!(schema["$defs"]["Sector"]["enum"][1], "SR02");
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn agents_see_the_parameters_that_are_exposed_to_them() {
    let option = |value: &str| ParameterOption {
        value: value.to_owned(),
        label: value.to_uppercase(),
    };
    let mut order = parameter(
        "order",
        ParameterType::Select,
        json!("time"),
        Exposure::Agent,
    );
    order.options = vec![option("time"), option("rank")];
    let descriptor = module("keyword").with_parameters(vec![
        parameter("depth", ParameterType::Int, json!(3), Exposure::Agent).range(1.0, 9.0, 1.0),
        order,
        parameter("fuzzy", ParameterType::Bool, json!(true), Exposure::Api),
        parameter("secret", ParameterType::Text, Value::Null, Exposure::Host),
    ]);
    let schema = tool(&descriptor).arguments;
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(
        properties["depth"],
        json!({"type": ["integer", "null"], "description": "What it does.", "minimum": 1.0, "maximum": 9.0, "default": 3})
    );
    assert_eq!(properties["order"]["enum"], json!(["time", "rank", null]));
    assert!(!properties.contains_key("fuzzy") && !properties.contains_key("secret"));
}

fn parameter(
    name: &str,
    parameter_type: ParameterType,
    default: Value,
    exposure: Exposure,
) -> ParameterDescriptor {
    ParameterDescriptor::new(name, name, "What it does.", parameter_type, default)
        .exposed_to(exposure)
}

#[test]
fn dates_of_the_call_stand_in_the_place_of_the_requests() {
    let arguments = json!({"query": "x", "end_date": "2023-12-31"});
    let request = keyword().read(&arguments, &in_january()).unwrap();
    let expected = Filter::none()
        .and(FilterField::Kind, Condition::Equals("logbook".to_owned()))
        .and(
            FilterField::Timestamp,
            time(None, Some("2024-01-01T00:00:00Z")),
        );
    assert_eq!(request.filter, expected);
}

#[test]
fn without_dates_of_its_own_a_call_has_the_requests() {
    for arguments in [
        json!({"query": "x"}),
        json!({"query": "x", "start_date": null, "end_date": " "}),
    ] {
        let request = keyword().read(&arguments, &in_january()).unwrap();
        assert_eq!(request.filter, in_january().filter);
    }
}

#[test]
fn author_and_source_narrow_the_filter_and_the_rest_are_parameters() {
    let arguments = json!({
        "query": "x", "max_results": 5.0, "author": "smith", "source_system": "ALS", "sector": 7,
    });
    let request = keyword().read(&arguments, &in_january()).unwrap();
    assert_eq!(request.limit, 5);
    let own: Vec<_> = request.filter.clauses[2..]
        .iter()
        .map(|clause| (clause.field.clone(), clause.condition.clone()))
        .collect();
    let expected = [
        (FilterField::Author, Condition::Contains("smith".to_owned())),
        (
            FilterField::SourceSystem,
            Condition::Equals("ALS".to_owned()),
        ),
    ];
    assert_eq!(own, expected);
    assert_eq!(Value::Object(request.params), json!({"sector": 7}));
}

#[test]
fn arguments_that_cannot_be_used_are_refused_in_words_for_an_agent() {
    let refused = |arguments: Value| {
        let refused = keyword().read(&arguments, &ReadOptions::default());
        refused.unwrap_err().to_string()
    };
    assert_eq!(refused(json!({"query": " "})), "query is empty");
    assert_eq!(refused(json!({})), "query is empty");
    assert_eq!(refused(json!("RF")), ToolError::NotAnObject.to_string());
    let wrong = refused(json!({"query": "x", "max_results": 0}));
    assert_eq!(
        wrong,
        "argument `max_results` must be an integer of at least 1"
    );
    let wrong = refused(json!({"query": "x", "start_date": "soon"}));
    assert!(
        wrong.contains("start_date") && wrong.contains("2024-06"),
        "{wrong}"
    );
    let wrong = refused(json!({"query": 7}));
    assert_eq!(wrong, "argument `query` must be a string");
}

proptest! {
    /// Nothing of the request's filter but its times is ever lost.
    #[test]
    fn a_call_never_widens_the_requests_filter(
        author in prop::option::of("[a-z*| ]{0,6}"),
        start in prop::option::of("20[0-2][0-9]-0[1-9]-0[1-9]"),
    ) {
        let arguments = json!({"query": "x", "author": author, "start_date": start});
        if let Ok(request) = keyword().read(&arguments, &in_january()) {
            let kept = |clause| request.filter.clauses.contains(clause);
            let options = in_january();
            let mut must_stay = options.filter.clauses.iter();
            prop_assert!(must_stay.all(|c| c.field == FilterField::Timestamp || kept(c)));
            let times = request.filter.clauses.iter();
            let times = times.filter(|c| c.field == FilterField::Timestamp);
            prop_assert_eq!(times.count(), 1);
        }
    }
}
