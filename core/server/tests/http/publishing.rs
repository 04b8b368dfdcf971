//! Entries that are written into the facility's logbook.

use gannet_tests::cases;
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::logbook::Logbook;
use crate::logbook::Reply::{Cut, Is, Silent};
use crate::service::{Answer, Service};

const PASSWORD: &str = "pa55-of-lee";

const USER: &str = "ingestion.adapters.als_logbook.settings.write.user";
const OWN_PASSWORD: &str = "ingestion.adapters.als_logbook.settings.write.password";

fn entry() -> Value {
    json!({
        "subject": "RF trip", "details": "Reset at 08:45.", "tags": ["RF"],
        "auth_user": "lee", "auth_password": PASSWORD,
    })
}

async fn write(service: &Service, key: &str, body: &Value) -> Answer {
    let request = service
        .request(Method::POST, "/api/entries")
        .header("idempotency-key", key);
    Answer::of(request.json(body).send().await.unwrap()).await
}

async fn total(service: &Service) -> Value {
    service.get("/api/entries").await.json(200)["total"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_written_into_the_logbook_and_stored_under_the_id_that_it_has_there() {
    let logbook = Logbook::replying(&[]).await;
    let service = logbook.service(&[]).await;
    let info = service.get("/api/publish-info").await.json(200);
    let expected = json!({
        "supports_write": true, "requires_auth": true, "source_system": "ALS eLog",
    });
    assert_eq!(info, expected);

    let written = service.post("/api/entries", entry()).await.json(200);
    assert_eq!(written["entry_id"], "4711");
    assert_eq!(written["sync_status"], "pending_sync");
    assert_eq!(written["source_system"], "ALS eLog");
    let stored = service.get("/api/entries/4711").await.json(200);
    assert_eq!(stored["source_system"], "ALS eLog");
    assert_eq!(stored["author"], "lee");
    assert_eq!(stored["raw_text"], "RF trip\n\nReset at 08:45.");
    let sent = logbook.written.lock().unwrap()[0].clone();
    assert!(sent.contains(&format!("<password>{PASSWORD}</password>")));
    assert!(sent.contains("<categories><category>RF</category></categories>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_with_files_is_published_and_its_files_are_kept_here() {
    let logbook = Logbook::replying(&[Is(200, "99999")]).await;
    let service = logbook.service(&[]).await;
    let field = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let body = [
        field("subject", "RF trip"),
        field("details", "Reset."),
        field("auth_user", "lee"),
        field("auth_password", PASSWORD),
        "--x\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n\
         text\r\n--x--\r\n"
            .to_owned(),
    ];
    let request = service
        .request(Method::POST, "/api/entries/upload")
        .header("content-type", "multipart/form-data; boundary=x");
    let request = request.body(body.concat()).send().await.unwrap();
    let written = Answer::of(request).await.json(200);
    assert_eq!(written["entry_id"], "99999");
    assert_eq!(written["sync_status"], "pending_sync");
    assert_eq!(written["attachment_count"], 1);
    let stored = service.get("/api/entries/99999").await.json(200);
    assert_eq!(stored["attachments"][0]["filename"], "a.txt");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_valid_credentials_nothing_is_written_and_the_same_request_may_follow() {
    let logbook = Logbook::replying(&[Is(401, "who?")]).await;
    let service = logbook.service(&[]).await;
    let anonymous = json!({ "subject": "RF trip", "details": "Reset at 08:45.", "tags": ["RF"] });
    let refused = write(&service, "k", &anonymous).await;
    assert_eq!(refused.problem(401), "auth_required");
    assert_eq!(logbook.requests(), 0);
    let refused = write(&service, "k", &entry()).await;
    assert_eq!(refused.problem(401), "auth_required");
    assert_eq!(total(&service).await, 3);
    let written = write(&service, "k", &entry()).await.json(200);
    assert_eq!(written["entry_id"], "4711");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_with_a_key_is_written_once_also_by_another_server() {
    let logbook = Logbook::replying(&[]).await;
    let service = logbook.service(&[]).await;
    let first = write(&service, "k", &entry()).await.json(200);
    assert_eq!(write(&service, "k", &entry()).await.json(200), first);
    // What was published and then not stored is stored, and not published.
    let ids = ["4711".to_owned()];
    service
        .gannet()
        .store()
        .delete("default", &ids)
        .await
        .unwrap();
    assert_eq!(write(&service, "k", &entry()).await.json(200), first);
    let again = Service::over(service.host).await;
    assert_eq!(write(&again, "k", &entry()).await.json(200), first);
    assert_eq!((logbook.requests(), total(&again).await), (1, json!(4)));
    let mut other = entry();
    other["details"] = "Reset at 09:45.".into();
    let reused = write(&again, "k", &other).await;
    assert_eq!(reused.problem(422), "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_and_the_same_request_may_follow() {
    let logbook = Logbook::replying(&[Is(400, "no such category"), Is(503, "")]).await;
    let service = logbook.service(&[]).await;
    for _ in 0..2 {
        let refused = write(&service, "k", &entry()).await;
        assert_eq!(refused.problem(502), "publish_failed");
        assert!(refused.text.contains("Publish failed"), "{}", refused.text);
        assert!(
            !refused.text.contains("no such category"),
            "{}",
            refused.text
        );
    }
    assert_eq!(total(&service).await, 3);
    write(&service, "k", &entry()).await.json(200);
    assert_eq!((logbook.requests(), total(&service).await), (3, json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_answer_that_leaves_it_open_the_same_request_is_not_sent_again() {
    let page = Is(200, "<!DOCTYPE html><title>Log in</title>");
    for reply in [Cut, Silent, Is(500, ""), page] {
        let logbook = Logbook::replying(&[reply]).await;
        let service = logbook.service(&[]).await;
        let open = write(&service, "k", &entry()).await;
        assert_eq!(open.problem(502), "publish_unclear");
        let again = write(&service, "k", &entry()).await;
        assert_eq!(again.problem(409), "publish_unclear");
        assert_eq!((logbook.requests(), total(&service).await), (1, json!(3)));
        // Somebody has looked, and sends it as a request of its own.
        write(&service, "other", &entry()).await.json(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_requests_with_one_key_at_once_are_written_once() {
    let logbook = Logbook::replying(&[]).await;
    let service = logbook.service(&[]).await;
    let entry = entry();
    let (one, other) = tokio::join!(write(&service, "k", &entry), write(&service, "k", &entry));
    // The second came while the first was under way, or after it.
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert!([[200, 200], [200, 409]].contains(&statuses), "{statuses:?}");
    assert_eq!((logbook.requests(), total(&service).await), (1, json!(4)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_kept_here_and_takes_no_credentials() {
    let logbook = Logbook::replying(&[]).await;
    let service = logbook.service(&[]).await;
    let batch = |entry: Value| json!({ "entries": [entry] });
    let refused = service.post("/api/entries/batch", batch(entry())).await;
    assert_eq!(refused.problem(422), "invalid_request");
    let own = json!({ "subject": "RF trip", "details": "Reset." });
    let kept = service
        .post("/api/entries/batch", batch(own))
        .await
        .json(200);
    assert_eq!(kept["entries"][0]["sync_status"], "local_only");
    assert_eq!(logbook.requests(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_that_was_kept_here_is_published_by_an_agent_with_the_configured_user() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, PASSWORD).unwrap();
    let password = format!("{{file: {}}}", file.display());
    let logbook = Logbook::replying(&[]).await;
    let service = logbook
        .service(&[
            (USER, "gannet"),
            (OWN_PASSWORD, &password),
            ("server.allow_mcp_writes", "true"),
        ])
        .await;
    let info = service.get("/api/publish-info").await.json(200);
    assert_eq!(info["requires_auth"], false);

    let agent = Agent::start(&service, None).await;
    let new = json!({ "subject": "RF trip", "details": "Reset.", "draft": false });
    let created = agent.call("entry_create", new).await;
    let id = created["entry"]["entry_id"].as_str().unwrap();
    let published = agent.call("entry_publish", json!({ "entry_id": id })).await;
    assert_eq!(published["entry"]["entry_id"], "4711");
    service.get("/api/entries/4711").await.json(200);
    service
        .get(&format!("/api/entries/{id}"))
        .await
        .problem(404);
    let sent = logbook.written.lock().unwrap()[0].clone();
    assert!(sent.starts_with("<root><author>gannet</author>"));

    for (id, error) in [
        ("4711", "validation_error"),
        (id, "not_found"),
        ("A", "validation_error"),
    ] {
        let failed = agent.call("entry_publish", json!({ "entry_id": id })).await;
        assert_eq!(failed["error_type"], error, "{id}");
    }
    assert_eq!(logbook.requests(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_password_is_in_the_audit_log_or_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let echo = Is(400, "wrong: pa55-of-lee");
    let logbook = Logbook::replying(&[echo]).await;
    let settings = [("server.audit_log.path", log.to_str().unwrap())];
    let service = logbook.service(&settings).await;
    let refused = write(&service, "k", &entry()).await;
    assert_eq!(refused.status, 502);
    assert!(!refused.text.contains(PASSWORD), "{}", refused.text);
    write(&service, "k", &entry()).await.json(200);

    let lines = std::fs::read_to_string(&log).unwrap();
    assert!(lines.contains("\"entry_published\""), "{lines}");
    assert!(lines.contains("\"4711\""), "{lines}");
    service.gannet().store().flush().await.unwrap();
    let mut folders = vec![
        service.host.folder.path().to_owned(),
        folder.path().to_owned(),
    ];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .unwrap()
            .map(|one| one.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let has_it = bytes
                .windows(PASSWORD.len())
                .any(|part| part == PASSWORD.as_bytes());
            assert!(!has_it, "{}", path.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_logbook_holds_up_no_other_write() {
    let logbook = Logbook::replying(&[Silent]).await;
    let timeout = "ingestion.adapters.als_logbook.settings.request_timeout_seconds";
    let service = logbook.service(&[(timeout, "600")]).await;
    let entry = entry();
    let slow = write(&service, "slow", &entry);
    let other = async {
        while logbook.requests() == 0 {
            tokio::task::yield_now().await;
        }
        let body = json!({ "entries": [{ "subject": "Pump", "details": "Exchanged." }] });
        let request = service
            .request(Method::POST, "/api/entries/batch")
            .header("idempotency-key", "fast");
        request.json(&body).send().await.unwrap().status().as_u16()
    };
    tokio::select! {
        answer = slow => panic!("{answer:?}"),
        status = other => assert_eq!(status, 200),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ariels_cases_of_publishing_are_answered_alike() {
    let own_user = [(USER, "gannet"), (OWN_PASSWORD, "{env: PATH}")];
    for case in cases("ariel.jsonl", "rest") {
        let (input, expected) = (&case["input"], &case["expected"]);
        let (settings, reply): (&[_], _) = match (&input["adapter"], &input["adapter_raises"]) {
            (Value::String(name), _) if name == "ALS eLog writable" => (&[], None),
            (Value::String(name), _) if name == "no-auth writable" => (&own_user, None),
            (_, Value::String(error)) if error == "AuthenticationRequiredError" => {
                (&[], Some(Is(401, "")))
            }
            (_, Value::String(_)) => (&[], Some(Is(500, ""))),
            _ => continue,
        };
        let logbook = Logbook::replying(&Vec::from_iter(reply)).await;
        let service = logbook.service(settings).await;
        let Some(path) = input["POST"].as_str() else {
            let info = service.get(input["GET"].as_str().unwrap()).await.json(200);
            for (key, value) in expected.as_object().unwrap() {
                assert_eq!(&info[key], value, "{case}");
            }
            continue;
        };
        let answer = service.post(path, entry()).await;
        assert_eq!(
            Some(u64::from(answer.status)),
            expected["status"].as_u64(),
            "{case}"
        );
        let body: Value = serde_json::from_str(&answer.text).unwrap();
        if expected["body"].is_object() {
            assert_eq!(body["code"], expected["body"]["code"], "{case}");
        }
        let part = expected["detail_contains"].as_str().unwrap_or_default();
        assert!(
            body["detail"].as_str().unwrap().contains(part),
            "{case}: {body}"
        );
        assert_eq!(total(&service).await, 3, "{case}");
    }
}
