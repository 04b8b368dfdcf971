//! Saved searches over HTTP, their matches as a list and as events, and feeds.

use gannet_core::Stop;
use gannet_core::api::Entry;
use gannet_server::auth::Scope;
use jiff::Timestamp;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Answer, Service};

async fn write(service: &Service, id: &str, text: &str) {
    let time = "2025-06-02T01:00:00Z".parse().unwrap();
    let entry = Entry::new(id, "test", time, text);
    service.gannet().store().upsert(vec![entry]).await.unwrap();
}

/// The next event with data: its id, where it has one, and its data.
async fn next(response: &mut Response, rest: &mut String) -> (Option<String>, Value) {
    loop {
        if let Some(end) = rest.find("\n\n") {
            let block: String = rest.drain(..end + 2).collect();
            let field = |name: &str| {
                let mut lines = block.lines();
                lines.find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()))
            };
            let Some(data) = field("data:") else { continue };
            assert_eq!(field("event:").as_deref(), Some("match"));
            return (field("id:"), serde_json::from_str(&data).unwrap());
        }
        let chunk = response.chunk().await.unwrap().unwrap();
        rest.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_search_tells_of_entries_as_they_come_and_from_where_a_client_was_cut_off() {
    let service = Service::start().await;
    let body = json!({ "query": "RF-2 trip", "filters": { "source": "test" } });
    let saved = service.post("/api/searches", body).await.json(200);
    assert_eq!(saved["name"], "RF-2 trip");
    assert_eq!(saved["by"], "keyword");
    let path = "/api/searches/events";
    let mut events = service.request(Method::GET, path).send().await.unwrap();
    write(&service, "T-1", "RF-2 tripped on low flow.").await;
    write(&service, "T-2", "Quiet.").await;
    write(&service, "T-3", "RF-2 tripped again.").await;
    let mut rest = String::new();
    let (first_id, first) = next(&mut events, &mut rest).await;
    assert_eq!(first["entry"]["entry_id"], "T-1");
    assert_eq!(first["search_id"], saved["search_id"]);
    assert_eq!(first["highlights"][0]["text"], "RF-2 tripped on low flow.");
    let (_, second) = next(&mut events, &mut rest).await;
    assert_eq!(second["entry"]["entry_id"], "T-3");
    drop(events);

    // A client that saw the first one alone gets the second one again.
    let request = service.request(Method::GET, path);
    let request = request.header("last-event-id", first_id.unwrap());
    let mut events = request.send().await.unwrap();
    let (_, again) = next(&mut events, &mut String::new()).await;
    assert_eq!(again, second);
    drop(events);

    // Nor does one miss what comes that has seen more than the store remembers.
    let ahead = format!("{path}?after=1000000");
    let mut events = service.request(Method::GET, &ahead).send().await.unwrap();
    write(&service, "T-4", "RF-2 tripped once more.").await;
    let (_, fourth) = next(&mut events, &mut String::new()).await;
    assert_eq!(fourth["entry"]["entry_id"], "T-4");
    drop(events);

    let all = service.get("/api/searches/matches").await.json(200);
    assert_eq!(all["matches"].as_array().unwrap().len(), 3);
    let rest = format!("/api/searches/matches?after={}", all["next"]);
    assert_eq!(service.get(&rest).await.json(200)["matches"], json!([]));
    service.stop.raise();
    service.running.await.unwrap();
}

