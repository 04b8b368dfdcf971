//! What a listing of plugins says about instances that cannot be made.

use gannet_core::{Gannet, InstanceState, PluginListing};
use gannet_tests::config;

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
