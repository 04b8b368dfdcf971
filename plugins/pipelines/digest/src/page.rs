//! What of the sentences fits on a page, in its order, and its text.

use gannet_plugin::plan::SetGroup;
use jiff::Zoned;
use serde::Serialize;

use crate::item::{Item, Section};

/// Characters that are kept for the heading and for what is counted.
const FRAME_CHARS: usize = 220;

/// A part of the page with its sentences.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct PagePart {
    /// `changed_state`, `happened`, `open`, `waiting`, or the value of the
    /// field that sentences are grouped by.
    pub(crate) name: String,
    /// Its heading.
    pub(crate) title: String,
    /// Its sentences in the order of time.
    pub(crate) items: Vec<Item>,
}

/// The sentences that are on the page, and those that are not.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) parts: Vec<PagePart>,
    pub(crate) left_out: Vec<Item>,
}

impl Page {
    /// The most important sentences that have room.
    pub(crate) fn of(mut items: Vec<Item>, max_chars: usize) -> Self {
        items.sort_by(|a, b| {
            let by_importance = b.importance.total_cmp(&a.importance);
            let newest_first = || b.time.cmp(&a.time);
            by_importance
                .then_with(newest_first)
                .then_with(|| a.entry_id.cmp(&b.entry_id))
        });
        let mut room = max_chars.saturating_sub(FRAME_CHARS);
        let (mut shown, mut left_out, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for item in items {
            let name = part_name(&item);
            let heading = match names.contains(&name) {
                true => 0,
                false => name.chars().count() + 2,
            };
            let needed = line(&item).chars().count() + 1 + heading;
            if needed > room {
                left_out.push(item);
                continue;
            }
            room -= needed;
            names.push(name);
            shown.push(item);
        }
        Self {
            parts: parts(shown),
            left_out,
        }
    }

    /// The sentences on the page, in its order.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        self.parts.iter().flat_map(|part| &part.items)
    }

    /// The parts in words, one sentence on a line.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            text.push_str(&format!("\n{}\n", part.title));
            for item in &part.items {
                text.push_str(&format!("{}\n", line(item)));
            }
        }
        text
    }
}

fn part_name(item: &Item) -> String {
    match &item.group {
        Some(group) => group.clone(),
        None => item.section.title().to_owned(),
    }
}

/// Sections in their order, or the groups by their names, those without a value
/// last; in each the sentences in the order of time.
fn parts(mut items: Vec<Item>) -> Vec<PagePart> {
    items.sort_by(|a, b| {
        let by_time = a
            .time
            .cmp(&b.time)
            .then_with(|| a.entry_id.cmp(&b.entry_id));
        by_time.then(a.section.cmp(&b.section))
    });
    let is_grouped = items.iter().any(|item| item.group.is_some());
    let mut parts: Vec<PagePart> = match is_grouped {
        true => Vec::new(),
        false => Section::ALL.map(section_part).into(),
    };
    for item in items {
        let title = part_name(&item);
        match parts.iter_mut().find(|part| part.title == title) {
            Some(part) => part.items.push(item),
            None => parts.push(PagePart {
                name: title.clone(),
                title,
                items: vec![item],
            }),
        }
    }
    if is_grouped {
        let rank = |part: &PagePart| (part.name == SetGroup::NO_VALUE, part.name.clone());
        parts.sort_by_key(rank);
    }
    parts.retain(|part| !part.items.is_empty());
    parts
}

fn section_part(section: Section) -> PagePart {
    let name = serde_json::to_value(section).unwrap_or_default();
    PagePart {
        name: name.as_str().unwrap_or_default().to_owned(),
        title: section.title().to_owned(),
        items: Vec::new(),
    }
}

/// A sentence with its time, its place and its mark. In groups of a field it
/// says what is open.
fn line(item: &Item) -> String {
    let mut line = format!("- {}", minute(&item.time));
    let is_named = item.place.is_empty()
        || item.sentence.contains(&item.place)
        || item
            .title
            .as_ref()
            .is_some_and(|title| title.contains(&item.place))
        || item.group.as_deref() == Some(&item.place);
    if !is_named {
        line.push_str(&format!(" {}", item.place));
    }
    if item.group.is_some() && item.section >= Section::Open {
        line.push_str(&format!(" ({})", item.section.title().to_lowercase()));
    }
    line.push(':');
    if let Some(title) = &item.title {
        let mark = match title.ends_with(['.', '!', '?', ':']) {
            true => "",
            false => ":",
        };
        line.push_str(&format!(" {title}{mark}"));
    }
    line.push_str(&format!(" {} {}", item.sentence, item.citation));
    line
}

/// A time for people. The heading names the zone.
pub(crate) fn minute(time: &Zoned) -> String {
    time.strftime("%Y-%m-%d %H:%M").to_string()
}

/// The same time for programs: RFC 3339 with the offset of the zone.
pub(crate) fn with_offset(time: &Zoned) -> String {
    let time = time.timestamp().display_with_offset(time.offset());
    time.to_string()
}
