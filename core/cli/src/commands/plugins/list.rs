//! `gannet plugins list`.

use gannet_core::registry::loading::{FileReport, PluginState as FileState};
use gannet_core::{Gannet, PluginListing};

use crate::arguments::{Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, HEADING, WARNING, print_json, print_json_list, safe, table};
use crate::session;

/// Lists every plugin and instance, and every dylib. Opens no store.
pub fn list(common: &Common) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    let listing = Gannet::list_plugins(&loaded.config)
        .map_err(|error| Failure::from(error).located(&loaded))?;
    match common.format {
        Format::Table => {
            let header = ["kind", "name", "plugin", "version", "from", "state"];
            outln!("{}", table(&header, listing.plugins.iter().map(row)));
            print_twins(&listing.plugins);
            print_files(&listing.files);
        }
        Format::Jsonl => {
            print_json_list(&listing.plugins, Format::Jsonl)?;
            print_json_list(&listing.files, Format::Jsonl)?;
        }
        _ => print_json(&listing, Format::Json)?,
    }
    Ok(Exit::Done)
}

fn row(plugin: &PluginListing) -> Vec<String> {
    let from = plugin.file.as_ref().and_then(|file| file.file_name());
    vec![
        plugin.kind.label().to_owned(),
        plugin.name.clone(),
        plugin.plugin.clone(),
        plugin.version.clone(),
        match from {
            Some(file) => file.to_string_lossy().into_owned(),
            None => plugin.from.clone(),
        },
        plugin.state.label().to_owned(),
    ]
}

/// What tells the instances of one plugin apart, for those that have several.
fn print_twins(plugins: &[PluginListing]) {
    let is_twin = |one: &PluginListing, other: &PluginListing| {
        (one.kind, &one.plugin) == (other.kind, &other.plugin) && one.name != other.name
    };
    let twins = plugins
        .iter()
        .filter(|one| plugins.iter().any(|other| is_twin(one, other)))
        .filter(|one| !one.description.is_empty());
    for (position, one) in twins.enumerate() {
        if position == 0 {
            outln!("\n{HEADING}instances of one plugin{HEADING:#}");
        }
        // On one line, however the text is broken.
        let words: Vec<&str> = one.description.split_whitespace().collect();
        outln!("{}  {}", safe(&one.name), safe(&words.join(" ")));
    }
}

fn print_files(files: &[FileReport]) {
    if files.is_empty() {
        return;
    }
    outln!("\n{HEADING}plugin files{HEADING:#}");
    for file in files {
        let name = &file.file;
        match file.state {
            FileState::Loaded => {
                let took = file.load_ms.unwrap_or_default();
                let plugins = match file.plugins.len() {
                    1 => "1 plugin".to_owned(),
                    number => format!("{number} plugins"),
                };
                outln!("{name}  loaded, {plugins}, {took:.1} ms");
            }
            FileState::Declared => {
                outln!("{name}  {DIM}not loaded: `plugins.dynamic.enabled` is off{DIM:#}");
            }
            FileState::Refused => {
                let reason = safe(file.reason.as_deref().unwrap_or_default());
                outln!("{name}  {WARNING}refused{WARNING:#}: {reason}");
            }
        }
    }
}
