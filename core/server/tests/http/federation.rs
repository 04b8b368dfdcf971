//! Several Gannets as domains of one: `gannet_remote` against real services.

use gannet_core::api::{Condition, Filter, FilterField};
use gannet_core::{SearchInput, SearchResult};
use gannet_server::auth::Scope;
use gannet_tests::{Host, ids};
use reqwest::Method;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::logins::key;
use crate::service::{Answer, Service};

/// A facility with these texts of its logbook, their ids from `1`.
async fn facility(texts: &[&str], settings: &[(&str, &str)]) -> Service {
    let mut all = vec![("server.port", "0")];
    all.extend(settings);
    let host = Host::with(&all).await;
    let records: Vec<Value> = texts
        .iter()
        .zip(1..)
        .map(|(text, number)| {
            json!({ "id": number.to_string(), "text": text, "author": format!("author {number}"),
                "source_system": "shift log", "timestamp": "2024-01-05T08:30:00Z" })
        })
        .collect();
    host.ingest_lines(&records).await;
    host.enhance().await;
    host.gannet.store().flush().await.unwrap();
    Service::over(host).await
}

async fn north() -> Service {
    let texts = ["The wiggler quenched at noon.", "Shift change at the ring."];
    facility(&texts, &[]).await
}

async fn south() -> Service {
    facility(&["A quench heater of the wiggler was exchanged."], &[]).await
}

/// A host with an entry of its own and these others as domains.
async fn house(others: &[(&str, String)]) -> Host {
    let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
    let domains: Vec<String> = names
        .iter()
        .map(|name| format!("{name}: {{retrieval_modules: [{name}]}}"))
        .collect();
    let domains = format!(
        "{{house: {{kinds: [logbook], retrieval_modules: [keyword, semantic]}}, {}}}",
        domains.join(", ")
    );
    let modules = format!("[keyword, semantic, {}]", names.join(", "));
    let instances: Vec<(String, String)> = others
        .iter()
        .map(|(name, settings)| {
            let instance =
                format!("{{plugin: gannet_remote, enabled: true, settings: {settings}}}");
            (format!("search_modules.{name}"), instance)
        })
        .collect();
    let mut settings = vec![
        ("server.port", "0"),
        ("pipelines.unified.retrieval_modules", modules.as_str()),
        ("pipelines.unified.settings.domains", domains.as_str()),
    ];
    settings.extend(
        instances
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str())),
    );
    let host = Host::with(&settings).await;
    let own = json!({ "id": "1", "text": "Visitors asked about the wiggler.",
        "timestamp": "2024-01-06T08:30:00Z" });
    host.ingest_lines(&[own]).await;
    host.enhance().await;
    host.gannet.store().flush().await.unwrap();
    host
}

fn at(service: &Service) -> String {
    format!("{{url: \"http://{}\"}}", service.address)
}

/// Lets each of these services ask all others, with these settings of their
/// modules beside the address.
async fn ask_each_other(services: &[(&str, &Service)], more: &str) {
    for (own, service) in services {
        let others = services.iter().filter(|(name, _)| name != own);
        let others: Vec<(&str, String)> = others
            .map(|(name, other)| {
                let url = format!("http://{}", other.address);
                let settings = format!("{{url: \"{url}\"{more}}}");
                (
                    *name,
                    format!("{{plugin: gannet_remote, enabled: true, settings: {settings}}}"),
                )
            })
            .collect();
        let names: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        let modules = format!("[keyword, semantic, {}]", names.join(", "));
        let keys: Vec<String> = names
            .iter()
            .map(|name| format!("search_modules.{name}"))
            .collect();
        let mut settings = vec![("pipelines.rag.retrieval_modules", modules.as_str())];
        let instances = keys.iter().zip(&others);
        settings.extend(instances.map(|(key, (_, instance))| (key.as_str(), instance.as_str())));
        service.reload(&settings).await;
    }
}

