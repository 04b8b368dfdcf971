//! Lists what an entry names in its metadata: PVs, devices, people, and other
//! entries.
//!
//! Names are found by their form, so that a list is as good as its patterns:
//! a facility writes those of its own naming convention. Entries are found by
//! their ids, as `OPS-1`, `see entry 1234`, `elog:RF/12` and `EN 41524` name
//! them: where the store has such an entry, it is a link. An entry that comes in later is linked when the module runs
//! over this one again.
//!
//! ```yaml
//! enhancement_modules:
//!   entities:
//!     enabled: true
//!     settings: { device_patterns: ["[A-Z]{3}-[0-9]{4}"] }
//! ```
//!
//! ```
//! use gannet_entities::Entities;
//! use gannet_plugin::prelude::Enhancer;
//!
//! assert_eq!(Entities::descriptor().execution_order, 30);
//! ```

mod examples;
mod links;
mod names;

use std::collections::BTreeSet;

use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::enhance::{Enhanced, Patch};
use gannet_plugin::prelude::{Context, Descriptor, Enhancer, Entry, Result, Setup, settings};
use gannet_plugin::query::named_ids;
use serde_json::{Map, Value};

use names::{Names, Patterns};

gannet_plugin::export_plugin! {
    enhancers: [Entities],
}

/// Adds the names in its text to an entry.
pub struct Entities {
    settings: Settings,
    patterns: Patterns,
}

/// What the configuration can set. Patterns are regular expressions; those of
/// PVs and devices match a whole name.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// What is a PV: `SR01C:BPM3:X`, `LI:GUN:HV`.
    #[setting(default = [
        "[A-Z][A-Z0-9_-]*:[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+",
        "[A-Z][A-Z0-9_-]*[0-9][A-Z0-9_-]*:[A-Z][A-Za-z0-9_.-]*",
        "[A-Z][A-Z0-9_-]*:[A-Z]+[0-9][A-Z0-9_.-]*",
        "[A-Z]{2}[0-9]{2}[A-Z]?_{2,}[A-Za-z0-9_]+",
    ])]
    pub pv_patterns: Vec<String>,
    /// What is a device: `CAV1`, `TP-3`, `QD02A`.
    #[setting(default = ["[A-Z]{2,6}-?[0-9]{1,3}[A-Z]?"])]
    pub device_patterns: Vec<String>,
    /// What is a person, anywhere in the text: `J. Smith`, `Dr. Okafor`.
    #[setting(default = [
        "\\b(?:\\p{Lu}\\.[ -]?){1,3}\\p{Lu}[\\p{L}'’-]+",
        "\\b(?:Dr|Prof|Mr|Ms|Mrs)\\. (?:\\p{Lu}\\. ?)?\\p{Lu}[\\p{L}'’-]+",
    ])]
    pub person_patterns: Vec<String>,
    /// Names that look like devices, PVs or people and are not.
    #[setting(default = ["CO2", "SF6", "NO2", "SO2", "UTC-5", "UTC-8"])]
    pub ignore: Vec<String>,
    /// Whether ids of other entries in the text become links.
    #[setting(default = true)]
    pub links: bool,
    /// The metadata key of the PVs.
    #[setting(default = "pvs")]
    pub pvs_key: String,
    /// The metadata key of the devices.
    #[setting(default = "devices")]
    pub devices_key: String,
    /// The metadata key of the people.
    #[setting(default = "people")]
    pub people_key: String,
    /// The metadata key of the entries.
    #[setting(default = "linked_entries")]
    pub links_key: String,
}

impl Enhancer for Entities {
    const NAME: &'static str = "entities";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::new(
            PluginKind::Enhancer,
            Self::NAME,
            "Entities",
            "Lists the PVs, devices, people and other entries that an entry names in its \
             metadata, for filters such as meta.devices:CAV1.",
        )
        .at_order(30);
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    /// # Errors
    /// A setting with a pattern that is not a regular expression.
    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self {
            patterns: Patterns::new(&settings)?,
            settings,
        })
    }

    async fn enhance(&self, entries: Vec<Entry>, context: &Context) -> Result<Vec<Enhanced>> {
        let known = match self.settings.links {
            true => links::known_ids(&entries, context).await?,
            false => BTreeSet::new(),
        };
        let done = entries.into_iter().map(|entry| {
            let patch = self.patch(&entry, &known);
            Enhanced::new(entry.entry_id, Ok(patch))
        });
        Ok(done.collect())
    }
}

impl Entities {
    fn patch(&self, entry: &Entry, known: &BTreeSet<String>) -> Patch {
        let Names {
            pvs,
            devices,
            people,
        } = self.patterns.names_in(&entry.raw_text);
        let named = named_ids(entry).into_iter();
        let linked: BTreeSet<String> = named.filter(|id| known.contains(id)).collect();
        let mut metadata = Map::new();
        for (key, list) in [
            (&self.settings.pvs_key, pvs),
            (&self.settings.devices_key, devices),
            (&self.settings.people_key, people),
            (&self.settings.links_key, linked),
        ] {
            // A list that was there and is empty now is emptied.
            if !list.is_empty() || had_some(entry, key) {
                metadata.insert(key.clone(), list.into_iter().collect());
            }
        }
        Patch::default().with_metadata(metadata)
    }
}

fn had_some(entry: &Entry, key: &str) -> bool {
    let before = entry.metadata.get(key);
    before.is_some_and(|list| *list != Value::Array(Vec::new()))
}
