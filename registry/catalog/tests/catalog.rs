//! What the catalogue makes of a configuration.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_api::{
    Answer, Context, Descriptor, Example, Hit, InstanceDescription, NoSettings,
    ParameterDescriptor, ParameterType, Pipeline, PipelineRequest, PluginKind, Registration,
    Result, SearchModule, SearchRequest, Setup, Tool,
};
use gannet_registry::loading::{DylibWish, LoadingRules};
use gannet_registry::{Catalog, CatalogError, Registry, Wanted};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    threshold: f64,
}

impl gannet_api::Settings for Settings {}

impl Default for Settings {
    fn default() -> Self {
        Self { threshold: 0.5 }
    }
}

struct Nearby;

impl SearchModule for Nearby {
    const NAME: &'static str = "nearby";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Nearby", "Finds what is near.")
            .for_agents("For agents: what is near.")
            .with_parameters(vec![ParameterDescriptor::new(
                "threshold",
                "Threshold",
                "How near.",
                ParameterType::Float,
                0.5,
            )])
            .with_example(Example::new("finds nothing in nothing", "near"))
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        assert!(settings.threshold >= 0.0, "a negative threshold");
        Ok(Self)
    }

    fn describe(settings: &Settings) -> InstanceDescription {
        assert!(settings.threshold <= 1.0, "a threshold above 1");
        let described = InstanceDescription::default();
        if settings.threshold <= 0.7 {
            return described;
        }
        described.with_description(format!("Finds what is within {}.", settings.threshold))
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

struct Both;

impl Pipeline for Both {
    const NAME: &'static str = "both";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(Self::NAME, "Both", "Asks all its modules.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn run(&self, _request: PipelineRequest, _context: &Context) -> Result<Answer> {
        Ok(Answer::default())
    }
}

fn registry() -> Registry {
    Registry::of([
        Registration::search_module::<Nearby>("nearby-crate", "1.0.0"),
        Registration::pipeline::<Both>("both-crate", "1.0.0"),
    ])
    .unwrap()
}

fn pipeline_of(modules: &[&str]) -> Wanted {
    let mut wanted = Wanted::new(PluginKind::Pipeline, "both");
    wanted.setup.retrieval_modules = modules.iter().map(|name| (*name).to_owned()).collect();
    wanted
}