/// How many searches a service has answered.
async fn searches(service: &Service) -> u64 {
    let page = service.get("/metrics").await.text;
    let lines = page
        .lines()
        .filter_map(|line| line.strip_prefix("gannet_searches_total{"));
    let counts = lines.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap());
    counts.sum()
}

async fn ask(host: &Host, mode: &str, filter: Filter) -> SearchResult {
    let mut input = SearchInput::new("why did the wiggler quench?");
    input.mode = Some(mode.to_owned());
    input.filter = filter;
    host.gannet.search(input).await.unwrap()
}

fn domain_status(result: &SearchResult, domain: &str) -> Value {
    let domains = result.extensions["coverage"]["domains"].as_array().unwrap();
    let found = domains.iter().find(|one| one["domain"] == domain);
    found.unwrap()["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_question_is_answered_by_three_machines() {
    let (north, south) = (north().await, south().await);
    let host = house(&[("north", at(&north)), ("south", at(&south))]).await;
    let result = ask(&host, "unified", Filter::none()).await;
    let found = ids(&result);
    // The same id on three machines is that of three entries.
    for id in ["1", "north:1", "south:1"] {
        assert!(found.contains(&id), "{found:?}");
    }
    assert!(!result.degraded, "{:?}", result.diagnostics);
    assert_eq!(domain_status(&result, "north"), "ok");
    let cited = result.citations.iter().any(|id| id == "north:1");
    assert!(cited, "{:?}", result.citations);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_of_another_machine_is_opened_by_its_id_on_every_interface() {
    let north = north().await;
    let service = Service::over(house(&[("north", at(&north))]).await).await;
    // Nothing was searched: the other machine is asked for it.
    let opened = service.get("/api/entries/north:1").await.json(200);
    assert_eq!(opened["raw_text"], "The wiggler quenched at noon.");
    let agent = Agent::start(&service, None).await;
    let several = json!({ "entry_ids": ["north:2", "1", "north:9"] });
    let several = agent.call("entries_by_ids", several).await;
    let found = several["entries"].as_array().unwrap().iter();
    let found: Vec<&Value> = found.map(|entry| &entry["entry_id"]).collect();
    assert_eq!(found, ["north:2", "1"]);
    assert_eq!(several["not_found"], json!(["north:9"]));
    let one = json!({ "entry_id": "north:2" });
    let one = agent.call("entry_get", one).await;
    assert_eq!(one["raw_text"], "Shift change at the ring.");
    service.get("/api/entries/north:9").await.json(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_of_another_machine_keeps_where_it_comes_from() {
    let north = north().await;
    let host = house(&[("north", at(&north))]).await;
    let result = ask(&host, "north", Filter::none()).await;
    let first = &result.entries[0];
    assert_eq!(first.entry.entry_id, "north:1");
    assert_eq!(first.entry.source_system, "shift log");
    assert_eq!(first.entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
    assert_eq!(first.entry.metadata["remote"]["entry_id"], "1");
    let modules: Vec<&str> = first
        .provenance
        .iter()
        .map(|one| one.module.as_str())
        .collect();
    assert!(modules.contains(&"north/keyword"), "{modules:?}");
    let explain = first.explain.as_ref().unwrap();
    assert_eq!(explain["remote"], "north");
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_those_of_the_other_machine_too() {
    let north = north().await;
    let host = house(&[("north", at(&north))]).await;
    let equals = |value: &str| Condition::Equals(value.to_owned());
    for (field, condition, expected) in [
        ("author", equals("author 1"), vec!["north:1"]),
        (
            "author",
            Condition::Contains("thor 1".to_owned()),
            vec!["north:1"],
        ),
        ("source", equals("shift log"), vec!["north:1"]),
        ("source", equals("other"), vec![]),
        ("id", equals("north:1"), vec!["north:1"]),
        ("id", equals("1"), vec![]),
    ] {
        let filter = Filter::none().and(FilterField::from_name(field), condition.clone());
        let result = ask(&host, "north", filter).await;
        let found: Vec<&str> = ids(&result)
            .into_iter()
            .filter(|id| *id != "north:2")
            .collect();
        assert_eq!(found, expected, "{field} {condition:?}");
        assert!(!result.degraded);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_with_keys_is_asked_by_its_key() {
    let north = facility(
        &["The wiggler quenched."],
        &[("server.auth.required", "true")],
    )
    .await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, key(&north, "default", &[Scope::Search])).unwrap();
    let with_key = format!(
        "{{url: \"http://{}\", api_key: {{file: \"{}\"}}}}",
        north.address,
        file.display()
    );
    let host = house(&[("north", with_key), ("stranger", at(&north))]).await;
    let result = ask(&host, "unified", Filter::none()).await;
    assert!(
        ids(&result).contains(&"north:1"),
        "{:?}",
        result.diagnostics
    );
    assert_eq!(domain_status(&result, "stranger"), "failed");
    assert!(result.degraded);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_is_gone_takes_nothing_from_the_others() {
    let south = south().await;
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!(
            "{{url: \"http://{}\", failures: 2}}",
            listener.local_addr().unwrap()
        )
    };
    let host = house(&[("north", gone), ("south", at(&south))]).await;
    for _ in 0..3 {
        let result = ask(&host, "unified", Filter::none()).await;
        assert!(ids(&result).contains(&"south:1") && ids(&result).contains(&"1"));
        assert_eq!(domain_status(&result, "north"), "failed");
        assert!(result.degraded);
    }
    let result = ask(&host, "unified", Filter::none()).await;
    let notes: Vec<&str> = result
        .diagnostics
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    let is_left_alone = |note: &&str| note.contains("failed 2 times in a row");
    assert!(notes.iter().any(is_left_alone), "{notes:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_that_all_ask_each_other_are_asked_once_each() {
    let (north, south) = (north().await, south().await);
    let east = facility(&["The wiggler has no quench detector."], &[]).await;
    let all = [("north", &north), ("south", &south), ("east", &east)];
    ask_each_other(&all, "").await;
    let question = json!({ "query": "why did the wiggler quench?", "mode": "rag" });
    let result = north.post("/api/search", question).await.json(200);
    let entries = result["entries"].as_array().unwrap();
    let found: Vec<&str> = entries
        .iter()
        .map(|entry| entry["entry_id"].as_str().unwrap())
        .collect();
    for id in ["1", "south:1", "east:1"] {
        assert!(found.contains(&id), "{found:?}");
    }
    assert_eq!(result["degraded"], false, "{}", result["diagnostics"]);
    for (name, service) in all {
        assert_eq!(searches(service).await, 1, "{name}");
    }
    let notes = result["diagnostics"].as_array().unwrap();
    for name in ["south", "east"] {
        let expected = format!("{name} answered without the Gannets that it asks itself");
        assert!(
            notes.iter().any(|note| note["message"] == *expected),
            "{notes:?}"
        );
    }
    // Asked as another Gannet asks, with the reason.
    let as_another = south.request(Method::POST, "/api/search");
    let body = json!({ "query": "wiggler", "mode": "rag" });
    let answer = as_another.header("gannet-hops", "1").json(&body).send();
    let answer = Answer::of(answer.await.unwrap()).await;
    let expected = "north was not asked: the question came over 1 other Gannet, and `max_hops` of \
                    north is 1";
    assert!(answer.text.contains(expected), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_circle_ends_at_the_limit_of_its_settings() {
    let (north, south) = (north().await, south().await);
    let both = [("north", &north), ("south", &south)];
    ask_each_other(&both, ", max_hops: 3").await;
    let question = json!({ "query": "why did the wiggler quench?", "mode": "rag" });
    let result = north.post("/api/search", question).await.json(200);
    assert_eq!(result["degraded"], false, "{}", result["diagnostics"]);
    // The question goes north, south, north, south.
    assert_eq!(searches(&north).await, 2);
    assert_eq!(searches(&south).await, 2);
}
