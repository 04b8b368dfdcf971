//! What `gannet doctor` says of deliveries.

use serde_json::{Value, json};

use crate::facility::Facility;

/// The findings about deliveries: how they are, and what they say.
fn findings(facility: &Facility) -> Vec<(String, String)> {
    let findings: Value = serde_json::from_str(&facility.done(&["doctor", "--json"])).unwrap();
    let findings = findings.as_array().unwrap().iter();
    let of_deliveries = findings.filter(|one| one["check"] == "deliveries");
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    of_deliveries
        .map(|one| (text(one, "health"), text(one, "message")))
        .collect()
}

#[test]
fn doctor_says_which_delivery_is_refused_and_why() {
    let facility = Facility::new();
    let entry = json!({
        "id": "A-1", "timestamp": "2025-06-02T01:00:00Z", "text": "RF-2 tripped on low flow.",
    });
    facility.write("log.jsonl", &entry.to_string());
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    assert_eq!(findings(&facility), []);
    facility.write(
        "config.yml",
        "deliveries:\n  chat: {webhook: {url: 'http://127.0.0.1:1/hook'}}\n  here: {file: {folder: ./out}}\n\
         digests: {morning: {schedule: '0 6 * * *', since: 2025-06-01, deliver_to: [chat, here]}}\n",
    );
    let ok = |name: &str, kind: &str, count: usize| {
        let message = format!("`{name}` ({kind}): {count} delivered");
        ("ok".to_owned(), message)
    };
    assert_eq!(
        findings(&facility),
        [ok("chat", "webhook", 0), ok("here", "file", 0)]
    );
    facility.gannet(&["digest", "--deliver", "morning"]);
    let found = findings(&facility);
    let (health, message) = &found[0];
    assert_eq!(health, "warn");
    for part in [
        "webhook delivery `chat` failed to deliver its last message: ",
        "127.0.0.1",
        "; 1 message pending, the oldest of 20",
        "; 0 delivered",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(found[1], ok("here", "file", 1));
}
