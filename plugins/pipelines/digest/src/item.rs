//! The sentences that a digest can have.

use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::SetGroup;
use gannet_plugin::prelude::Entry;
use gannet_stages::CitationStyle;
use jiff::Timestamp;
use serde::Serialize;

use crate::said::{Outcome, Said, Told};
use crate::severity::Grave;
use crate::thing::Thing;

/// The parts of a digest, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Section {
    /// Something failed, works again or was changed.
    ChangedState,
    /// Something else that is not routine.
    Happened,
    /// Something is not done, not known, or does not work.
    Open,
    /// Something waits for somebody or something that the sentence names.
    Waiting,
}

impl Section {
    /// All, in their order.
    pub(crate) const ALL: [Self; 4] = [
        Self::ChangedState,
        Self::Happened,
        Self::Open,
        Self::Waiting,
    ];

    /// Its heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ChangedState => "Changed state",
            Self::Happened => "Happened",
            Self::Open => "Open",
            Self::Waiting => "Waiting",
        }
    }
}

/// A sentence of an entry with its place in the digest.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Item {
    pub(crate) section: Section,
    /// The value of the field that sentences are grouped by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    pub(crate) entry_id: String,
    /// When the entry was written.
    pub(crate) time: Timestamp,
    /// The device or place of the entry; empty where no field names one.
    pub(crate) place: String,
    /// The sentence of the entry.
    pub(crate) sentence: String,
    /// Its mark in the text.
    pub(crate) citation: String,
    /// Why it is in the digest.
    pub(crate) why: Vec<String>,
    /// Whom or what the sentence says that something waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits_for: Option<String>,
    /// What comes first where there is no room for all.
    #[serde(skip)]
    pub(crate) importance: f64,
}

/// An entry with what is known of it.
#[derive(Debug)]
pub(crate) struct Read<'e> {
    pub(crate) entry: &'e Entry,
    pub(crate) told: Told,
    pub(crate) thing: Thing,
    pub(crate) grave: Option<Grave>,
    /// Whether it is open at the end of the time: it says so, or reports a
    /// fault, and no later entry about the same thing says that it works again.
    pub(crate) is_open: bool,
}

/// How much a first sentence of an entry comes before second ones.
const FIRST_SENTENCE: f64 = 5.0;
/// How much a class that stands out comes before the rest.
const GRAVE: f64 = 10.0;

impl Read<'_> {
    /// The sentences of the entry that a digest can have: one that says what
    /// happened, and one that says what is open. None for a routine entry.
    pub(crate) fn items(&self, by: Option<&FilterField>) -> Vec<Item> {
        let happened = self.happened(by);
        let open = self.open(by);
        let is_new = |item: &Item| {
            let shown = happened.as_ref();
            shown.is_none_or(|other| other.sentence != item.sentence)
        };
        match open {
            // What failed and is open is said once, where it is open.
            Some(open) if !is_new(&open) => vec![first(open)],
            open => match (happened, open) {
                (Some(happened), open) => std::iter::once(first(happened)).chain(open).collect(),
                (None, open) => open.map(first).into_iter().collect(),
            },
        }
    }

    fn happened(&self, by: Option<&FilterField>) -> Option<Item> {
        if let Some(said) = self.told.changing() {
            let mut item = self.item(Section::ChangedState, said, by);
            let kinds = [
                (said.fault, "fault", 3.0),
                (said.restored, "restored", 2.0),
                (said.changed, "changed", 1.0),
            ];
            let said_so = kinds.iter().filter(|(is_said, ..)| *is_said);
            for (_, why, weight) in said_so {
                item.why.push((*why).to_owned());
                item.importance = item.importance.max(self.weight() + weight);
            }
            return Some(item);
        }
        let stands_out = self.grave.is_some() || self.told.has_update() || self.told.is_retracted();
        let heading = self.told.heading().filter(|_| stands_out)?;
        Some(self.item(Section::Happened, heading, by))
    }

    fn open(&self, by: Option<&FilterField>) -> Option<Item> {
        if !self.is_open {
            return None;
        }
        let (said, weight, why) = match self.told.outcome() {
            Outcome::Open => (self.told.open()?, 2.5, "not done"),
            _ => (self.told.fault()?, 1.5, "no later entry says that it works again"),
        };
        let section = match said.waits_for {
            Some(_) => Section::Waiting,
            None => Section::Open,
        };
        let mut item = self.item(section, said, by);
        item.waits_for = said.waits_for.clone();
        item.importance += weight + f64::from(u8::from(item.waits_for.is_some()));
        item.why.push(why.to_owned());
        Some(item)
    }

    fn item(&self, section: Section, said: &Said, by: Option<&FilterField>) -> Item {
        let entry = self.entry;
        let place = self.thing.places.first();
        let place = place.filter(|place| place.field != FilterField::Author);
        let mut why: Vec<String> = self.grave.iter().map(|grave| grave.why.clone()).collect();
        why.extend(self.told.has_update().then(|| "has an update".to_owned()));
        why.extend(self.told.is_retracted().then(|| "retracted".to_owned()));
        Item {
            section,
            group: by.map(|field| group_of(entry, field)),
            entry_id: entry.entry_id.clone(),
            time: entry.timestamp,
            place: place.map(|place| place.value.clone()).unwrap_or_default(),
            sentence: said.text.clone(),
            citation: CitationStyle::EntryId.mark(&entry.entry_id, &[entry.entry_id.clone()]),
            why,
            waits_for: None,
            importance: self.weight(),
        }
    }

    /// What the entry as a whole counts.
    fn weight(&self) -> f64 {
        let grave = self.grave.as_ref().map_or(0.0, |grave| GRAVE + grave.rank);
        grave + 0.5 * f64::from(u8::from(self.told.has_update()))
    }
}

fn first(item: Item) -> Item {
    let importance = item.importance + FIRST_SENTENCE;
    Item { importance, ..item }
}

/// The group of an entry: the first value of a field.
pub(crate) fn group_of(entry: &Entry, field: &FilterField) -> String {
    let value = field.values_of(entry).into_iter().next();
    value.unwrap_or_else(|| SetGroup::NO_VALUE.to_owned())
}
