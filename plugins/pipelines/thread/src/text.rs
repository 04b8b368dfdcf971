//! A thread in words.

use gannet_stages::CitationStyle;
use jiff::Timestamp;

use crate::step::{Kind, Step};

/// The thread in words: the history of the fault in one line where there is one,
/// and a line for each step.
pub(crate) fn worded(steps: &[Step], timezone: &str) -> String {
    let ids: Vec<String> = steps.iter().map(|step| step.entry_id.clone()).collect();
    let mut lines = Vec::new();
    let history = steps
        .iter()
        .filter(|step| step.kinds.iter().any(|kind| kind.is_of_history()));
    let history: Vec<String> = history
        .map(|step| {
            let kinds = step.kinds.iter().filter(|kind| kind.is_of_history());
            format!("{} on {}", labels(kinds), day(step.timestamp, timezone))
        })
        .collect();
    if !history.is_empty() {
        lines.push(format!("{}.", capital(&history.join(" → "))));
    }
    for step in steps {
        let cited = CitationStyle::EntryId.mark(&step.entry_id, &ids);
        let (day, labels) = (day(step.timestamp, timezone), labels(step.kinds.iter()));
        let title = step.title.trim();
        lines.push(format!("- {day}, {labels}: {title} {cited}"));
        if let Some(sentence) = step.sentence.as_ref().filter(|text| text.trim() != title) {
            lines.push(format!("  {} {cited}", sentence.trim()));
        }
    }
    lines.join("\n")
}

fn labels<'k>(kinds: impl Iterator<Item = &'k Kind>) -> String {
    kinds
        .map(|kind| kind.label())
        .collect::<Vec<_>>()
        .join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// The day in the time zone of the facility.
fn day(time: Timestamp, timezone: &str) -> String {
    match time.in_tz(timezone) {
        Ok(local) => local.strftime("%Y-%m-%d").to_string(),
        Err(_) => time.strftime("%Y-%m-%d").to_string(),
    }
}
