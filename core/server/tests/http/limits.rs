//! What is refused: hosts, origins, sizes, slow clients, too many.

use gannet_core::Gannet;
use gannet_server::auth::Scope;
use gannet_server::{BindOptions, Server, ServerError};
use gannet_test_model_server::{ModelServer, Reply};
use gannet_tests::config;
use reqwest::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::logins::key;
use crate::service::{Answer, Service};

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_others_reach_need_authentication_or_insistence() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [("server.host", "0.0.0.0"), ("server.port", "0")];
    let gannet = Gannet::open(config(folder.path(), &settings))
        .await
        .unwrap();
    let refused = Server::bind(gannet.clone(), BindOptions::default()).await;
    assert!(matches!(refused, Err(ServerError::Exposed { .. })));
    assert!(
        Server::bind(gannet, BindOptions { insecure: true })
            .await
            .is_ok()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_cannot_be_written_is_noticed_at_the_start() {
    for key in ["server.audit_log.path", "server.query_log.path"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none/log.jsonl");
        let settings = [("server.port", "0"), (key, path.to_str().unwrap())];
        let gannet = Gannet::open(config(folder.path(), &settings))
            .await
            .unwrap();
        let refused = Server::bind(gannet, BindOptions::default()).await;
        let error = refused.err().unwrap().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_hosts_and_origins_are_refused() {
    let origins = [("server.allowed_origins", "[https://logbook.example]")];
    let service = Service::with(&origins).await;
    let send = async |name, value: &str| {
        let request = service
            .request(Method::GET, "/api/entries/A")
            .header(name, value);
        Answer::of(request.send().await.unwrap()).await
    };
    assert_eq!(
        send(HOST, "evil.example").await.problem(421),
        "host_not_allowed"
    );
    assert_eq!(send(HOST, "localhost").await.status, 200);
    let evil = send(ORIGIN, "https://evil.example").await;
    assert_eq!(evil.problem(403), "origin_not_allowed");
    assert_eq!(evil.header("access-control-allow-origin"), "");
    assert_eq!(
        send(ORIGIN, "null").await.problem(403),
        "origin_not_allowed"
    );
    assert_eq!(
        send(ORIGIN, &format!("http://{}", service.address))
            .await
            .status,
        200
    );
    let listed = send(ORIGIN, "https://logbook.example").await;
    assert_eq!(
        listed.header("access-control-allow-origin"),
        "https://logbook.example"
    );
    // What a page needs for a key, a repeated write and MCP.
    let sent = listed.header("access-control-allow-headers");
    for name in ["x-api-key", "idempotency-key", "mcp-session-id"] {
        assert!(sent.contains(name), "{sent}");
    }
    let read = listed.header("access-control-expose-headers");
    assert!(read.contains("mcp-session-id") && read.contains("retry-after"));
    let methods = listed.header("access-control-allow-methods");
    assert!(methods.contains("DELETE"), "{methods}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_request_of_http_1_0_may_leave_out_the_host() {
    let service = Service::start().await;
    let old = service.raw(b"GET /healthz HTTP/1.0\r\n\r\n").await;
    assert!(old.contains(" 200 ") && old.contains("alive"), "{old}");
    let new = b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n";
    let new = service.raw(new).await;
    assert!(
        new.contains(" 400 ") && new.contains("host_missing"),
        "{new}"
    );
    let other = service
        .raw(b"GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n")
        .await;
    assert!(other.contains(" 421 "), "{other}");
    let two = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n";
    let two = service.raw(two).await;
    assert!(
        two.contains(" 400 ") && two.contains("repeated_header"),
        "{two}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn on_an_address_that_others_reach_the_host_is_named() {
    let settings = [("server.host", "0.0.0.0"), ("server.auth.required", "true")];
    let service = Service::with(&settings).await;
    let old = service.raw(b"GET /healthz HTTP/1.0\r\n\r\n").await;
    assert!(
        old.contains(" 400 ") && old.contains("host_missing"),
        "{old}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn this_machine_may_hold_more_connections_than_the_share_of_an_address() {
    let service = Service::with(&[("server.max_connections_per_address", "1")]).await;
    let held = TcpStream::connect(service.address).await.unwrap();
    assert_eq!(service.get("/healthz").await.status, 200);
    drop(held);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_too_large_or_of_another_type_are_refused() {
    let service = Service::start().await;
    let large = json!({ "query": "x".repeat(2 << 20) });
    assert_eq!(
        service.post("/api/search", large).await.problem(413),
        "too_large"
    );
    let bomb = format!("{{\"query\":{}", "[".repeat(100_000));
    for (media, body, status, code) in [
        (
            "text/plain",
            "{\"query\":\"x\"}",
            415,
            "unsupported_media_type",
        ),
        ("application/json", "{\"query\":", 422, "invalid_request"),
        ("application/json", &bomb, 422, "invalid_request"),
        (
            "application/json; charset=utf-8",
            "{\"mode\":\"rag\"}",
            422,
            "invalid_request",
        ),
    ] {
        let request = service.request(Method::POST, "/api/search");
        let request = request.header(CONTENT_TYPE, media).body(body.to_owned());
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!(answer.problem(status), code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_do_not_send_to_the_end_are_cut_off() {
    let service = Service::with(&[("server.read_timeout_seconds", "1")]).await;
    let head = service
        .raw(b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-")
        .await;
    assert_eq!(head, "");
    let body = b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                 Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    let answer = service.raw(body).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("read_timeout"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_with_invalid_chunks_is_told_from_one_that_is_too_large() {
    let service = Service::start().await;
    let answer = service
        .raw(
            b"POST /api/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
              Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        )
        .await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert!(answer.contains("incomplete_body"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_kept_from_caches_and_from_guesses_of_their_type() {
    let service = Service::start().await;
    for path in ["/api/entries", "/api/entries/none", "/healthz", "/metrics"] {
        let answer = service.get(path).await;
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
    let page = service.get("/").await;
    assert_eq!(page.header("cache-control"), "no-cache");
}

#[tokio::test(flavor = "multi_thread")]
async fn s6_a_client_that_does_not_read_is_cut_off() {
    let settings = [
        ("server.read_timeout_seconds", "1"),
        ("server.requests_per_minute", "0"),
    ];
    let service = Service::with(&settings).await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    // Until the buffers of both sides are full, and then until the server ends it.
    let request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    while stream.write_all(request).await.is_ok() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_asks_too_often_is_told_when_to_ask_again() {
    let service = Service::with(&[("server.requests_per_minute", "3")]).await;
    for _ in 0..3 {
        assert_eq!(service.get("/api/entries/A").await.status, 200);
    }
    let refused = service.get("/api/entries/A").await;
    assert_eq!(refused.problem(429), "rate_limited");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    for free in ["/healthz", "/", "/assets/gannet.js"] {
        assert_eq!(service.get(free).await.status, 200, "{free}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s10_a_key_that_asks_too_often_waits_and_other_keys_do_not() {
    let settings = [
        ("server.auth.required", "true"),
        ("server.requests_per_minute", "0"),
        ("server.requests_per_minute_of_key", "2"),
    ];
    let service = Service::with(&settings).await;
    let [busy, calm] = ["busy", "calm"].map(|_| key(&service, "default", &[Scope::Search]));
    let ask = async |key: &str| {
        let request = service.request(Method::GET, "/api/entries/A");
        Answer::of(request.bearer_auth(key).send().await.unwrap()).await
    };
    for _ in 0..2 {
        assert_eq!(ask(&busy).await.status, 200);
    }
    assert_eq!(ask(&busy).await.problem(429), "rate_limited");
    assert_eq!(ask(&calm).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_and_uploads_may_have_what_is_configured_and_no_more() {
    let service = Service::with(&[("server.max_body_bytes", "4000000")]).await;
    let details = "x".repeat(3_000_000);
    let body = json!({ "subject": "Long", "details": details });
    assert_eq!(service.post("/api/drafts", body).await.status, 200);
    let body = json!({ "subject": "Long", "details": "x".repeat(4_000_000) });
    assert_eq!(
        service.post("/api/drafts", body).await.problem(413),
        "too_large"
    );
    let upload = async |bytes: usize| {
        let form = format!(
            "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nScope\r\n--x\r\n\
             Content-Disposition: form-data; name=\"details\"\r\n\r\nPicture.\r\n--x\r\n\
             Content-Disposition: form-data; name=\"files\"; filename=\"a.bin\"\r\n\r\n{}\r\n\
             --x--\r\n",
            "x".repeat(bytes)
        );
        let request = service.request(Method::POST, "/api/entries/upload");
        let request = request.header("content-type", "multipart/form-data; boundary=x");
        Answer::of(request.body(form).send().await.unwrap()).await
    };
    assert_eq!(upload(9_000_000).await.status, 200);
    assert_eq!(upload(11_000_000).await.problem(400), "file_too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_utf_8_is_refused_with_a_problem_wherever_it_is() {
    let service = Service::start().await;
    for path in [
        "/api/entries/%ff/related",
        "/api/entries/%ff",
        "/api/search/stream?query=%ff",
        "/api/entries?author=%ff",
    ] {
        let refused = service.get(path).await;
        assert_eq!(refused.problem(422), "invalid_request", "{path}");
    }
    let missing = service.get("/api/search/stream").await.json(422);
    let detail = missing["detail"].as_str().unwrap();
    assert!(detail.starts_with("query: "), "{missing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_gives_no_address_more_requests_unless_the_limit_changes() {
    let limit = ("server.requests_per_minute", "2");
    let service = Service::with(&[limit]).await;
    for _ in 0..2 {
        assert_eq!(service.get("/api/entries/A").await.status, 200);
    }
    service.reload(&[limit, ("default_max_results", "7")]).await;
    let refused = service.get("/api/entries/A").await;
    assert_eq!(refused.problem(429), "rate_limited");
    service.reload(&[("server.requests_per_minute", "3")]).await;
    assert_eq!(service.get("/api/entries/A").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_forgets_no_failed_login() {
    let required = ("server.auth.required", "true");
    let service = Service::with(&[required]).await;
    let guess = async || {
        let request = service.request(Method::GET, "/api/entries/A");
        let request = request.bearer_auth("gnt_wrong");
        Answer::of(request.send().await.unwrap()).await
    };
    // The sixth has to wait; how many are free is a rule of the throttle.
    while guess().await.status == 401 {}
    service
        .reload(&[required, ("default_max_results", "7")])
        .await;
    assert_eq!(guess().await.problem(429), "too_many_failed_logins");
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_beyond_the_queue_are_refused_and_others_go_on() {
    let model = ModelServer::answering(|_| Reply::hang());
    let settings = [
        ("server.max_model_searches", "1"),
        ("server.max_queued", "0"),
    ];
    let service = Service::with_model(&model, &settings).await;
    let body = json!({ "query": "why did the cavity trip?", "mode": "rag" });
    let request = service
        .request(Method::POST, "/api/search/stream")
        .json(&body);
    // The head of the stream comes once its search was admitted.
    let running = request.send().await.unwrap();
    let refused = service.post("/api/search", body).await;
    assert_eq!(refused.problem(503), "overloaded");
    assert_eq!(refused.header("retry-after"), "1");
    let direct = service.post(
        "/api/search",
        json!({ "query": "cavity", "mode": "keyword" }),
    );
    assert_eq!(direct.await.status, 200);
    let metrics = service.get("/metrics").await.text;
    for line in [
        "gannet_requests_rejected_total{code=\"overloaded\"} 1",
        "gannet_searches_running{lane=\"model\"} 1",
        "gannet_searches_total{mode=\"keyword\"} 1",
        "gannet_http_requests_total{method=\"POST\",route=\"/api/search\",status=\"503\"} 1",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}\n{metrics}");
    }
    drop(running);
}

#[tokio::test(flavor = "multi_thread")]
async fn request_ids_are_taken_or_made_and_texts_are_compressed() {
    let service = Service::start().await;
    let request = service
        .request(Method::GET, "/api/entries/none")
        .header("x-request-id", "my-1");
    let answer = Answer::of(request.send().await.unwrap()).await;
    assert_eq!(answer.problem(404), "not_found");
    assert_eq!(answer.header("x-request-id"), "my-1");
    let made = service.get("/healthz").await;
    assert_eq!(made.header("x-request-id").len(), 16);

    let request = service
        .request(Method::GET, "/openapi.json")
        .header(ACCEPT_ENCODING, "gzip");
    let compressed = request.send().await.unwrap();
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
    let plain = service.get("/openapi.json").await;
    assert!(compressed.bytes().await.unwrap().len() < plain.text.len() / 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_say_what_is_there() {
    let service = Service::start().await;
    assert_eq!(service.get("/healthz").await.json(200)["status"], "alive");
    let ready = service.get("/readyz").await.json(200);
    assert_eq!(
        (&ready["status"], &ready["missing"]),
        (&json!("ready"), &json!([]))
    );
}
