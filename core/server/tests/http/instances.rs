//! Two instances of one plugin, as the pages of the web interface get them.

use serde_json::{Value, json};

use crate::service::Service;

/// The instance of this name in a list of plugins or modes.
fn named<'a>(list: &'a Value, name: &str) -> &'a Value {
    let mut all = list.as_array().unwrap().iter();
    all.find(|one| one["name"] == name).unwrap()
}

fn threshold(instance: &Value) -> &Value {
    &named(&instance["parameters"], "similarity_threshold")["default"]
}

#[tokio::test]
async fn each_instance_shows_its_description_and_the_threshold_that_runs() {
    let strict = "{plugin: semantic, enabled: true, label: Strict, description: Close matches \
                  only., settings: {similarity_threshold: 0.75}}";
    let service = Service::with(&[
        ("search_modules.strict", strict),
        (
            "search_modules.semantic.settings.similarity_threshold",
            "0.35",
        ),
    ])
    .await;

    let plugins = service.get("/api/plugins").await.json(200);
    let capabilities = service.get("/api/capabilities").await.json(200);
    let lists = [&plugins, &capabilities["categories"]["direct"]["modes"]];
    for list in lists {
        let (strict, semantic) = (named(list, "strict"), named(list, "semantic"));
        assert_eq!(strict["description"], "Close matches only.");
        assert_ne!(semantic["description"], strict["description"]);
        assert_eq!(threshold(strict), &json!(0.75));
        assert_eq!(threshold(semantic), &json!(0.35));
    }
}
