//! The sentences that a digest can have.

use gannet_plugin::filter::FilterField;
use gannet_plugin::plan::SetGroup;
use gannet_plugin::prelude::Entry;
use gannet_stages::CitationStyle;
use jiff::Zoned;
use serde::{Serialize, Serializer};

use crate::page::with_offset;
use crate::severity::Grave;
use crate::statements::{EntryStatements, Outcome, Statement};
use crate::subject::Subject;

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
    #[serde(serialize_with = "serialize_time")]
    pub(crate) time: Zoned,
    /// The device or place of the entry; empty where no field names one.
    pub(crate) place: String,
    /// The title of the entry, where the sentence is another one and no sentence
    /// before it has the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The sentence of the entry; a part of a long one, with `…`.
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
    /// When it was written, in the zone of the digest.
    pub(crate) time: Zoned,
    pub(crate) statements: EntryStatements,
    pub(crate) subject: Subject,
    pub(crate) grave: Option<Grave>,
    /// Whether it is open at the end of the time: it says so, or reports a
    /// fault, and no later entry about the same thing says that it works again.
    pub(crate) is_open: bool,
}

/// How much the first sentence of an entry whose class stands out comes before
/// the rest.
const GRAVE: f64 = 10.0;
/// Characters of a title that stands before a sentence, at most.
const TITLE_CHARS: usize = 80;

impl Read<'_> {
    /// The sentences of the entry that a digest can have: one that says what
    /// happened, and one that says what is open. None for a routine entry.
    pub(crate) fn items(&self, by: Option<&FilterField>) -> Vec<Item> {
        let (happened, open) = (self.happened(by), self.open(by));
        // What failed and is open is stated once, where it is open.
        let is_fault = self.statements.outcome() == Outcome::Faulted;
        let is_said = |item: &Item| {
            let open = open.as_ref();
            open.is_some_and(|open| is_fault || open.sentence == item.sentence)
        };
        let happened = happened.filter(|item| !is_said(item));
        let mut items: Vec<Item> = happened.into_iter().chain(open).collect();
        if let Some(first) = items.first_mut() {
            let grave = self.grave.as_ref();
            first.importance += grave.map_or(0.0, |grave| GRAVE + grave.rank);
            first.title = self.title_beside(&first.sentence);
        }
        items
    }

    fn happened(&self, by: Option<&FilterField>) -> Option<Item> {
        let changing = self.statements.changing();
        if let Some(statement) = changing.filter(|_| !self.statements.retells_fault()) {
            let mut item = self.item(Section::ChangedState, self.named_by(statement), by);
            let kinds = [
                (statement.fault, "fault", 3.0),
                (statement.restored, "restored", 2.0),
                (statement.repaired, "repaired", 2.0),
                (statement.changed, "changed", 1.0),
            ];
            let said_so = kinds.iter().filter(|(is_said, ..)| *is_said);
            for (_, why, weight) in said_so {
                item.why.push((*why).to_owned());
                item.importance = item.importance.max(self.weight() + weight);
            }
            return Some(item);
        }
        let stands_out =
            self.grave.is_some() || self.statements.has_update() || self.statements.is_retracted();
        let heading = self.statements.heading().filter(|_| stands_out)?;
        Some(self.item(Section::Happened, heading, by))
    }

    fn open(&self, by: Option<&FilterField>) -> Option<Item> {
        if !self.is_open {
            return None;
        }
        let (statement, weight, why) = match self.statements.outcome() {
            Outcome::Open => (self.statements.open()?, 2.5, "not done"),
            _ => (
                self.named_by(self.fault()?),
                1.5,
                "no later entry says that it works again",
            ),
        };
        let (section, weight) = match statement.waits_for {
            Some(_) => (Section::Waiting, weight + 1.0),
            None => (Section::Open, weight),
        };
        let mut item = self.item(section, statement, by);
        item.waits_for = statement.waits_for.clone();
        item.importance += weight;
        item.why.push(why.to_owned());
        Some(item)
    }

    /// The sentence that says what failed. A title stands before it, and says less.
    fn fault(&self) -> Option<&Statement> {
        let told = self.statements.told_fault();
        let told = told.filter(|one| self.title_beside(&one.text).is_some());
        told.or_else(|| self.statements.changing())
    }

    fn item(&self, section: Section, statement: &Statement, by: Option<&FilterField>) -> Item {
        let entry = self.entry;
        let place = self.subject.places.first();
        let place = place.filter(|place| place.field != FilterField::Author);
        let mut why: Vec<String> = self.grave.iter().map(|grave| grave.why.clone()).collect();
        why.extend(
            self.statements
                .has_update()
                .then(|| "has an update".to_owned()),
        );
        why.extend(
            self.statements
                .is_retracted()
                .then(|| "retracted".to_owned()),
        );
        Item {
            section,
            group: by.map(|field| group_of(entry, field)),
            entry_id: entry.entry_id.clone(),
            time: self.time.clone(),
            place: place.map(|place| place.value.clone()).unwrap_or_default(),
            title: None,
            sentence: statement.quote(),
            citation: CitationStyle::EntryId
                .mark(&entry.entry_id, std::slice::from_ref(&entry.entry_id)),
            why,
            waits_for: None,
            importance: self.weight(),
        }
    }

    /// What stands out by its class is named by its heading, the rest by the
    /// sentence that says it.
    fn named_by<'s>(&'s self, statement: &'s Statement) -> &'s Statement {
        let heading = self
            .statements
            .short_heading()
            .filter(|_| self.grave.is_some());
        heading.unwrap_or(statement)
    }

    /// The title, where it is not the sentence and short.
    fn title_beside(&self, sentence: &str) -> Option<String> {
        let title = self.entry.title()?.trim();
        let is_beside = title != sentence && title.chars().count() <= TITLE_CHARS;
        is_beside.then(|| title.to_owned())
    }

    /// What the entry as a whole counts, without its class.
    fn weight(&self) -> f64 {
        match self.statements.has_update() {
            true => 0.5,
            false => 0.0,
        }
    }
}

fn serialize_time<S: Serializer>(time: &Zoned, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&with_offset(time))
}

/// The group of an entry: the first value of a field.
pub(crate) fn group_of(entry: &Entry, field: &FilterField) -> String {
    let value = field.values_of(entry).into_iter().next();
    value.unwrap_or_else(|| SetGroup::NO_VALUE.to_owned())
}
