//! S3: 100 tenants, every mode and surface, and no entry of another one.

use futures::StreamExt;
use gannet_core::api::Entry;
use gannet_server::auth::Scope;
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::logins::key;
use crate::service::{Answer, Service};

const TENANTS: usize = 100;

fn name(tenant: usize) -> String {
    format!("tenant{tenant:03}")
}

/// Every tenant has two entries of the same words; its name is in their ids,
/// texts and authors.
async fn service() -> Service {
    let settings = [
        ("server.auth.required", "true"),
        ("server.requests_per_minute", "0"),
        ("server.max_queued", "1000"),
        ("server.queue_timeout_seconds", "600"),
        ("server.allow_mcp_writes", "true"),
    ];
    let service = Service::with(&settings).await;
    let entries = (0..TENANTS).flat_map(|tenant| {
        (0..2).map(move |number| {
            let name = name(tenant);
            let time = "2025-03-01T08:00:00Z".parse().unwrap();
            let text = format!("The cavity of {name} tripped, number {number}.");
            let mut entry = Entry::new(format!("{name}-{number}"), "elog", time, text);
            entry.author.clone_from(&name);
            entry.tenant = name;
            entry
        })
    });
    service
        .gannet()
        .store()
        .upsert(entries.collect())
        .await
        .unwrap();
    service.host.enhance().await;
    service.gannet().store().flush().await.unwrap();
    service
}

/// Fails where a text names another tenant than this one.
fn check(tenant: usize, surface: &str, text: &str) {
    for (at, _) in text.match_indices("tenant") {
        let digits: String = text[at + 6..].chars().take(3).collect();
        if let Ok(found) = digits.parse::<usize>() {
            assert_eq!(found, tenant, "{surface}: {text}");
        }
    }
    assert!(
        !text.contains("klystron"),
        "{surface}: an entry of `default`"
    );
}

/// What one tenant can reach.
struct Tenant<'s> {
    service: &'s Service,
    number: usize,
    key: String,
    /// What was found of its own.
    seen: usize,
}