fn errors(wanted: Vec<Wanted>) -> Vec<String> {
    let errors = Catalog::build(&registry(), wanted)
        .err()
        .unwrap_or_default();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn two_plugins_of_one_kind_and_name_are_refused_whichever_is_linked_first() {
    let one = Registration::search_module::<Nearby>("one", "1.0.0");
    let two = Registration::search_module::<Nearby>("two", "1.0.0");
    let refused = |registrations| Registry::of(registrations).err().unwrap();
    let error = refused([one, two]);
    assert!(matches!(&error, CatalogError::Duplicate { name, .. } if name == "nearby"));
    assert_eq!(error, refused([two, one]));
}

#[test]
fn instances_are_listed_by_kind_and_name_in_any_order_of_wishes() {
    let mut other = Wanted::new(PluginKind::SearchModule, "another");
    other.plugin = "nearby".to_owned();
    let wanted = vec![
        pipeline_of(&["nearby", "another"]),
        Wanted::new(PluginKind::SearchModule, "nearby"),
        other,
    ];
    let catalog = Catalog::build(&registry(), wanted).ok().unwrap();
    let names: Vec<&str> = catalog
        .iter()
        .map(|one| one.descriptor.name.as_str())
        .collect();
    assert_eq!(names, ["another", "nearby", "both"]);
}

#[test]
fn an_instance_carries_no_examples_and_the_registry_keeps_them() {
    let wanted = vec![Wanted::new(PluginKind::SearchModule, "nearby")];
    let registry = registry();

    let catalog = Catalog::build(&registry, wanted).ok().unwrap();

    let instance = catalog.get(PluginKind::SearchModule, "nearby").unwrap();
    assert!(instance.descriptor.examples.is_empty());
    let plugin = registry.get(PluginKind::SearchModule, "nearby").unwrap();
    assert_eq!(plugin.descriptor.examples.len(), 1);
}

#[test]
fn two_instances_of_one_plugin_have_two_descriptions_and_their_own_defaults() {
    let mut near = Wanted::new(PluginKind::SearchModule, "near");
    near.plugin = "nearby".to_owned();
    near.label = Some("Near".to_owned());
    near.description = Some("Finds what is very near.".to_owned());
    near.settings = json!({ "threshold": 0.9 });
    let wanted = vec![Wanted::new(PluginKind::SearchModule, "nearby"), near];
    let catalog = Catalog::build(&registry(), wanted).ok().unwrap();
    let of = |name| {
        let instance = catalog.get(PluginKind::SearchModule, name).unwrap();
        let descriptor = instance.descriptor.clone();
        let threshold = descriptor.parameter("threshold").unwrap().default.clone();
        let tool = Tool::of(&descriptor).unwrap();
        (descriptor.label, tool.description, threshold)
    };
    let plugins_own = "For agents: what is near.".to_owned();
    assert_eq!(of("nearby"), ("Nearby".to_owned(), plugins_own, json!(0.5)));
    let own = "Finds what is very near.".to_owned();
    assert_eq!(of("near"), ("Near".to_owned(), own, json!(0.9)));
}

#[test]
fn a_plugin_describes_an_instance_by_its_settings_and_the_configuration_wins() {
    let mut close = Wanted::new(PluginKind::SearchModule, "close");
    close.plugin = "nearby".to_owned();
    close.settings = json!({ "threshold": 0.8 });
    let mut named = close.clone();
    named.setup.instance = "named".to_owned();
    named.description = Some("Finds what is close.".to_owned());
    let catalog = Catalog::build(&registry(), vec![close, named])
        .ok()
        .unwrap();
    let of = |name| {
        let instance = catalog.get(PluginKind::SearchModule, name).unwrap();
        let tool = Tool::of(&instance.descriptor).unwrap();
        (instance.descriptor.label.clone(), tool.description)
    };
    let nearby = "Nearby".to_owned();
    let by_settings = "Finds what is within 0.8.".to_owned();
    assert_eq!(of("close"), (nearby.clone(), by_settings));
    assert_eq!(of("named"), (nearby, "Finds what is close.".to_owned()));
}

#[test]
fn a_description_that_panics_is_an_error_of_its_plugin() {
    let mut wanted = Wanted::new(PluginKind::SearchModule, "nearby");
    wanted.settings = json!({"threshold": 1.5});
    assert_eq!(
        errors(vec![wanted]),
        ["`search_modules.nearby`: panicked: a threshold above 1"]
    );
}

#[test]
fn an_instance_that_is_off_is_not_made_but_its_plugin_must_exist() {
    let mut off = Wanted::new(PluginKind::SearchModule, "nearby");
    off.enabled = false;
    let catalog = Catalog::build(&registry(), vec![off.clone()]).ok().unwrap();
    assert!(catalog.search_module("nearby").is_none());
    off.plugin = "nearbi".to_owned();
    assert_eq!(
        errors(vec![off]),
        ["`search_modules.nearby`: no search module named `nearbi`; did you mean `nearby`?"]
    );
}

#[test]
fn a_setting_that_the_schema_does_not_know_is_named_with_the_nearest_one() {
    let mut wanted = Wanted::new(PluginKind::SearchModule, "nearby");
    wanted.settings = json!({"treshold": 0.7});
    let errors = errors(vec![wanted]);
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].starts_with("`search_modules.nearby.settings`:"),
        "{}",
        errors[0]
    );
    assert!(
        errors[0].ends_with("did you mean `threshold`?"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_setting_of_another_type_is_named_by_its_key() {
    let mut wanted = Wanted::new(PluginKind::SearchModule, "nearby");
    wanted.settings = json!({"threshold": "high"});
    let errors = errors(vec![wanted]);
    assert!(
        errors[0].starts_with("`search_modules.nearby.settings.threshold`:"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_constructor_that_panics_is_an_error_of_its_plugin() {
    let mut wanted = Wanted::new(PluginKind::SearchModule, "nearby");
    wanted.settings = json!({"threshold": -1.0});
    let errors = errors(vec![wanted]);
    assert_eq!(
        errors,
        ["`search_modules.nearby`: panicked: a negative threshold"]
    );
}

#[test]
fn a_pipeline_whose_module_is_off_or_missing_is_an_error_at_the_start() {
    let mut off = Wanted::new(PluginKind::SearchModule, "nearby");
    off.enabled = false;
    let errors = errors(vec![off, pipeline_of(&["nearby", "nearbyy", "x"])]);
    assert_eq!(
        errors,
        [
            "`pipelines.both.retrieval_modules`: search module `nearby` is switched off; set \
             `search_modules.nearby.enabled: true` or leave it out here",
            "`pipelines.both.retrieval_modules`: search module `nearbyy` is not configured; did \
             you mean `nearby`?",
            "`pipelines.both.retrieval_modules`: search module `x` is not configured",
        ]
    );
}

/// What is left out and what is wrong while a dylib is not loaded.
fn with_a_missing_dylib(wanted: Wanted) -> std::result::Result<Vec<String>, Vec<String>> {
    with_missing_dylibs(&["libpv.so"], wanted)
}

fn with_missing_dylibs(
    files: &[&str],
    wanted: Wanted,
) -> std::result::Result<Vec<String>, Vec<String>> {
    let mut registry = registry();
    let wishes: Vec<DylibWish> = files.iter().map(|file| DylibWish::of(*file)).collect();
    registry.declare(&wishes, &LoadingRules::default());
    let told = |errors: &[CatalogError]| errors.iter().map(ToString::to_string).collect();
    match Catalog::build(&registry, vec![wanted]) {
        Ok(catalog) => Ok(told(catalog.left_out())),
        Err(errors) => Err(told(&errors)),
    }
}

#[test]
fn while_a_dylib_is_missing_a_name_of_its_own_is_left_out_and_a_misspelling_is_an_error() {
    let module = |name| with_a_missing_dylib(Wanted::new(PluginKind::SearchModule, name));
    for name in ["pv_search", "nearby_pv"] {
        let left_out = module(name).unwrap();
        assert_eq!(left_out.len(), 1);
        assert!(
            left_out[0].contains("(`libpv.so` is not loaded)"),
            "{left_out:?}"
        );
    }
    assert_eq!(
        module("naerby").unwrap_err(),
        [
            "`search_modules.naerby`: no search module named `naerby`; did you mean `nearby`? \
          (`libpv.so` is not loaded)"
        ]
    );
}

#[test]
fn of_several_files_that_cannot_be_read_each_may_have_a_plugin() {
    let wanted = Wanted::new(PluginKind::Adapter, "elog_pull");
    let left_out = with_missing_dylibs(&["libkb.so", "libelog.so"], wanted).unwrap();
    let expected = "(it may be in one of `libkb.so`, `libelog.so`, which are not loaded)";
    assert!(left_out[0].contains(expected), "{left_out:?}");
}

#[test]
fn a_provider_that_is_not_known_may_be_one_of_a_missing_dylib_too() {
    let wanted = Wanted::new(PluginKind::ChatModel, "elsewhere");
    let left_out = with_a_missing_dylib(wanted).unwrap();
    assert!(left_out[0].contains("libpv.so"), "{left_out:?}");
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Lenient {
    #[serde(default)]
    #[allow(dead_code, reason = "read by serde")]
    depth: u32,
}

impl gannet_api::Settings for Lenient {}

struct Deep;

impl SearchModule for Deep {
    const NAME: &'static str = "deep";

    type Settings = Lenient;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Deep", "Finds nothing.")
    }

    fn new(_settings: Lenient, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

#[test]
fn a_setting_that_nothing_reads_is_refused_where_the_author_does_not_do_it() {
    let registry = Registry::of([Registration::search_module::<Deep>("deep", "1.0.0")]).unwrap();
    let mut wanted = Wanted::new(PluginKind::SearchModule, "deep");
    wanted.settings = json!({"dpeth": 3});
    let errors = Catalog::build(&registry, vec![wanted]).err().unwrap();
    assert_eq!(
        errors[0].to_string(),
        "`search_modules.deep.settings.dpeth`: `deep` has no setting `dpeth`; did you mean `depth`?"
    );
}
