//! Requests whose body is not read: their connection ends.

use serde_json::json;

use crate::service::{Answer, Service};

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_that_ends_the_connection_says_so() {
    let service = Service::with(&[("server.requests_per_minute", "2")]).await;
    let body = json!({ "query": "cavity", "mode": "keyword" });
    let connection = |answer: &Answer| answer.headers.get("connection").cloned();
    for _ in 0..2 {
        let answered = service.post("/api/search", body.clone()).await;
        assert_eq!((answered.status, connection(&answered)), (200, None));
    }
    // The body of a refused request is not read.
    let refused = service.post("/api/search", body).await;
    assert_eq!(refused.problem(429), "rate_limited");
    assert_eq!(refused.header("connection"), "close");
    let without_body = service.get("/api/entries/A").await;
    assert_eq!(without_body.problem(429), "rate_limited");
    assert_eq!(connection(&without_body), None);
}