async fn send(service: &Service, key: &str, method: Method, path: &str, body: Value) -> Answer {
    let request = service.request(method, path).bearer_auth(key);
    Answer::of(request.json(&body).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn users_see_their_own_searches_and_those_of_the_configuration() {
    let settings = [
        ("server.auth.required", "true"),
        ("searches", "{trips: {query: tripped}}"),
    ];
    let service = Service::with(&settings).await;
    let [ann, bob] = [(); 2].map(|()| key(&service, "default", &[Scope::Search]));
    let list = async |key: &str| {
        let listed = send(&service, key, Method::GET, "/api/searches", json!(null)).await;
        let listed = listed.json(200);
        let names = listed["searches"].as_array().unwrap().iter();
        names
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let body = json!({ "name": "mine", "query": "valve" });
    let saved = send(&service, &ann, Method::POST, "/api/searches", body)
        .await
        .json(200);
    assert_eq!(list(&ann).await, ["trips", "mine"]);
    assert_eq!(list(&bob).await, ["trips"]);
    let path = format!("/api/searches/{}", saved["search_id"].as_str().unwrap());
    let other = send(&service, &bob, Method::DELETE, &path, json!(null)).await;
    assert_eq!(other.problem(404), "not_found");
    send(&service, &ann, Method::DELETE, &path, json!(null))
        .await
        .json(200);
    assert_eq!(list(&ann).await, ["trips"]);
    let configured = "/api/searches/trips";
    assert_eq!(
        send(&service, &ann, Method::DELETE, configured, json!(null))
            .await
            .status,
        404
    );
    let body = json!({ "filters": { "source": "test", "author": "Vega" } });
    let filter = send(&service, &bob, Method::POST, "/api/searches", body).await;
    assert_eq!(filter.json(200)["name"], "author=Vega source=test");
    let blank = send(&service, &ann, Method::POST, "/api/searches", json!({})).await;
    assert!(
        blank.text.contains("needs a query or a filter"),
        "{}",
        blank.text
    );
    for query in ["the", "of OR the"] {
        let body = json!({ "query": query, "filters": { "author": "Vega" } });
        let refused = send(&service, &ann, Method::POST, "/api/searches", body).await;
        assert_eq!(refused.status, 400, "{query}");
        assert!(
            refused.text.contains("add another word"),
            "{}",
            refused.text
        );
    }
    let quoted = json!({ "query": "\"the who\"" });
    send(&service, &bob, Method::POST, "/api/searches", quoted)
        .await
        .json(200);
    let closed = json!({ "query": "valve", "deliver_to": ["pager"] });
    let closed = send(&service, &ann, Method::POST, "/api/searches", closed).await;
    assert!(closed.text.contains("`pager`"), "{}", closed.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_are_a_feed_of_their_tenant() {
    let settings = [
        (
            "deliveries",
            "{news: {feed: {}}, other: {feed: {}, tenant: other}}",
        ),
        ("searches", "{trips: {query: tripped, deliver_to: [news]}}"),
    ];
    let service = Service::with(&settings).await;
    let gannet = service.gannet();
    gannet
        .match_arrivals(Timestamp::now(), &Stop::default())
        .await
        .unwrap();
    write(&service, "T-1", "RF-2 tripped <on> low flow.").await;
    gannet
        .match_arrivals(Timestamp::now(), &Stop::default())
        .await
        .unwrap();
    gannet
        .deliver_due(Timestamp::now(), &Stop::default())
        .await
        .unwrap();
    let feed = service.get("/api/feeds/news").await;
    assert_eq!(
        (feed.status, feed.header("content-type")),
        (200, "application/atom+xml")
    );
    assert_eq!(feed.text.matches("<entry>").count(), 1);
    assert!(
        feed.text.contains("RF-2 tripped &lt;on&gt; low flow."),
        "{}",
        feed.text
    );
    for path in ["/api/feeds/other", "/api/feeds/none"] {
        assert_eq!(service.get(path).await.problem(404), "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_which_delivery_fails_and_administrators_see_why() {
    let settings = [
        ("server.auth.required", "true"),
        (
            "deliveries",
            "{chat: {webhook: {url: 'http://127.0.0.1:1/hook'}}, news: {feed: {}}}",
        ),
        (
            "searches",
            "{trips: {query: tripped, deliver_to: [chat, news]}}",
        ),
    ];
    let service = Service::with(&settings).await;
    let [reader, admin] = [&[Scope::Search][..], &[Scope::Search, Scope::Admin]]
        .map(|scopes| key(&service, "default", scopes));
    let status = async |key: &str, path: &str| {
        let answer = send(&service, key, Method::GET, path, json!(null)).await;
        answer.json(200)
    };
    let gannet = service.gannet();
    assert_eq!(status(&reader, "/api/status").await["healthy"], true);
    for _ in 0..2 {
        let now = Timestamp::now();
        gannet.match_arrivals(now, &Stop::default()).await.unwrap();
        write(&service, "T-1", "RF-2 tripped on low flow.").await;
    }
    let now = Timestamp::now();
    gannet.deliver_due(now, &Stop::default()).await.unwrap();
    let seen = status(&reader, "/api/status").await;
    assert_eq!(
        (&seen["healthy"], &seen["deliveries"]),
        (&json!(false), &json!([]))
    );
    let trouble = "the webhook delivery `chat` failed to deliver its last message";
    assert_eq!(seen["errors"], json!([trouble]));
    let details = status(&reader, "/api/status/details").await;
    assert_eq!(details["errors"], json!([trouble]));
    let seen = status(&admin, "/api/status").await;
    let [chat, news] = [0, 1].map(|at| &seen["deliveries"][at]);
    assert_eq!(
        (&chat["name"], &chat["kind"], &chat["pending"]),
        (&json!("chat"), &json!("webhook"), &json!(1))
    );
    assert!(chat["oldest_pending_at"].is_string(), "{chat}");
    assert!(
        chat["error"].as_str().unwrap().contains("127.0.0.1"),
        "{chat}"
    );
    assert_eq!(
        (&news["delivered"], &news["pending"], &news["error"]),
        (&json!(1), &json!(0), &json!(null))
    );
}
