//! `gannet keys`.

use crate::facility::{Facility, code, stderr, stdout};
use serde_json::Value;

fn with_store() -> Facility {
    let facility = Facility::new();
    facility.write(
        "log.jsonl",
        r#"{"id": "1", "text": "x", "timestamp": "2024-03-01T10:00:00Z"}"#,
    );
    facility.done(&["ingest", "log.jsonl", "--no-enhance"]);
    facility
}

#[test]
fn a_key_is_shown_once_listed_without_its_secret_and_revoked() {
    let facility = with_store();
    facility.write(
        "config.yml",
        "server: { audit_log: { path: audit.jsonl } }\n",
    );
    let create = [
        "keys", "create", "notebook", "--scope", "search", "--scope", "ask",
    ];
    let output = facility.gannet(&create);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let key = stdout(&output).trim().to_owned();
    let secret = key.rsplit('_').next().unwrap();
    assert!(key.starts_with("gnt_") && secret.len() == 64, "{key}");

    let listed = facility.done(&["keys", "list"]);
    assert!(
        listed.contains("notebook") && listed.contains("search, ask"),
        "{listed}"
    );
    let id = facility.json(&["keys", "list"])[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(facility.done(&["keys", "revoke", &id]).contains("revoked"));
    assert_eq!(facility.json(&["keys", "list"])[0]["state"], "revoked");

    let shown = [
        facility.done(&["keys", "list", "--format", "json"]),
        facility.done(&["-vvv", "config", "show"]),
        facility.done(&["status", "--format", "json"]),
        std::fs::read_to_string(facility.folder.path().join("audit.jsonl")).unwrap(),
        std::fs::read_to_string(facility.folder.path().join("gannet-data/keys.json")).unwrap(),
    ];
    for text in shown {
        assert!(!text.contains(secret), "{text}");
    }
    let audit = std::fs::read_to_string(facility.folder.path().join("audit.jsonl")).unwrap();
    let events: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events[0]["event"], "key_created");
    assert_eq!(events[1]["event"], "key_revoked");
    assert_eq!(
        (&events[1]["id"], &events[1]["actor"]),
        (&id.into(), &"local".into())
    );
}

#[test]
fn a_key_as_json_has_its_expiry_and_tenant() {
    let facility = with_store();
    let key = facility.json(&[
        "keys",
        "create",
        "hall b",
        "--scope",
        "ingest",
        "--tenant",
        "hall_b",
        "--expires-in-days",
        "30",
    ]);
    assert_eq!(key["tenant"], "hall_b");
    assert!(key["key"].as_str().unwrap().starts_with("gnt_"));
    assert!(key["expires_at"].is_string());
    assert_eq!(key.get("sha256"), None);
}

#[test]
fn keys_are_created_in_an_empty_folder_before_there_is_a_store() {
    let facility = Facility::new();
    let create = |name, folder| {
        let scope = ["--scope", "search", "--data", folder];
        facility.gannet(&[&["keys", "create", name][..], &scope].concat())
    };
    let refused = create("a", "keys");
    assert_eq!(code(&refused), 4);
    assert!(stderr(&refused).contains("there is no store"));
    std::fs::create_dir(facility.folder.path().join("keys")).unwrap();
    for name in ["a", "b"] {
        let created = create(name, "keys");
        assert_eq!(code(&created), 0, "{}", stderr(&created));
    }
    let keys = facility.json(&["keys", "list", "--data", "keys"]);
    assert_eq!(keys.as_array().map(Vec::len), Some(2));
    // The keys alone are no store, and others' files are none either.
    let status = facility.gannet(&["status", "--data", "keys"]);
    assert_eq!(code(&status), 4);
    facility.write("keys/log.jsonl", "");
    assert_eq!(code(&create("c", "keys")), 4);
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let facility = with_store();
    for arguments in [
        &["keys", "create", "x"][..],
        &["keys", "create", "x", "--scope", "root"],
        &["keys", "create", "x", "--scope", "search", "--tenant", ""],
        &["keys", "revoke", "000000000000"],
    ] {
        assert_eq!(code(&facility.gannet(arguments)), 2, "{arguments:?}");
    }
    assert_eq!(facility.json(&["keys", "list"]), Value::Array(Vec::new()));
}

#[test]
fn a_key_that_was_written_into_the_configuration_by_mistake_is_not_shown() {
    let facility = with_store();
    let canary = format!("gnt_0123456789ab_{}", "5ca1ab1e".repeat(8));
    facility.write(
        "config.yml",
        &format!("prompts: {{ facility: {canary} }}\n"),
    );
    let shown = facility.gannet(&["config", "show", "--origin"]);
    assert!(!stdout(&shown).contains("5ca1ab1e") && !stderr(&shown).contains("5ca1ab1e"));
}
