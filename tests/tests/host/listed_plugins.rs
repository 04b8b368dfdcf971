//! What a listing of plugins says about instances that cannot be made, and
//! what instances say of themselves.

use gannet_api::{
    Context, Descriptor, Hit, InstanceDescription, NoSettings, Registration, Result, SearchModule,
    SearchRequest, Setup, limits,
};
use gannet_core::{Gannet, InstanceState, PluginListing};
use gannet_registry::Registry;
use gannet_tests::{Host, config};

/// Says more of itself than anybody reads.
struct Wordy;

impl SearchModule for Wordy {
    const NAME: &'static str = "wordy";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Wordy", "Says much of itself.")
    }

    fn describe(_settings: &NoSettings) -> InstanceDescription {
        InstanceDescription::default()
            .with_label("é".repeat(1_000_000))
            .with_description("é".repeat(1_000_000))
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_long_description_of_an_instance_is_cut_and_says_how_long_it_was() {
    let linked = Registration::linked().copied();
    let wordy = Registration::search_module::<Wordy>("test", "1.0.0");
    let registry = Registry::of(linked.chain([wordy])).unwrap();
    let host = Host::with_plugins(&[("search_modules.wordy.enabled", "true")], &registry).await;
    let modes = host.gannet.modes();
    let wordy = modes.iter().find(|mode| mode.name == "wordy").unwrap();
    for (text, most) in [
        (&wordy.label, limits::NAME_BYTES),
        (&wordy.description, limits::MESSAGE_BYTES),
    ] {
        assert!(text.len() < most + 64, "{}", text.len());
        assert!(text.ends_with("of 2000000 bytes shown)"), "{text}");
    }
}

fn state_of(plugins: &[PluginListing], name: &str) -> InstanceState {
    let mut plugins = plugins.iter();
    plugins.find(|one| one.name == name).unwrap().state
}

#[test]
fn instances_with_wrong_settings_are_failed_and_others_are_on() {
    let search = |url: &str| {
        format!("{{enabled: true, plugin: opensearch, settings: {{url: \"{url}\", index: logs}}}}")
    };
    let settings = [
        ("search_modules.whole", search("http://127.0.0.1:9")),
        ("search_modules.no_address", search("notaurl")),
        (
            "search_modules.lacks_one",
            "{enabled: true, plugin: opensearch}".to_owned(),
        ),
        (
            "search_modules.unknown_key",
            "{enabled: true, plugin: keyword, settings: {fuzy: true}}".to_owned(),
        ),
        (
            "search_modules.off",
            "{enabled: false, plugin: keyword, settings: {fuzy: true}}".to_owned(),
        ),
    ];
    let settings: Vec<(&str, &str)> = settings
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let listing = Gannet::list_plugins(&config(folder.path(), &settings)).unwrap();
    for (name, state) in [
        ("whole", InstanceState::On),
        ("no_address", InstanceState::Failed),
        ("lacks_one", InstanceState::Failed),
        ("unknown_key", InstanceState::Failed),
        ("off", InstanceState::Off),
    ] {
        assert_eq!(state_of(&listing.plugins, name), state, "{name}");
    }
}
