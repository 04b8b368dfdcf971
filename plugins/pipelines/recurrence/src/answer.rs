//! The groups in words.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_stages::CitationStyle;
use jiff::Timestamp;

use crate::group::Group;
use crate::intervals::Trend;

/// The answer in words, with what it cites.
pub(crate) struct Worded {
    pub(crate) text: String,
    pub(crate) status: AnswerStatus,
    pub(crate) confidence: Option<f64>,
    pub(crate) citations: Vec<String>,
}

/// Says how often it happened at least (entries that are less certain are not
/// counted), when, what caused it, and what fixed it; without groups, whether there
/// are similar entries.
pub(crate) fn worded(groups: &[Group], has_similar: bool, timezone: &str) -> Worded {
    if groups.is_empty() {
        let text = match has_similar {
            true => "No entry is certain to tell of the same kind of event.",
            false => "No entry tells of the same kind of event.",
        };
        return Worded {
            text: text.to_owned(),
            status: AnswerStatus::Insufficient,
            confidence: None,
            citations: Vec::new(),
        };
    }
    let mut citations = Vec::new();
    let lines: Vec<String> = groups
        .iter()
        .map(|group| line(group, timezone, &mut citations))
        .collect();
    let confidence =
        groups.iter().map(|group| group.probability).sum::<f64>() / groups.len() as f64;
    Worded {
        text: lines.join("\n"),
        status: AnswerStatus::Partial,
        confidence: Some(confidence),
        citations,
    }
}

fn line(group: &Group, timezone: &str, citations: &mut Vec<String>) -> String {
    let symptom = group.symptom.join(", ");
    let mut text = match (group.device.as_str(), symptom.as_str()) {
        ("", "") => "This happened".to_owned(),
        (one, "") | ("", one) => format!("{one}: this happened"),
        (device, symptom) => format!("{device} ({symptom}): this happened"),
    };
    let day = |time| day(time, timezone);
    text.push_str(&match group.count {
        0 | 1 => format!(" at least once, on {}.", day(group.last)),
        2 => format!(
            " at least twice, on {} and on {}.",
            day(group.first),
            day(group.last)
        ),
        count => format!(
            " at least {count} times since {}, last on {}.",
            day(group.first),
            day(group.last)
        ),
    });
    if let Some(interval) = intervals(group) {
        text.push_str(&format!(" {interval}"));
    }
    for member in &group.entries {
        cite(&mut text, &member.entry_id, citations);
    }
    let repair = match group.outcome_held {
        true => "What fixed it",
        false => "Last repaired by",
    };
    for (label, stated) in [("What caused it", &group.cause), (repair, &group.outcome)] {
        if let Some(stated) = stated {
            text.push_str(&format!("\n{label}: {}", stated.statement.text.trim()));
            cite(&mut text, &stated.entry_id, citations);
        }
    }
    text
}

fn intervals(group: &Group) -> Option<String> {
    if group.count < 3 {
        return None;
    }
    let least = group
        .intervals_days
        .iter()
        .copied()
        .fold(f64::INFINITY, f64::min);
    let most = group.intervals_days.iter().copied().fold(0.0, f64::max);
    let trend = match group.trend {
        Some(Trend::Shorter) => ", and they become shorter",
        Some(Trend::Longer) => ", and they become longer",
        Some(Trend::Steady) | None => "",
    };
    let (least, most) = (format!("{least:.0}"), format!("{most:.0}"));
    let days = match (least == most, most.as_str()) {
        (true, "1") => "1 day".to_owned(),
        (true, _) => format!("{most} days"),
        _ => format!("{least} to {most} days"),
    };
    Some(format!("The intervals are {days}{trend}."))
}

fn cite(text: &mut String, entry_id: &str, citations: &mut Vec<String>) {
    if !citations.iter().any(|known| known == entry_id) {
        citations.push(entry_id.to_owned());
    }
    text.push(' ');
    text.push_str(&CitationStyle::EntryId.mark(entry_id, citations));
}

/// The day in the time zone of the facility.
fn day(time: Timestamp, timezone: &str) -> String {
    match time.in_tz(timezone) {
        Ok(local) => local.strftime("%Y-%m-%d").to_string(),
        Err(_) => time.strftime("%Y-%m-%d").to_string(),
    }
}
