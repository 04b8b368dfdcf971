//! The devices and process variables that entries name, as metadata.
//!
//! A logbook tells of `CAV1` in its sentences only. This enhancer reads them
//! and writes two lists beside the entry: `devices` (`CAV1`, `TP-3`) and `pvs`
//! (`SR01:BPM3:X`), sorted, each name once. They can be filtered on then:
//!
//! ```console
//! $ gannet search 'trip meta.devices:CAV1' --mode keyword
//! $ gannet search 'leak' --filter 'devices=TP-3|TP-4'
//! ```
//!
//! A device that stands only inside a PV counts too, so that
//! `meta.devices:CAV1` finds `SR03C:RF:CAV1:FWD_PWR tripped`.
//!
//! What to expect:
//!
//! - An entry without any name gets no key at all: `devices` is there when
//!   there is a device. When an entry that had names is edited and has none
//!   any more, its lists become empty; a stale list would find it for ever.
//! - A list of that name that came from the source is replaced. Where the
//!   source has its own, set `devices_key` and `pvs_key` to other names.
//! - The keywords are left alone, unless `add_to_keywords` is set.
//!
//! ```yaml
//! enhancement_modules:
//!   device_names:
//!     enabled: true
//!     settings:
//!       device_patterns: ["[A-Z]{2,6}-?[0-9]{1,3}[A-Z]?"]
//!       ignore: [SF6, CO2, RUN1]
//! ```
//!
//! ```
//! use gannet_device_names::{DeviceNames, Settings};
//! use gannet_plugin::testing::FakeHost;
//! use gannet_plugin::prelude::{Enhancer, Entry, Setup};
//! use serde_json::json;
//!
//! let time = "2024-01-05T08:30:00Z".parse().unwrap();
//! let entry = Entry::new("E1", "log", time, "SR03C:RF:CAV1:FWD_PWR fell, TP-3 off");
//! let enhancer = DeviceNames::new(Settings::default(), &Setup::default()).unwrap();
//!
//! let context = FakeHost::default().context();
//! let done = pollster::block_on(enhancer.enhance(vec![entry], &context)).unwrap();
//!
//! let patch = done[0].outcome.as_ref().unwrap();
//! assert_eq!(patch.metadata["devices"], json!(["CAV1", "SR03C", "TP-3"]));
//! assert_eq!(patch.metadata["pvs"], json!(["SR03C:RF:CAV1:FWD_PWR"]));
//! ```

mod examples;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use gannet_plugin::enhance::{Enhanced, Patch};
use gannet_plugin::prelude::*;
use serde_json::{Map, Value};

use names::{Names, Patterns};

gannet_plugin::export_plugin! {
    enhancers: [DeviceNames],
}

/// Adds the names of devices and PVs to entries.
pub struct DeviceNames {
    settings: Settings,
    patterns: Patterns,
}

/// What the configuration can set. Patterns are regular expressions that match
/// a whole name, capitals and small letters told apart.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// What is a device: `CAV1`, `TP-3`, `QD02A`.
    // Two letters at least: `K3` is a kicker here and a page there.
    #[setting(default = ["[A-Z]{2,6}-?[0-9]{1,3}[A-Z]?"])]
    pub device_patterns: Vec<String>,
    /// What is a PV: `LI:GUN:HV`, `SR01:BPM3:X`, `BR:QF1`.
    // Two colons, or one and a digit: `NOTE:check` is no PV.
    #[setting(default = [
        "[A-Z][A-Z0-9_-]*:[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+",
        "[A-Z][A-Z0-9_-]*[0-9][A-Z0-9_-]*:[A-Z][A-Za-z0-9_.-]*",
        "[A-Z][A-Z0-9_-]*:[A-Z]+[0-9][A-Z0-9_.-]*",
    ])]
    pub pv_patterns: Vec<String>,
    /// Names that look like devices and are none.
    #[setting(default = ["CO2", "SF6", "NO2", "SO2", "UTC-5", "UTC-8"])]
    pub ignore: Vec<String>,
    /// The metadata key of the devices.
    #[setting(default = "devices")]
    pub devices_key: String,
    /// The metadata key of the PVs.
    #[setting(default = "pvs")]
    pub pvs_key: String,
    /// Whether the names also join the keywords, which counts in text search.
    /// A name that leaves the text stays there: nobody knows any more whose
    /// keyword it was.
    pub add_to_keywords: bool,
}

impl Enhancer for DeviceNames {
    const NAME: &'static str = "device_names";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::enhancer(
            Self::NAME,
            "Device names",
            "Lists the devices and process variables that an entry names in its metadata, for \
             filters such as meta.devices:CAV1.",
        )
        .at_order(30);
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self {
            patterns: Patterns::new(&settings)?,
            settings,
        })
    }

    async fn enhance(&self, entries: Vec<Entry>, _context: &Context) -> Result<Vec<Enhanced>> {
        let done = entries
            .iter()
            .map(|entry| Enhanced::new(&entry.entry_id, Ok(self.patch(entry))));
        Ok(done.collect())
    }
}

impl DeviceNames {
    fn patch(&self, entry: &Entry) -> Patch {
        let names = self.patterns.names_in(&entry.raw_text);
        let keywords = self
            .settings
            .add_to_keywords
            .then(|| keywords(entry, &names));
        let mut metadata = Map::new();
        for (key, list) in [
            (&self.settings.devices_key, names.devices),
            (&self.settings.pvs_key, names.pvs),
        ] {
            if !list.is_empty() || had_some(entry, key) {
                metadata.insert(key.clone(), list.into_iter().collect());
            }
        }
        Patch::default()
            .with_keywords(keywords)
            .with_metadata(metadata)
    }
}

fn had_some(entry: &Entry, key: &str) -> bool {
    let before = entry.metadata.get(key);
    before.is_some_and(|list| *list != Value::Array(Vec::new()))
}

/// The entry's keywords and the names that are not among them.
fn keywords(entry: &Entry, names: &Names) -> Vec<String> {
    let known: BTreeSet<&String> = entry.keywords.iter().collect();
    let all = names.devices.iter().chain(&names.pvs);
    let new = all.filter(|name| !known.contains(name));
    entry.keywords.iter().chain(new).cloned().collect()
}
