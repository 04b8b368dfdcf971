//! The end of the service.

use gannet_test_model_server::{ModelServer, Reply};
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpStream;

use crate::service::Service;

/// Begins a search, lets the service stop, and gives the stream's last event.
async fn last_event_of_a_search_while_stopping(service: &Service) -> String {
    let body = json!({ "query": "why did the cavity trip?", "mode": "rag" });
    let request = service
        .request(Method::POST, "/api/search/stream")
        .json(&body);
    // The head of the stream comes once its search has begun.
    let response = request.send().await.unwrap();
    service.stop.raise();
    let text = response.text().await.unwrap();
    text.trim_end().rsplit("\n\n").next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_does_not_end_gets_a_last_event_when_the_service_stops() {
    let model = ModelServer::start([Reply::hang()]);
    let service = Service::with_model(&model, &[("server.shutdown_timeout_seconds", "6")]).await;
    let last = last_event_of_a_search_while_stopping(&service).await;
    assert!(
        last.contains("event: error") && last.contains("shutting_down"),
        "{last}"
    );
    service.running.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_stops_answers_what_runs_and_takes_no_more() {
    let service = Service::start().await;
    let last = last_event_of_a_search_while_stopping(&service).await;
    assert!(last.contains("event: done"), "{last}");
    service.running.await.unwrap();
    assert!(TcpStream::connect(service.address).await.is_err());
}
