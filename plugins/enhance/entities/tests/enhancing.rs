//! Entries and what is found in them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_entities::Entities;
use gannet_plugin::prelude::{Enhancer, Entry, Setup};
use gannet_plugin::testing::{self, FakeHost};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "test", Timestamp::UNIX_EPOCH, text)
}

fn found(settings: Value, stored: &[Entry], one: Entry) -> Map<String, Value> {
    let settings = testing::settings(settings).unwrap();
    let module = Entities::new(settings, &Setup::default()).unwrap();
    let host = FakeHost::default().with_entries(stored.to_vec());
    let enhanced = pollster::block_on(module.enhance(vec![one], &host.context())).unwrap();
    enhanced[0].outcome.clone().unwrap().metadata
}

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn names_are_found_by_their_forms() {
    let text = "Dr. Okafor and M.-L. d'Arcy swapped QD02A; SR01C___BPM3 and LI:GUN:HV are fine. \
                At 12:40 see note 7, CO2 at 5 bar. A. Reyes confirmed.";
    let found = found(json!({}), &[], entry("E1", text));
    assert_eq!(found["pvs"], json!(["LI:GUN:HV", "SR01C___BPM3"]));
    assert_eq!(found["devices"], json!(["QD02A"]));
    let people = found["people"].as_array().unwrap();
    assert!(people.contains(&json!("A. Reyes")), "{people:?}");
    assert!(people.contains(&json!("Dr. Okafor")), "{people:?}");
    assert!(!found.contains_key("linked_entries"));
}

#[test]
fn ids_of_stored_entries_become_links_and_other_words_do_not() {
    let stored = [entry("SKY-0158", "x"), entry("42", "y")];
    let mut one = entry(
        "SKY-0169",
        "As in SKY-0158, (SKY-9999) and SKY-0169 itself.",
    );
    one.metadata.insert("linked_to".to_owned(), json!("42"));
    let links = found(json!({}), &stored, one.clone());
    assert_eq!(links["linked_entries"], json!(["42", "SKY-0158"]));
    let none = found(json!({"links": false}), &stored, one);
    assert!(!none.contains_key("linked_entries"));
}

#[test]
fn a_list_that_has_become_empty_is_emptied() {
    let mut one = entry("E1", "Nothing to see.");
    one.metadata.insert("devices".to_owned(), json!(["CAV1"]));
    assert_eq!(found(json!({}), &[], one)["devices"], json!([]));
}

#[test]
fn patterns_and_keys_are_the_facility_s_own() {
    let settings = json!({
        "device_patterns": ["K[0-9]+"],
        "pv_patterns": [],
        "person_patterns": [],
        "devices_key": "klystrons"
    });
    let found = found(
        settings,
        &[],
        entry("E1", "J. Smith: K7 and CAV1, LI:GUN:HV."),
    );
    assert_eq!(Value::Object(found), json!({"klystrons": ["K7"]}));
    let wrong = testing::settings(json!({"device_patterns": ["("]})).unwrap();
    let error = Entities::new(wrong, &Setup::default()).err().unwrap();
    assert!(error.to_string().contains("device_patterns"), "{error}");
}
