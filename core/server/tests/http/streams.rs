//! Streams of a search's events.

use gannet_test_model_server::{ModelServer, Reply};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::service::Service;

/// An event: id, name and data.
pub type Event = (u64, String, Value);

/// The next event; comments are left out.
async fn next(response: &mut Response, rest: &mut String) -> Option<Event> {
    loop {
        if let Some(end) = rest.find("\n\n") {
            let block: String = rest.drain(..end + 2).collect();
            let field = |name: &str| {
                let mut lines = block.lines();
                lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
            };
            let Some(data) = field("data:") else { continue };
            let id = field("id:").unwrap().parse().unwrap();
            let name = field("event:").unwrap();
            return Some((id, name, serde_json::from_str(&data).unwrap()));
        }
        let chunk = response.chunk().await.unwrap()?;
        rest.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

pub async fn all(mut response: Response) -> Vec<Event> {
    assert_eq!(response.status(), 200);
    let (mut events, mut rest) = (Vec::new(), String::new());
    while let Some(event) = next(&mut response, &mut rest).await {
        events.push(event);
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_has_ids_in_order_the_answer_and_the_result_at_its_end() {
    let service = Service::start().await;
    let path = "/api/search/stream?query=why%20did%20the%20cavity%20trip%3F&mode=rag&max_results=2";
    let events = all(service.request(Method::GET, path).send().await.unwrap()).await;
    let ids: Vec<u64> = events.iter().map(|event| event.0).collect();
    assert_eq!(ids, (0..events.len() as u64).collect::<Vec<_>>());
    let names: Vec<&str> = events.iter().map(|event| event.1.as_str()).collect();
    for name in ["stage", "hit", "answer"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let (_, last, result) = events.last().unwrap();
    assert_eq!(last, "done");
    assert_eq!(names.iter().filter(|name| **name == "done").count(), 1);
    assert_eq!(result["entries"].as_array().unwrap().len(), 2);

    let body = json!({ "query": "why did the cavity trip?", "mode": "rag", "max_results": 2 });
    let plain = service.post("/api/search", body).await.json(200);
    assert_eq!(plain["stability_hash"], result["stability_hash"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_without_a_model_comes_before_the_tokens() {
    let model = ModelServer::start([Reply::text("It was reset [#A].")]);
    let service = Service::with_model(&model, &[]).await;
    let body = json!({ "query": "why did the cavity trip?", "mode": "rag" });
    let request = service
        .request(Method::POST, "/api/search/stream")
        .json(&body);
    let events = all(request.send().await.unwrap()).await;
    let place = |name: &str| events.iter().position(|event| event.1 == name).unwrap();
    assert!(place("answer") < place("token"));
    assert_eq!(events.last().unwrap().1, "done");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_ends_its_search() {
    let model = ModelServer::start([Reply::hang_after("It was")]);
    let service = Service::with_model(&model, &[]).await;
    let body = json!({ "query": "why did the cavity trip?", "mode": "rag" });
    let request = service
        .request(Method::POST, "/api/search/stream")
        .json(&body);
    let mut response = request.send().await.unwrap();
    let mut rest = String::new();
    while next(&mut response, &mut rest).await.unwrap().1 != "token" {}
    drop(response);
    // The model's server sees that nobody waits for it any more.
    model.abandoned().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_request_are_problems_and_no_streams() {
    let service = Service::start().await;
    let path = "/api/search/stream?query=x&mode=nothing";
    assert_eq!(service.get(path).await.problem(400), "unknown_mode");
    assert_eq!(
        service.get("/api/search/stream").await.problem(422),
        "invalid_request"
    );
}
