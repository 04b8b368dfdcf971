//! Events of the same kind, as the pipeline `recurrence` groups them.

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::{
    Context, Diagnostic, Entry, Error, Pipeline, PipelineRequest, Result,
};
use gannet_stages::{
    occurrences, repaired_heading, reports_fault, says_again, says_repaired, tells_of_fault,
};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::said::is_numbered;
use crate::step::{Kind, Step};
use crate::thread::Threads;

/// Events that are compared.
const COMPARED: usize = 50;
/// Reports of a fault within this time are about one occurrence.
const OCCURRENCE: SignedDuration = SignedDuration::from_hours(24);

/// What is read of the extension of `recurrence`.
#[derive(Debug, Deserialize)]
struct Recurrence {
    groups: Vec<Group>,
    entries: Vec<Compared>,
}

#[derive(Debug, Deserialize)]
struct Group {
    device: String,
    entries: Vec<Member>,
}

#[derive(Debug, Deserialize)]
struct Member {
    entry_id: String,
    probability: f64,
    outcome: Option<Outcome>,
}

#[derive(Debug, Deserialize)]
struct Outcome {
    text: String,
}

#[derive(Debug, Deserialize)]
struct Compared {
    entry_id: String,
    why: Vec<String>,
}

/// The steps of events of the same kind, most probable first, also what the
/// entry itself is among them; and the groups as `recurrence` gives them.
///
/// # Errors
/// The host's; what the pipeline fails with is a diagnostic.
pub(crate) async fn events(
    asked: &Entry,
    filter: &Filter,
    pipeline: &str,
    context: &Context,
) -> Result<(Vec<Step>, Value)> {
    let mut request = PipelineRequest::new(format!("id:\"{}\"", asked.entry_id), COMPARED);
    request.filter = filter.clone();
    let answer = match context.run_pipeline(pipeline, request).await {
        Ok(run) => run.answer,
        Err(error) => {
            let message = format!("events of the same kind are not in the thread: {error}");
            let diagnostic = match error {
                Error::NotFound { .. } => Diagnostic::info(Threads::NAME, message),
                _ => Diagnostic::warning(Threads::NAME, message),
            };
            context.diagnose(diagnostic.category(error.category()));
            return Ok((Vec::new(), json!([])));
        }
    };
    let given = answer.extensions.get("recurrence").cloned();
    let given = given.unwrap_or_else(|| json!({ "groups": [], "entries": [] }));
    let found = Recurrence::deserialize(&given)
        .map_err(|error| Error::internal(format!("the groups of `{pipeline}`: {error}")))?;
    let ids = found.groups.iter().flat_map(|group| &group.entries);
    let ids = ids.map(|member| member.entry_id.clone()).collect();
    let entries = context.entries(ids).await?;
    let mut steps: Vec<Step> = Vec::new();
    for group in &found.groups {
        if group
            .entries
            .iter()
            .any(|one| one.entry_id == asked.entry_id)
        {
            steps.extend(of_group(group, &entries, &found.entries));
        }
    }
    steps.sort_by(|a, b| {
        b.probability
            .partial_cmp(&a.probability)
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok((steps, given["groups"].clone()))
}

/// The steps of a group, in the order of time.
fn of_group(group: &Group, entries: &[Entry], compared: &[Compared]) -> Vec<Step> {
    let members = group.entries.iter().filter_map(|member| {
        let mut entries = entries.iter();
        Some((member, entries.find(|one| one.entry_id == member.entry_id)?))
    });
    let mut members: Vec<(&Member, &Entry)> = members.collect();
    members.sort_by(|(_, a), (_, b)| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
    let of_members: Vec<&Entry> = members.iter().map(|(_, entry)| *entry).collect();
    let occurrences = occurrences(&of_members, OCCURRENCE);
    let mut faulty = members.iter().filter(|(_, entry)| tells_of_fault(entry));
    let first = faulty.next().map(|(_, entry)| entry.timestamp);
    let steps = members.iter().map(|(member, entry)| {
        let at = occurrences
            .iter()
            .position(|one| one.entry_id == entry.entry_id);
        let seen = match at {
            _ if occurrences.len() < 2 => None,
            // It was seen before, and that entry is not here, or is no report.
            Some(0) if says_again(entry) || is_numbered(entry) || !reports_fault(entry) => None,
            Some(0) => Some(Kind::FirstSeen),
            Some(_) => Some(Kind::SeenAgain),
            None => None,
        };
        // There is nothing to repair before somebody tells of a fault.
        let is_after = first.is_some_and(|first| entry.timestamp >= first);
        let sentence = repair(member, entry).filter(|_| is_after);
        let repaired = sentence.as_ref().map(|_| Kind::Repaired);
        let mut kinds: Vec<Kind> = seen.into_iter().chain(repaired).collect();
        if kinds.is_empty() {
            kinds.push(match group.device.as_str() {
                "" => Kind::SimilarEvent,
                _ => Kind::SameDevice,
            });
        }
        let mut reasons = compared.iter();
        let reasons = reasons.find(|one| one.entry_id == member.entry_id);
        let mut step = Step::new(entry, Kind::SameDevice);
        step.kinds = kinds;
        step.sentence = sentence;
        step.why = reasons.map(|one| one.why.clone()).unwrap_or_default();
        step.probability = Some(member.probability);
        step
    });
    steps.collect()
}

/// The sentence that says what was repaired: the heading, or what the reader
/// found, where it says so in words.
fn repair(member: &Member, entry: &Entry) -> Option<String> {
    let read = member.outcome.as_ref().map(|outcome| outcome.text.trim());
    let read = read.filter(|text| says_repaired(text)).map(str::to_owned);
    read.or_else(|| repaired_heading(entry))
}
