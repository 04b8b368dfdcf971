//! Entities: what questions and entries are about.

use gannet_plugin::filter::{FilterClause, fold};
use gannet_plugin::plan::EntityKind;
use gannet_plugin::prelude::Entry;
use serde::Serialize;

use crate::entries::{EntryText, holds_phrase};

/// What sort of thing an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EntityType {
    /// A device.
    Device,
    /// A process variable.
    Pv,
    /// Who wrote an entry.
    Person,
    /// A place: a building, an area, a sector.
    Place,
    /// A system or subsystem.
    System,
    /// A document.
    Document,
    /// An entry that is about nothing that others are about.
    Entry,
    /// A value of another field, such as a shift: it raises hits, and is no
    /// heading of a card.
    Value,
}

impl EntityType {
    /// Those that are in keys which calls give: of the value of a field the key
    /// does not say which field.
    const IN_KEYS: [Self; 7] = [
        Self::Device,
        Self::Pv,
        Self::Person,
        Self::Place,
        Self::System,
        Self::Document,
        Self::Entry,
    ];

    /// What an entity of the host's plan is here.
    pub(crate) fn of(kind: EntityKind) -> Self {
        match kind {
            EntityKind::Device => Self::Device,
            EntityKind::Pv => Self::Pv,
            EntityKind::Author => Self::Person,
            EntityKind::Place => Self::Place,
            EntityKind::System => Self::System,
            _ => Self::Value,
        }
    }

    /// Whether hits are grouped by it.
    pub(crate) fn has_cards(self) -> bool {
        self != Self::Value
    }

    /// Whether "it" in a later question can stand for it, as for a device. A
    /// person or the value of a field, such as a tag, is not what "it" means.
    pub(crate) fn is_a_thing(self) -> bool {
        matches!(
            self,
            Self::Device | Self::Pv | Self::Place | Self::System | Self::Document
        )
    }

    /// Its name in a key.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Pv => "pv",
            Self::Person => "person",
            Self::Place => "place",
            Self::System => "system",
            Self::Document => "document",
            Self::Entry => "entry",
            Self::Value => "value",
        }
    }
}

/// Where an entity was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Origin {
    /// In the question.
    Question,
    /// In an earlier question of the session.
    Session,
    /// On the page that the question was asked on.
    Visible,
    /// In the user's last action.
    LastAction,
}

/// A thing that a question, its session or its page names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entity {
    /// Its type and its name in lower case: `device:cav1`.
    pub(crate) key: String,
    #[serde(rename = "type")]
    pub(crate) kind: EntityType,
    /// The name that stands for all.
    pub(crate) name: String,
    /// Its other names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<String>,
    pub(crate) origin: Origin,
    /// Why it was taken for one.
    pub(crate) reason: String,
    /// Where the question names it; several readings of one place are one
    /// wish.
    #[serde(skip)]
    pub(crate) span: Option<(usize, usize)>,
    /// What an entry of it passes, where a field has it.
    #[serde(skip)]
    pub(crate) clauses: Vec<FilterClause>,
    /// Whether an entry is about it that names it in its text only. An author
    /// or a shift in a text is not what a question means by it.
    #[serde(skip)]
    pub(crate) counts_in_text: bool,
}

impl Entity {
    /// The key of a name of this type.
    pub(crate) fn key_of(kind: EntityType, name: &str) -> String {
        format!("{}:{}", kind.name(), fold(name))
    }

    /// The type and the name of an entity that is given by its key; the name
    /// alone where it is given by that. The name of a process variable has a
    /// colon too.
    pub(crate) fn of_key(given: &str) -> (Option<EntityType>, &str) {
        let typed = given.split_once(':').and_then(|(kind, name)| {
            let kind = EntityType::IN_KEYS
                .into_iter()
                .find(|one| one.name() == kind)?;
            Some((kind, name))
        });
        typed.map_or((None, given), |(kind, name)| (Some(kind), name))
    }

    /// Whether an entry is about it: a field has it, or the text names it by
    /// any of its names.
    pub(crate) fn is_in(&self, entry: &Entry, text: &EntryText) -> bool {
        if self.clauses.iter().any(|clause| clause.matches(entry)) {
            return true;
        }
        if !self.counts_in_text {
            return false;
        }
        let mut names = std::iter::once(&self.name).chain(&self.aliases);
        names.any(|name| holds_phrase(&text.lower, &fold(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_type_and_a_name_and_a_name_alone_has_none() {
        for (given, kind, name) in [
            ("device:rf-2", Some(EntityType::Device), "rf-2"),
            ("pv:sr01c:bpm1", Some(EntityType::Pv), "sr01c:bpm1"),
            ("SR01C:BPM1", None, "SR01C:BPM1"),
            ("RF-2", None, "RF-2"),
        ] {
            assert_eq!(Entity::of_key(given), (kind, name));
        }
    }
}