impl Tenant<'_> {
    async fn ask(&mut self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.service.request(method, path).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert!(answer.status < 500, "{path}: {}", answer.text);
        check(self.number, path, &answer.text);
        self.seen += answer.text.matches(&name(self.number)).count();
        answer
    }

    async fn post(&mut self, path: &str, body: Value) -> Answer {
        self.ask(Method::POST, path, Some(body)).await
    }

    async fn get(&mut self, path: &str) -> Answer {
        self.ask(Method::GET, path, None).await
    }

    /// Searches, lists, facets and answers.
    async fn read_everything(&mut self, modes: &[String]) {
        let query = "why did the cavity trip?";
        for mode in modes {
            let body = json!({ "query": query, "mode": mode, "facets": ["author"] });
            self.post("/api/search", body.clone()).await.json(200);
            self.post("/api/search/stream", body).await;
            let messages = json!([{ "role": "user", "content": query }]);
            let chat = json!({ "model": mode, "messages": messages });
            self.post("/v1/chat/completions", chat).await.json(200);
        }
        self.post("/search", json!({ "query": query }))
            .await
            .json(200);
        let list = self.get("/api/entries?page_size=100").await.json(200);
        assert_eq!(list["total"], 2);
        self.get("/api/filter-options/authors").await;
        self.get("/api/status").await;
        self.get("/api/capabilities").await;
    }

    async fn ask_as_agent(&mut self, others: &[String]) {
        let agent = Agent::start(self.service, Some(&self.key)).await;
        for (tool, arguments) in [
            ("keyword_search", json!({ "query": "cavity" })),
            ("semantic_search", json!({ "query": "cavity" })),
            ("rag", json!({ "query": "cavity" })),
            ("browse", json!({})),
            ("count_entries", json!({ "group_by": "author" })),
            ("filter_options", json!({ "field": "authors" })),
            ("entries_by_ids", json!({ "entry_ids": others })),
            ("status", json!({})),
        ] {
            let found = agent.call(tool, arguments).await.to_string();
            // What was asked for and not found is told.
            let found = others.iter().fold(found, |text, id| text.replace(id, ""));
            check(self.number, tool, &found);
            self.seen += found.matches(&name(self.number)).count();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_no_surface_shows_an_entry_of_another_tenant() {
    let service = service().await;
    let modes = service.modes();
    let scopes = [Scope::Search, Scope::Ask, Scope::Ingest];
    let mut before: Option<(String, String)> = None;
    for number in 0..TENANTS {
        let key = key(&service, &name(number), &scopes);
        let mut tenant = Tenant {
            service: &service,
            number,
            key,
            seen: 0,
        };
        tenant.read_everything(&modes).await;
        let other = name((number + 1) % TENANTS);
        let others = [format!("{other}-0"), format!("{other}-1")];
        tenant.ask_as_agent(&others).await;
        assert!(tenant.seen > 10, "{}", tenant.seen);
        for id in &others {
            let request = service.request(Method::GET, &format!("/api/entries/{id}"));
            let request = request.bearer_auth(&tenant.key).send().await.unwrap();
            assert_eq!(request.status(), 404, "{id}");
        }
        // Drafts and files, which are not entries.
        let draft = json!({ "subject": name(number), "details": "x" });
        let draft = tenant.post("/api/drafts", draft).await.json(200);
        let file = upload(&service, &tenant.key, &name(number)).await;
        if let Some((draft, file)) = &before {
            for path in [draft, file] {
                assert_eq!(tenant.get(path).await.status, 404, "{path}");
            }
        }
        let draft = format!("/api/drafts/{}", draft["draft_id"].as_str().unwrap());
        for path in [&draft, &file] {
            assert_eq!(tenant.get(path).await.status, 200, "{path}");
        }
        before = Some((draft, file));
    }
}

/// Over REST (search, stream, chat, Retriever) and MCP.
const SURFACES: usize = 5;

/// How many questions each tenant asks in
/// [`s3_no_question_finds_an_entry_of_another_tenant`]: with
/// `GANNET_TENANT_QUERIES=1000` as many as the promise says.
fn questions() -> usize {
    let asked = std::env::var("GANNET_TENANT_QUERIES").ok();
    asked.map_or(20, |number| number.parse().unwrap())
}

/// A question of a tenant; most ask for another one by its name.
fn question(tenant: usize, number: usize) -> String {
    let other = name((tenant + 1 + number * 7) % TENANTS);
    match number % 8 {
        0 => "why did the cavity trip?".to_owned(),
        1 => other,
        2 => format!("author:{other} cavity"),
        3 => format!("what happened to {other} on 1 March 2025?"),
        4 => format!("\"cavity of {other}\""),
        5 => format!("{other}-0"),
        6 => format!("cavity OR {other} NOT klystron"),
        _ => format!("how many cavities tripped in March 2025, {number}?"),
    }
}

/// Fails where an answer shows an entry of another tenant. Its name alone may
/// be there: the question has it.
fn check_entries(tenant: usize, asked: &str, text: &str) {
    for before in [
        "\"entry_id\":\"",
        "\"author\":\"",
        "\"value\":\"",
        "[#",
        "cavity of ",
    ] {
        for (at, _) in text.match_indices(before) {
            let rest = &text[at + before.len()..];
            // A preview of a long answer may be cut within a name.
            let found = rest.strip_prefix("tenant").map(|rest| {
                let digits = rest.find(|c: char| !c.is_ascii_digit());
                &rest[..digits.unwrap_or(rest.len()).min(3)]
            });
            let is_question = match before {
                "cavity of " => asked.contains("\"cavity of"),
                // Facets have a number; what the plan has of the question has none.
                "\"value\":\"" => !rest[9..].starts_with("\",\"count\""),
                _ => false,
            };
            assert!(
                found.is_none_or(|found| name(tenant)[6..].starts_with(found) || is_question),
                "{asked}: {text}"
            );
        }
    }
}

/// Asks all questions of a tenant, each in one mode on one surface, and says
/// how many answers had entries of its own.
async fn ask_all(service: &Service, tenant: usize, modes: &[String]) -> usize {
    let key = key(service, &name(tenant), &[Scope::Search, Scope::Ask]);
    let agent = Agent::start(service, Some(&key)).await;
    let mut seen = 0;
    for number in 0..questions() {
        // 160 combinations of kind, mode and surface, of which 37 goes through all.
        let number = (tenant * questions() + number) * 37;
        let (query, mode) = (question(tenant, number), &modes[number / 8 % modes.len()]);
        let body = json!({ "query": query, "mode": mode, "facets": ["author"] });
        let (path, body) = match number / 8 / modes.len() % SURFACES {
            0 => ("/api/search", body),
            1 => ("/api/search/stream", body),
            2 => {
                let messages = json!([{ "role": "user", "content": query }]);
                let chat = json!({ "model": mode, "messages": messages });
                ("/v1/chat/completions", chat)
            }
            3 => ("/search", json!({ "query": query })),
            _ => ("", Value::Null),
        };
        let text = if path.is_empty() {
            let tools = ["keyword_search", "semantic_search", "rag"];
            let tool = tools[number / 8 % tools.len()];
            agent
                .call(tool, json!({ "query": query }))
                .await
                .to_string()
        } else {
            let request = service.request(Method::POST, path).bearer_auth(&key);
            let answer = Answer::of(request.json(&body).send().await.unwrap()).await;
            assert_eq!(answer.status, 200, "{path} {query}: {}", answer.text);
            answer.text
        };
        check_entries(tenant, &query, &text);
        seen += usize::from(text.contains(&format!("{}-", name(tenant))));
    }
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_no_question_finds_an_entry_of_another_tenant() {
    let service = service().await;
    let modes = service.modes();
    let tenants = futures::stream::iter(0..TENANTS);
    let asked = tenants.map(|tenant| ask_all(&service, tenant, &modes));
    let seen: Vec<usize> = asked.buffer_unordered(8).collect().await;
    for seen in seen {
        assert!(seen >= questions() / 8, "{seen} of {}", questions());
    }
}

/// The address of a file that is uploaded with an entry.
async fn upload(service: &Service, key: &str, content: &str) -> String {
    let form = format!(
        "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nScope\r\n--x\r\n\
         Content-Disposition: form-data; name=\"details\"\r\n\r\nPicture.\r\n--x\r\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n{content}\r\n\
         --x--\r\n"
    );
    let request = service
        .request(Method::POST, "/api/entries/upload")
        .bearer_auth(key)
        .header("content-type", "multipart/form-data; boundary=x");
    let written = Answer::of(request.body(form).send().await.unwrap())
        .await
        .json(200);
    let path = format!("/api/entries/{}", written["entry_id"].as_str().unwrap());
    let entry = service.request(Method::GET, &path).bearer_auth(key);
    let entry = Answer::of(entry.send().await.unwrap()).await.json(200);
    entry["attachments"][0]["url"].as_str().unwrap().to_owned()
}
