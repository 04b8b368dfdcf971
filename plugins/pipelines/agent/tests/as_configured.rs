//! Modules of one's own, prompts and settings.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod fixture;

use fixture::{
    QUESTION, ask, calls, host, host_with, observations, run, says, scripted, searches, setup,
    unfenced,
};
use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, NoSettings, PipelineRequest, Result, SearchModule,
    SearchRequest, Setup,
};
use gannet_plugin::search::ScoreKind;
use schemars::JsonSchema;
use serde_json::json;

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
    const NAME: &'static str = "by_sector";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "By sector", "Finds entries of one sector.")
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
    const NAME: &'static str = "unified";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Unified", "Searches everywhere.")
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
    let setup = setup().with_retrieval_modules(vec!["by_sector".to_owned(), "unified".to_owned()]);
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
    own.prompts.facility = "This is the ALS.".to_owned();
    own.prompts.guidelines = "Answer in one sentence.".to_owned();
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    run(json!({}), &own, &host.context()).unwrap();
    let system = unfenced(&host.calls().chats[0].messages[0].content);
    assert!(
        system.ends_with(
            "About this facility:\nThis is the ALS.\n\n\
             How answers are written here:\nAnswer in one sentence."
        ),
        "{system}"
    );

    let file = |text: &str| [("agent.system".to_owned(), text.to_owned())].into();
    own.prompts.files = file("Between {nonce} is data. {facility}");
    let host = host_with([searches("trip"), says("An interlock [#A].")]);
    run(json!({}), &own, &host.context()).unwrap();
    let system = &host.calls().chats[0].messages[0].content;
    assert!(
        system.contains(" is data. About this facility:\nThis is"),
        "{system}"
    );

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
        let expected = format!("setting `{name}`: must be at least 1, found 0");
        assert_eq!(refused.to_string(), expected);
    }
    let refused = fixture::agent(json!({"temperature": 3}), &setup())
        .err()
        .unwrap();
    assert!(refused.to_string().contains("between 0 and 2"), "{refused}");
    let circular = setup().with_retrieval_modules(vec!["agent".to_owned()]);
    let refused = fixture::agent(json!({}), &circular).err().unwrap();
    assert!(refused.to_string().contains("its own tool"), "{refused}");

    let host = host_with([says("x")]);
    let mut request = PipelineRequest::new(QUESTION, 10);
    request.params.insert("temperature".to_owned(), json!(2.5));
    let refused = ask(request, json!({}), &setup(), &host.context());
    assert!(matches!(refused, Err(Error::InvalidInput { .. })));
}
