//! Feedback over HTTP: kept where the configuration asks for it, and deleted.

use gannet_core::api::{DEFAULT_TENANT, Entry};
use gannet_core::eval::EvalSet;
use gannet_server::auth::Scope;
use reqwest::Method;
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Answer, Service};

const PATH: &str = "/api/feedback";
const KEPT: (&str, &str) = ("feedback.enabled", "true");

async fn write(service: &Service, id: &str, text: &str) {
    let time = "2025-06-02T01:00:00Z".parse().unwrap();
    let entry = Entry::new(id, "test", time, text);
    service.gannet().store().upsert(vec![entry]).await.unwrap();
}

async fn send(service: &Service, key: &str, method: Method, body: Value) -> Answer {
    let request = service.request(method, PATH).bearer_auth(key);
    Answer::of(request.json(&body).send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_says_again_replaces_what_was_said_before() {
    let service = Service::with(&[KEPT]).await;
    write(&service, "T-1", "RF-2 tripped on low flow.").await;
    for verdict in ["opened", "not_helpful", "helpful"] {
        let body =
            json!({ "question": "Why did  RF-2 trip?", "verdict": verdict, "entry_id": "T-1" });
        service.post(PATH, body).await.json(200);
    }
    let answer = json!({
        "question": "why did RF-2 trip?", "verdict": "not_helpful",
        "citations": ["T-1"], "answer_confidence": 0.9, "mode": "rag",
    });
    let said = service.post(PATH, answer).await.json(200);
    assert_eq!(said["entry_id"], json!(null));
    assert_eq!(said["answer_confidence"], 0.9);
    assert_eq!(said["mode"], "rag");
    let all = service.get(PATH).await.json(200);
    let verdicts = all.as_array().unwrap().iter();
    let verdicts: Vec<_> = verdicts.map(|one| one["verdict"].clone()).collect();
    assert_eq!(verdicts, ["opened", "helpful", "not_helpful"]);
    let all = service.gannet().feedback(DEFAULT_TENANT).await.unwrap();
    let set = EvalSet::of_feedback(&all);
    assert_eq!(set.questions.len(), 1);
    assert_eq!(set.grades[&set.questions[0].id]["T-1"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_not_pushed_out_by_what_is_said_later() {
    let service = Service::with(&[KEPT, ("feedback.max_rows", "1")]).await;
    write(&service, "T-1", "RF-2 tripped on low flow.").await;
    let say = async |question: &str, verdict: &str| {
        let body = json!({ "question": question, "verdict": verdict, "entry_id": "T-1" });
        service.post(PATH, body).await
    };
    say("Why?", "helpful").await.json(200);
    let refused = say("When?", "helpful").await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert!(
        refused.text.contains("`feedback.max_rows`"),
        "{}",
        refused.text
    );
    say("Why?", "not_helpful").await.json(200);
    let all = service.get(PATH).await.json(200);
    assert_eq!(all[0]["verdict"], "not_helpful");
    assert_eq!(all[1], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_is_refused_where_it_is_off_or_names_what_is_not_there() {
    let service = Service::start().await;
    let body = json!({ "question": "Why?", "verdict": "opened", "entry_id": "T-1" });
    let off = service.post(PATH, body.clone()).await;
    assert!(
        off.text.contains("`feedback.enabled: true`"),
        "{}",
        off.text
    );
    assert_eq!(
        service.get("/api/site").await.json(200)["keeps_feedback"],
        false
    );

    let service = Service::with(&[KEPT]).await;
    assert_eq!(
        service.get("/api/site").await.json(200)["keeps_feedback"],
        true
    );
    let unknown = service.post(PATH, body).await;
    assert!(unknown.text.contains("no entry `T-1`"), "{}", unknown.text);
    for (body, reason) in [
        (
            json!({ "question": " ", "verdict": "helpful" }),
            "needs the `question`",
        ),
        (
            json!({ "question": "Why?", "verdict": "opened" }),
            "needs an `entry_id`",
        ),
        (
            json!({ "question": "Why?", "verdict": "helpful", "answer_confidence": 2 }),
            "from 0 to 1",
        ),
        (
            json!({ "question": "Why?", "verdict": "helpful" }),
            "`citations` or its `mode`",
        ),
        (
            json!({ "question": "Why?", "verdict": "helpful", "entry_id": "T-1", "citations": ["T-1"] }),
            "are of an answer",
        ),
    ] {
        let refused = service.post(PATH, body).await;
        assert!(refused.text.contains(reason), "{}", refused.text);
    }
    assert_eq!(service.get(PATH).await.json(200), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn users_say_and_only_administrators_read_and_delete() {
    let service = Service::with(&[KEPT, ("server.auth.required", "true")]).await;
    write(&service, "T-1", "RF-2 tripped.").await;
    let [ann, bob] = [(); 2].map(|()| key(&service, "default", &[Scope::Search]));
    let admin = key(&service, "default", &[Scope::Search, Scope::Admin]);
    let body = json!({ "question": "Why?", "verdict": "helpful", "entry_id": "T-1" });
    for user in [&ann, &bob] {
        send(&service, user, Method::POST, body.clone())
            .await
            .json(200);
    }
    for method in [Method::GET, Method::DELETE] {
        let refused = send(&service, &ann, method, json!(null)).await;
        assert_eq!(refused.status, 403, "{}", refused.text);
    }
    let all = send(&service, &admin, Method::GET, json!(null)).await;
    assert_eq!(all.json(200).as_array().map(Vec::len), Some(2));
    assert!(!all.text.contains("key:"), "{}", all.text);
    let deleted = send(&service, &admin, Method::DELETE, json!(null)).await;
    assert_eq!(deleted.json(200), json!({ "deleted": 2 }));
    let left = send(&service, &admin, Method::GET, json!(null)).await;
    assert_eq!(left.json(200), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_on_an_entry_is_purged_with_it() {
    let service = Service::with(&[KEPT]).await;
    for id in ["T-1", "T-2"] {
        write(&service, id, "RF-2 tripped.").await;
        let body = json!({ "question": "Why?", "verdict": "helpful", "entry_id": id });
        service.post(PATH, body).await.json(200);
    }
    let gannet = service.gannet();
    gannet.store().flush().await.unwrap();
    let filter = gannet.filter(&[("id".to_owned(), "T-1".to_owned())]);
    let filter = filter.unwrap_or_default();
    assert!(!filter.is_empty());
    gannet.purge(DEFAULT_TENANT, &filter).await.unwrap();
    let left = gannet.feedback(DEFAULT_TENANT).await.unwrap();
    let ids: Vec<_> = left.iter().flat_map(|one| one.entry_ids()).collect();
    assert_eq!(ids, ["T-2"]);
}
