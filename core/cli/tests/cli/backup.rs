//! `gannet backup` and `gannet restore`.
use crate::facility::{Facility, code, stderr};
use serde_json::Value;

const QUESTIONS: [&str; 4] = [
    "cavity trip",
    "vacuum leak",
    "wiggler quench",
    "cooling water",
];

pub fn hits(facility: &Facility, store: &str) -> Vec<Value> {
    let mut answers = Vec::new();
    for question in QUESTIONS {
        for mode in ["keyword", "semantic", "rag"] {
            let search = ["search", question, "--mode", mode, "--data", store];
            let mut result = facility.json(&search);
            answers.push(result["entries"].take());
        }
    }
    answers
}

#[test]
fn a_restored_backup_answers_like_the_store_that_it_was_made_of() {
    let facility = Facility::new();
    facility.done(&["quickstart", "--data", "store"]);
    facility.done(&[
        "keys", "create", "reader", "--scope", "search", "--data", "store",
    ]);
    let attachments = facility.folder.path().join("store/attachments");
    std::fs::create_dir_all(&attachments).unwrap();
    facility.write("store/attachments/0a", "a picture");
    facility.write("store/attachments/0b.part", "half of a picture");

    let made = facility.done(&["backup", "saved", "--data", "store"]);
    assert!(made.contains("backed up 354 entries"), "{made}");
    assert!(
        facility
            .done(&["backup", "--check", "saved"])
            .contains("checked 354 entries")
    );
    let restored = facility.done(&["restore", "saved", "--data", "new"]);
    assert!(restored.contains("restored 354 entries"), "{restored}");

    assert_eq!(hits(&facility, "new"), hits(&facility, "store"));
    let file = |name: &str| std::fs::read(facility.folder.path().join(name));
    assert_eq!(file("new/attachments/0a").unwrap(), b"a picture");
    assert!(file("new/attachments/0b.part").is_err());
    assert_eq!(
        file("new/keys.json").unwrap(),
        file("store/keys.json").unwrap()
    );
    facility.done(&["index", "verify", "--deep", "--data", "new"]);
}

#[test]
fn what_stands_in_the_way_of_a_backup_or_a_restore_is_said() {
    let facility = Facility::new();
    facility.done(&["quickstart", "--data", "store"]);
    facility.done(&["backup", "saved", "--data", "store"]);
    let refused = |arguments: &[&str], reason: &str| {
        let output = facility.gannet(arguments);
        let said = stderr(&output);
        assert_ne!(code(&output), 0, "{arguments:?}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    };
    refused(&["backup", "saved", "--data", "store"], "saved exists");
    refused(
        &["backup", "other", "--data", "nowhere"],
        "there is no store",
    );
    refused(
        &["restore", "saved", "--data", "store"],
        "has a store already",
    );
    refused(&["restore", "nowhere", "--data", "new"], "is not a backup");

    let records = facility.folder.path().join("saved/store.db");
    let mut bytes = std::fs::read(&records).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&records, bytes).unwrap();
    refused(&["backup", "--check", "saved"], "store.db is damaged");
    refused(
        &["restore", "saved", "--data", "new"],
        "store.db is damaged",
    );
    std::fs::remove_file(&records).unwrap();
    refused(
        &["restore", "saved", "--data", "new"],
        "store.db is missing",
    );
    let newer = facility.folder.path().join("saved/backup.json");
    std::fs::write(newer, r#"{"format": 2}"#).unwrap();
    refused(
        &["restore", "saved", "--data", "new"],
        "use a newer program",
    );
    assert!(!facility.folder.path().join("new").exists());
}
