//! What the configuration can set, and what is refused.

use gannet_index::{Access, IndexError, VectorSpec, configured_vector_engine};
use serde_json::{Value, json};

use crate::fake_qdrant::FakeQdrant;
use crate::settings_for;

fn refused(settings: Value) -> String {
    let settings = settings.as_object().unwrap();
    match configured_vector_engine("qdrant", settings) {
        Err(IndexError::InvalidSettings { engine, reason }) => {
            assert_eq!(engine, "qdrant");
            reason
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{settings:?} is taken"),
    }
}

#[test]
fn settings_that_cannot_work_are_refused_before_anything_is_asked() {
    assert!(refused(json!({})).contains("missing field `url`"));
    assert!(refused(json!({ "url": "vectors.lab" })).contains("`url`"));
    let url = "http://vectors.lab.example:6333";
    let with = |key: &str, value: Value| {
        let mut settings = json!({ "url": url });
        settings[key] = value;
        refused(settings)
    };
    assert!(with("colection", json!("x")).contains("unknown field `colection`"));
    assert!(with("collection", json!("a/b")).contains("`collection`"));
    assert!(with("quantization", json!("product")).contains("unknown variant `product`"));
    assert!(with("timeout_seconds", json!(0)).contains("`timeout_seconds`"));
    assert!(with("pause_seconds", json!(-1)).contains("`pause_seconds`"));
    let secret = with("api_key", json!("k-123"));
    assert!(
        secret.contains("{ env: NAME }") && !secret.contains("k-123"),
        "{secret}"
    );
}

#[test]
fn the_key_is_sent_and_a_refusal_says_where_it_is_set() {
    let server = FakeQdrant::start();
    server.ask_for_key("a key");
    let folder = tempfile::tempdir().unwrap();
    let spec = VectorSpec {
        model: "m".to_owned(),
        dimension: 2,
    };
    let key = folder.path().join("key");
    std::fs::write(&key, "a key\n").unwrap();
    let mut settings = settings_for(&server);
    for is_right in [false, true] {
        if is_right {
            settings.insert("api_key".to_owned(), json!({ "file": key }));
        }
        let engine = configured_vector_engine("qdrant", &settings).unwrap();
        let made = engine.create(&folder.path().join("vectors"), &spec);
        match made.err().map(|error| error.to_string()) {
            None => assert!(is_right),
            Some(told) => {
                assert!(!is_right && told.contains("status 401"), "{told}");
                assert!(told.contains("`store.vector_settings`"), "{told}");
            }
        }
    }
}

#[test]
fn another_name_makes_another_collection_and_leaves_the_first_alone() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("tiny");
    let spec = |model: &str| VectorSpec {
        model: model.to_owned(),
        dimension: 2,
    };
    let mut settings = settings_for(&server);
    let first = configured_vector_engine("qdrant", &settings).unwrap();
    first.create(&folder, &spec("a")).unwrap();
    let of_a = server.collections();
    // Another model under the same name: what is of no use goes away.
    first.create(&folder, &spec("b")).unwrap();
    let of_b = server.collections();
    assert!(of_a.len() == 1 && of_b.len() == 1 && of_a != of_b);
    settings.insert("collection".to_owned(), json!("copy"));
    let second = configured_vector_engine("qdrant", &settings).unwrap();
    let refused = second.open(&folder, &spec("b"), Access::Write).err();
    let refused = refused.unwrap();
    assert!(refused.is_damage(), "{refused}");
    assert!(refused.to_string().contains("`collection` was changed"));
    second.create(&folder, &spec("b")).unwrap();
    let names = server.collections();
    assert!(names.len() == 2 && names.contains(&of_b[0]), "{names:?}");
}

#[test]
fn a_collection_is_made_as_the_settings_say() {
    let server = FakeQdrant::start();
    let folder = tempfile::tempdir().unwrap();
    let spec = VectorSpec {
        model: "all MiniLM/v2".to_owned(),
        dimension: 2,
    };
    let mut settings = settings_for(&server);
    settings.insert("collection".to_owned(), json!("logbook"));
    settings.insert("quantization".to_owned(), json!("scalar"));
    let engine = configured_vector_engine("qdrant", &settings).unwrap();
    let folder = folder.path().join("all%20MiniLM");
    // Nothing is asked of a server before there is anything to write.
    engine.open(&folder, &spec, Access::Read).unwrap();
    assert!(server.requests().is_empty());
    engine.create(&folder, &spec).unwrap();
    let names = server.collections();
    assert!(names[0].starts_with("logbook-all_20MiniLM-"), "{names:?}");
    assert!(server.refused().is_empty(), "{:?}", server.refused());
}
