//! A pipeline as the tool of an agent: one argument, depth and reranking are
//! the host's.

use std::time::Duration;

use gannet_test_model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::scene::Scene;

/// Vectors, fifty candidates, reranked to five: `vectordb_search`.
const SETTINGS: [(&str, &str); 2] = [
    (
        "pipelines.vectordb_search",
        "{plugin: rag, retrieval_modules: [semantic], settings: {answer: none, candidates: 50, \
         rerank: {provider: rerankers, candidate_k: 50, final_k: 5}}}",
    ),
    ("pipelines.agent.retrieval_modules", "[vectordb_search]"),
];

async fn asked(replies: Vec<Reply>, scores: Reply) -> (Scene, ModelServer, Option<String>) {
    let rerankers = ModelServer::answering(move |_| scores.clone());
    let provider = format!(
        "{{plugin: rerank_server, settings: {{base_url: \"{}\", max_retries: 0}}}}",
        rerankers.url()
    );
    let mut settings = vec![("providers.rerankers", provider.as_str())];
    settings.extend(SETTINGS);
    let scene = Scene::with(ModelServer::start(replies), &settings).await;
    let result = scene.ask("agent", Duration::from_secs(20)).await;
    (scene, rerankers, result.answer)
}

/// What the tool answered to the model.
fn observation(scene: &Scene) -> String {
    let bodies = scene.bodies();
    let messages = bodies[1]["messages"].as_array().unwrap();
    messages.last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn calls(query: &str) -> Vec<Reply> {
    vec![
        Reply::tool_call("vectordb_search", json!({ "query": query })),
        Reply::text("A worn circulator [#B]."),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_tool_has_one_argument_and_gives_reranked_entries() {
    let scores = Reply::scores([(0, -7.0), (1, 4.1), (2, -0.3)]);
    let (scene, rerankers, answer) = asked(calls("why did the cavity trip?"), scores).await;
    assert_eq!(answer.as_deref(), Some("A worn circulator [#B]."));
    let tools: Vec<Value> = scene.bodies()[0]["tools"].as_array().unwrap().clone();
    let tool = tools
        .iter()
        .find(|tool| tool["function"]["name"] == "vectordb_search")
        .unwrap();
    let arguments = tool["function"]["parameters"]["properties"]
        .as_object()
        .unwrap();
    assert_eq!(arguments.keys().collect::<Vec<_>>(), ["query"]);
    assert_eq!(tool["function"]["parameters"]["required"], json!(["query"]));
    let description = tool["function"]["description"].as_str().unwrap();
    assert!(description.contains("up to 5"), "{description}");
    assert!(!description.contains("chat model"), "{description}");
    assert_eq!(rerankers.requests().len(), 1);
    let told = observation(&scene);
    let first = told.find("4.1").unwrap();
    assert!(
        first < told.find("-0.3").unwrap() && first < told.find("-7").unwrap(),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_tools_of_one_plugin_have_the_descriptions_of_their_instances() {
    let settings = [
        (
            "search_modules.night",
            "{plugin: keyword, enabled: true, description: Words of the night shift.}",
        ),
        (
            "pipelines.manuals",
            "{plugin: rag, retrieval_modules: [semantic], description: Finds manuals., \
             settings: {answer: none, final_k: 1}}",
        ),
        (
            "pipelines.agent.retrieval_modules",
            "[keyword, night, manuals]",
        ),
    ];
    let replies = [
        Reply::tool_call("manuals", json!({ "query": "cavity" })),
        Reply::text("A worn circulator [#B]."),
    ];
    let scene = Scene::with(ModelServer::start(replies), &settings).await;
    scene.ask("agent", Duration::from_secs(20)).await;
    let body = &scene.bodies()[0];
    let described = |name: &str| {
        let mut tools = body["tools"].as_array().unwrap().iter();
        let tool = tools.find(|tool| tool["function"]["name"] == name).unwrap();
        tool["function"]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(described("night_search"), "Words of the night shift.");
    assert_eq!(described("manuals"), "Finds manuals.");
    assert!(described("keyword_search").starts_with("Keyword search."));
    let told = observation(&scene);
    assert!(
        told.contains("1. ENTRY #") && !told.contains("2. ENTRY #"),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_outage_of_the_reranker_leaves_the_order_of_the_vectors() {
    let (scene, _, answer) = asked(calls("cavity"), Reply::status(503, "down")).await;
    assert_eq!(answer.as_deref(), Some("A worn circulator [#B]."));
    let told = observation(&scene);
    assert!(!told.starts_with("Error"), "{told}");
    assert!(told.contains("cosine") || told.contains("rrf"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_blank_query_and_an_empty_result_are_texts() {
    let (scene, _, _) = asked(calls("  "), Reply::scores([])).await;
    assert_eq!(observation(&scene), "Error: query is empty");

    let nothing = [
        Reply::tool_call("vectordb_search", json!({ "query": "cavity" })),
        Reply::text("Nothing."),
    ];
    let mut settings = SETTINGS.to_vec();
    settings.push((
        "search_modules.semantic.settings.similarity_threshold",
        "1.0",
    ));
    settings[0].1 = "{plugin: rag, retrieval_modules: [semantic], settings: {answer: none, \
                     similarity_threshold: 1.0}}";
    let scene = Scene::with(ModelServer::start(nothing), &settings).await;
    scene.ask("agent", Duration::from_secs(20)).await;
    assert_eq!(
        observation(&scene),
        "No matches found in the indexed corpus."
    );
}
