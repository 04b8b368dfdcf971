//! The dashboard and the alert rules of `deploy` ask for metrics that the
//! service exports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gannet_tests::Host;
use serde_json::{Value, json};

use crate::service::Service;

/// What a histogram has in the place of its name.
const OF_HISTOGRAM: [&str; 3] = ["_bucket", "_sum", "_count"];
/// Metrics of Prometheus itself.
const OF_PROMETHEUS: [&str; 1] = ["up"];

fn deploy(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../deploy")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

/// The metrics of a service that has embedded an entry and was asked for it.
async fn metrics_page() -> String {
    let host = Host::with(&[("server.port", "0")]).await;
    let entry = json!({"id": "E1", "text": "Pump P-3 leaks", "timestamp": "2024-01-05T08:30:00Z"});
    host.ingest_lines(&[entry]).await.enhance().await;
    let service = Service::over(host).await;
    let body = json!({"query": "pump"});
    service.post("/api/search", body.clone()).await;
    service.post("/search", body).await;
    service.get("/metrics").await.text
}

/// The names of `# TYPE` lines; those of a histogram with its endings.
fn exported(page: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in page.lines() {
        let Some(head) = line.strip_prefix("# TYPE ") else {
            continue;
        };
        let (name, kind) = head.split_once(' ').unwrap();
        match kind {
            "histogram" => {
                names.extend(OF_HISTOGRAM.iter().map(|ending| format!("{name}{ending}")));
            }
            _ => drop(names.insert(name.to_owned())),
        }
    }
    names
}

/// The names of the labels that metrics with values have.
fn labels(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (series, _) = line.rsplit_once(' ').unwrap();
        let (name, rest) = series.split_once('{').unwrap_or((series, ""));
        let names = rest.split("\",").filter_map(|one| one.split_once("=\""));
        let known = labels.entry(name.to_owned()).or_default();
        known.extend(names.map(|(label, _)| label.to_owned()));
    }
    labels
}

/// Every query of a dashboard: `expr` of its targets and `query` of its
/// variables.
fn queries(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == "expr" || key == "query" => {
                        found.push(text.clone());
                    }
                    _ => queries(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| queries(value, found)),
        _ => {}
    }
}

/// The words of a query that name one of Gannet's metrics.
fn metrics(query: &str) -> BTreeSet<String> {
    let words = query.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let ours = words.filter(|word| word.starts_with("gannet_") || word.starts_with("retriever_"));
    ours.map(str::to_owned).collect()
}

#[tokio::test]
async fn every_metric_of_the_dashboard_and_of_the_alerts_is_exported() {
    let page = metrics_page().await;
    let exported = exported(&page);

    let dashboard: Value = serde_json::from_str(&deploy("grafana/gannet.json")).unwrap();
    let mut asked = Vec::new();
    queries(&dashboard, &mut asked);
    let rules = deploy("prometheus/alerts.yml");
    let in_dashboard: BTreeSet<String> = asked.iter().flat_map(|query| metrics(query)).collect();
    let in_rules = metrics(&rules);
    assert!(!in_rules.is_empty());
    for name in in_dashboard.union(&in_rules) {
        assert!(exported.contains(name), "{name} is not exported:\n{page}");
    }
    // What is exported is shown, but for parts of a histogram.
    for name in &exported {
        let whole = OF_HISTOGRAM
            .iter()
            .find_map(|ending| name.strip_suffix(ending));
        let shown = |one: &String| one.starts_with(whole.unwrap_or(name));
        assert!(in_dashboard.iter().any(shown), "{name} is not shown");
    }
}

#[tokio::test]
async fn every_label_that_a_panel_groups_by_is_on_its_metric() {
    let known = labels(&metrics_page().await);

    let dashboard: Value = serde_json::from_str(&deploy("grafana/gannet.json")).unwrap();
    let mut asked = Vec::new();
    queries(&dashboard, &mut asked);
    let mut compared = 0;
    for query in asked {
        for name in metrics(&query) {
            // Without a value there is no label to compare with: nothing was
            // refused, and nothing was degraded.
            let Some(labels) = known.get(&name) else {
                continue;
            };
            for group in query.split(" by (").skip(1) {
                let group = group.split(')').next().unwrap();
                for label in group.split(", ") {
                    let of_prometheus = ["instance", "job"].contains(&label);
                    assert!(of_prometheus || labels.contains(label), "{label}: {query}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10);
    assert!(deploy("prometheus/alerts.yml").contains(OF_PROMETHEUS[0]));
}

#[tokio::test]
async fn a_question_that_is_asked_again_is_not_embedded_again() {
    let host = Host::with(&[("server.port", "0")]).await;
    let entry = json!({"id": "E1", "text": "Pump P-3 leaks", "timestamp": "2024-01-05T08:30:00Z"});
    host.ingest_lines(&[entry]).await.enhance().await;
    let service = Service::over(host).await;
    for query in ["leaking pump", "leaking pump", "a pump that leaks"] {
        let body = json!({"query": query, "mode": "semantic"});
        let found = service.post("/api/search", body).await.json(200);
        assert_eq!(found["entries"][0]["entry_id"], "E1");
    }
    let page = service.get("/metrics").await.text;
    for line in ["{outcome=\"hit\"} 1", "{outcome=\"miss\"} 2"] {
        let line = format!("gannet_question_cache_total{line}");
        assert!(page.lines().any(|one| one == line), "{line}\n{page}");
    }
}
