#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_plugin::enhance::Patch;
use gannet_plugin::filter::{Condition, Filter, FilterField};
use gannet_plugin::prelude::{Enhancer, Entry, Setup};
use gannet_plugin::setup::Registration;
use gannet_plugin::testing;
use pollster::block_on;
use serde_json::{Value, json};

use crate::{DeviceNames, Settings};

fn enhance(settings: Value, entries: Vec<Entry>) -> Vec<Patch> {
    let settings: Settings = serde_json::from_value(settings).unwrap();
    let enhancer = DeviceNames::new(settings, &Setup::default()).unwrap();
    let ids: Vec<String> = entries.iter().map(|e| e.entry_id.clone()).collect();
    let done = block_on(enhancer.enhance(entries, &testing::context())).unwrap();
    let done_ids: Vec<String> = done.iter().map(|e| e.entry_id.clone()).collect();
    assert_eq!(done_ids, ids);
    done.into_iter().map(|one| one.outcome.unwrap()).collect()
}

fn entry(id: &str, text: &str) -> Entry {
    Entry::new(id, "log", "2024-01-05T08:30:00Z".parse().unwrap(), text)
}

#[test]
fn filters_find_what_was_written() {
    let mut entry = entry("E1", "SR03C:RF:CAV1:FWD_PWR fell");
    let patch = enhance(json!({}), vec![entry.clone()]).remove(0);
    entry.metadata.extend(patch.metadata);

    let filter = |value: &str| {
        let field = FilterField::from_name("devices");
        Filter::none().and(field, Condition::Equals(value.to_owned()))
    };
    assert!(filter("cav1").matches(&entry));
    assert!(!filter("CAV2").matches(&entry));
}

#[test]
fn keys_are_those_of_the_settings_and_keywords_stay_unless_wanted() {
    let mut entry = entry("E1", "CAV1 tripped, see SR01:BPM3:X");
    entry.keywords = vec!["trip".to_owned(), "CAV1".to_owned()];

    let plain = enhance(json!({"devices_key": "parts"}), vec![entry.clone()]).remove(0);
    let wanted = enhance(json!({"add_to_keywords": true}), vec![entry]).remove(0);

    assert_eq!(plain.keywords, None);
    assert_eq!(plain.metadata["parts"], json!(["BPM3", "CAV1", "SR01"]));
    let expected = ["trip", "CAV1", "BPM3", "SR01", "SR01:BPM3:X"].map(str::to_owned);
    assert_eq!(wanted.keywords, Some(expected.to_vec()));
}

#[test]
fn nothing_is_written_to_an_entry_that_never_had_a_name() {
    let mut emptied = entry("E2", "");
    emptied.metadata.insert("devices".to_owned(), json!([]));

    for patch in enhance(json!({}), vec![entry("E1", "A quiet night"), emptied]) {
        assert_eq!(patch, Patch::default());
    }
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_enhancer_is_registered_after_those_that_make_text() {
    let descriptors: Vec<_> = Registration::linked()
        .map(|registration| (registration.describe)())
        .collect();

    assert_eq!(descriptors[0].name, "device_names");
    assert_eq!(descriptors[0].execution_order, 30);
}
