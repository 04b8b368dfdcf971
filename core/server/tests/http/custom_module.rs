//! A module of a facility: its mode, parameters and options are on every
//! surface without code for it.

use std::time::Duration;

use gannet_core::api::{
    Context, Descriptor, Exposure, Hit, InstanceDescription, ParameterDescriptor, ParameterOption,
    ParameterType, Registration, Result, SearchModule, SearchRequest, Settings, Setup,
};
use gannet_core::registry::Registry;
use gannet_tests::Host;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::agents::Agent;
use crate::service::Service;

/// Finds nothing, in a hall.
struct Halls;

#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct HallSettings {
    site: String,
}

impl Settings for HallSettings {}

impl SearchModule for Halls {
    const NAME: &'static str = "halls";

    type Settings = HallSettings;

    fn descriptor() -> Descriptor {
        let mut hall = ParameterDescriptor::new(
            "hall",
            "Hall",
            "Which hall is searched.",
            ParameterType::Select,
            "north",
        );
        hall.options = ["north", "south"]
            .map(|name| ParameterOption::new(name, name))
            .into();
        hall.exposure = Exposure::Agent;
        Descriptor::search_module(Self::NAME, "Halls", "Searches a hall.")
            .with_parameters(vec![hall])
    }

    fn new(_settings: HallSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    fn describe(settings: &HallSettings) -> InstanceDescription {
        InstanceDescription::default()
            .with_label(format!("Halls in {}", settings.site))
            .with_description(format!("Searches a hall in {}.", settings.site))
    }

    async fn search(&self, _request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        context.count("walks", 2);
        context.count("9 walks", 1);
        context.time("walk", Duration::from_millis(200));
        Ok(Vec::new())
    }
}

fn registry() -> Registry {
    let own = [Registration::search_module::<Halls>("test", "1.0.0")];
    Registry::of(Registration::linked().copied().chain(own)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_instances_count_and_time_is_on_the_page_of_metrics_under_their_names() {
    let settings = [
        ("server.port", "0"),
        ("search_modules.halls.enabled", "true"),
        ("search_modules.far_halls", "{plugin: halls, enabled: true}"),
    ];
    let service = Service::over(Host::with_plugins(&settings, &registry()).await).await;
    for mode in ["halls", "far_halls", "halls"] {
        let search = json!({ "query": "x", "mode": mode });
        service.post("/api/search", search).await.json(200);
    }
    let page = service.get("/metrics").await.text;
    for (instance, asked) in [("halls", 2), ("far_halls", 1)] {
        let labels = format!("kind=\"search_module\",plugin=\"{instance}\"");
        for line in [
            format!(
                "gannet_plugin_events_total{{{labels},name=\"walks\"}} {}",
                2 * asked
            ),
            format!(
                "gannet_plugin_duration_seconds_bucket{{{labels},name=\"walk\",le=\"0.25\"}} {asked}"
            ),
            format!("gannet_plugin_metrics_refused_total{{{labels}}} {asked}"),
        ] {
            assert!(page.lines().any(|one| one == line), "{line}\n{page}");
        }
    }
    assert!(!page.contains("9 walks"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn its_mode_parameters_and_options_are_on_every_surface() {
    let settings = [
        ("server.port", "0"),
        (
            "search_modules.halls",
            "{enabled: true, settings: {site: Grenoble}}",
        ),
        (
            "search_modules.far_halls",
            "{plugin: halls, enabled: true, settings: {site: Villigen}}",
        ),
    ];
    let service = Service::over(Host::with_plugins(&settings, &registry()).await).await;

    let capabilities = service.get("/api/capabilities").await.json(200);
    let modes = capabilities["categories"]["direct"]["modes"]
        .as_array()
        .unwrap();
    let mode = modes.iter().find(|mode| mode["name"] == "halls").unwrap();
    let hall = &mode["parameters"][0];
    assert_eq!(
        (&hall["name"], &hall["default"]),
        (&json!("hall"), &json!("north"))
    );
    assert_eq!(hall["options"][1]["value"], "south");

    let plugins = service.get("/api/plugins").await.json(200);
    let agent = Agent::start(&service, None).await;
    let listed = agent.tools().await;
    for (name, description) in [
        ("halls", "Searches a hall in Grenoble."),
        ("far_halls", "Searches a hall in Villigen."),
    ] {
        for list in [modes, plugins.as_array().unwrap()] {
            let one = list.iter().find(|one| one["name"] == name).unwrap();
            assert_eq!(one["description"], description);
        }
        let tool = format!("{name}_search");
        let tool = listed.iter().find(|one| one["name"] == tool).unwrap();
        assert!(tool["description"].as_str().unwrap().contains(description));
    }
    let tool = listed
        .iter()
        .find(|tool| tool["name"] == "halls_search")
        .unwrap();
    let argument = &tool["inputSchema"]["properties"]["hall"];
    assert!(argument.to_string().contains("south"), "{argument}");

    let search =
        |hall: &str| json!({ "query": "x", "mode": "halls", "advanced_params": { "hall": hall } });
    let found = service.post("/api/search", search("south")).await.json(200);
    assert_eq!(
        (&found["mode"], &found["diagnostics"]),
        (&json!("halls"), &found["diagnostics"])
    );
    let refused = service.post("/api/search", search("west")).await;
    assert_eq!(refused.problem(400), "invalid_parameter");
    let models: Value = service.get("/v1/models").await.json(200);
    assert!(models.to_string().contains("\"halls\""), "{models}");
}
