//! The plugin: what it is, and how an instance of it is asked.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Diagnostic, Entry, Error, Example, Hit, Pipeline, PipelineRequest,
    Result, Setup,
};
use gannet_plugin::query::named_entry;
use gannet_plugin::search::{RecurrenceRequest, ScoreKind, SimilarEvent};
use serde_json::{Value, json};

use crate::answer::worded;
use crate::group::{Group, StatedEntry, groups};
use crate::settings::RecurrenceSettings;
use crate::statement::add_statements;

/// Entries that are looked at for groups, beyond those that are shown.
const LOOKED_AT: usize = 50;
/// Events that the host compares at most.
const MOST: usize = 1000;

/// What an agent reads of the pipeline.
const FOR_AGENTS: &str = "Says whether an event has happened before: how often, when, at which \
intervals, what caused it, and what fixed it.

Usage:
- The query is the id of an entry, or what happened, in a sentence or the text of the entry.
- Entries come in the order of their probability to be about the same event or fault; `details` has \
it with the reasons, and `groups`, which hold only those that are probable enough to state.
- Cite an entry that you use as its source, by its id as [#id].";

fn example() -> Example {
    let entry = |id: &str, time: &str, text: &str| {
        Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
    };
    let query = "CAV1 tripped on reflected power.";
    Example::new("finds the events of the same kind", query).with_entries([
        entry(
            "E1",
            "2024-01-05T08:30:00Z",
            "CAV1 tripped on reflected power.",
        ),
        entry(
            "E2",
            "2024-03-11T02:10:00Z",
            "CAV1 tripped on reflected power again.",
        ),
        entry(
            "E3",
            "2024-03-12T10:00:00Z",
            "Leak at the SR07 flange, tightened.",
        ),
    ])
}

/// Finds earlier events of the same kind.
pub struct Recurrences {
    settings: RecurrenceSettings,
    setup: Setup,
}

impl Pipeline for Recurrences {
    const NAME: &'static str = "recurrence";

    type Settings = RecurrenceSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(
            Self::NAME,
            "Recurrence",
            "Finds events of the same kind as an entry or a text, grouped by device and symptom: how \
             often they happened, the intervals between them, what caused them, and what fixed them.",
        )
        .for_agents(FOR_AGENTS)
        .with_example(example())
    }

    fn new(settings: RecurrenceSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        if request.query.trim().is_empty() {
            return Ok(self.told(None, &[], &[], &[], request.limit));
        }
        let asked = RecurrenceRequest::new(&request.query, request.limit.clamp(LOOKED_AT, MOST))
            .with_filter(request.filter.clone());
        let found = match context.recurrence(&asked).await {
            Ok(found) => found,
            Err(error @ Error::NotFound { .. }) => {
                let message = format!("no events are compared: {error}");
                context.diagnose(Diagnostic::warning("recurrence", message));
                return Ok(self
                    .told(None, &[], &[], &[], request.limit)
                    .with_degraded(true));
            }
            Err(error) => return Err(error),
        };
        if found.asked.is_none()
            && let Some(id) = unknown_id(&request.query, &found.events)
        {
            return Ok(unknown(id));
        }
        let is_read =
            |(place, one): &(usize, &SimilarEvent)| *place < request.limit || self.is_stated(one);
        let read = found.events.iter().enumerate().filter(is_read);
        let ids = read
            .map(|(_, one)| one.entry_id.clone())
            .chain(found.asked.clone());
        let entries = context.entries(ids.collect()).await?;
        let of = |id: &str| entries.iter().find(|entry| entry.entry_id == id);
        let stated: Vec<StatedEntry> = found
            .events
            .iter()
            .filter(|one| self.is_stated(one))
            .filter_map(|one| {
                let entry = of(&one.entry_id)?.clone();
                Some(StatedEntry {
                    entry,
                    found: one.clone(),
                })
            })
            .collect();
        let asked_entry = found.asked.as_deref().and_then(of);
        let mut groups = groups(&stated, asked_entry, self.settings.occurrence_hours);
        add_statements(&mut groups, &entries, self.settings.outcomes, context).await;
        let asked = found.asked.as_deref();
        Ok(self.told(asked, &found.events, &entries, &groups, request.limit))
    }
}

impl Recurrences {
    fn is_stated(&self, one: &SimilarEvent) -> bool {
        one.probability >= self.settings.stated_probability
            || one.same_kind >= self.settings.stated_kind
    }

    fn told(
        &self,
        asked: Option<&str>,
        events: &[SimilarEvent],
        entries: &[Entry],
        groups: &[Group],
        limit: usize,
    ) -> Answer {
        let shown = events.iter().take(limit).filter_map(|one| {
            let entry = entries
                .iter()
                .find(|entry| entry.entry_id == one.entry_id)?;
            Some((one, entry))
        });
        let shown: Vec<(&SimilarEvent, &Entry)> = shown.collect();
        let hits = shown.iter().map(|(one, entry)| {
            let hit = Hit::new(
                &one.entry_id,
                &entry.kind,
                one.probability,
                ScoreKind::Other,
            );
            hit.with_explain(json!({ "why": one.why, "same_kind": one.same_kind }))
        });
        let listed = shown.iter().map(|(one, entry)| listed(one, entry));
        let worded = worded(groups, !shown.is_empty(), &self.setup.timezone);
        let details = json!({
            "asked": asked,
            "entries": listed.collect::<Vec<_>>(),
            "groups": groups,
        });
        Answer::new(hits.collect())
            .with_answer(worded.text)
            .with_answer_status(worded.status)
            .with_answer_confidence(worded.confidence)
            .with_sources(worded.citations.clone())
            .with_citations(worded.citations)
            .with_reasoning(format!(
                "{} entries were compared; {} of them are stated.",
                events.len(),
                groups
                    .iter()
                    .map(|group| group.entries.len())
                    .sum::<usize>()
            ))
            .with_extension(Recurrences::NAME, details)
    }
}

/// The id that is asked about, where it is marked as one, or has digits and is
/// like an id of the entries that were found but for them, or nothing was found.
/// Other words are a text.
fn unknown_id<'q>(query: &'q str, events: &[SimilarEvent]) -> Option<&'q str> {
    let id = named_entry(query)?;
    // A text may be in quotes.
    let is_marked = id != query.trim() && !query.trim_start().starts_with('"');
    let is_like = |one: &SimilarEvent| without_digits(&one.entry_id) == without_digits(id);
    let has_digits = id.contains(|letter: char| letter.is_ascii_digit());
    let may_be_id = events.is_empty() || events.iter().any(is_like);
    (is_marked || (has_digits && may_be_id)).then_some(id)
}

/// An id with one `0` for each of its numbers.
fn without_digits(id: &str) -> String {
    let mut form = String::with_capacity(id.len());
    for letter in id.chars() {
        match letter.is_ascii_digit() {
            true if form.ends_with('0') => {}
            true => form.push('0'),
            false => form.push(letter),
        }
    }
    form
}

fn unknown(id: &str) -> Answer {
    let text =
        format!("There is no entry `{id}`. Ask with the id of an entry, or say what happened.");
    let details = json!({ "asked": Value::Null, "unknown": id, "entries": [], "groups": [] });
    Answer::default()
        .with_answer(text)
        .with_answer_status(AnswerStatus::Insufficient)
        .with_extension(Recurrences::NAME, details)
}

/// An entry as the extension lists it.
fn listed(one: &SimilarEvent, entry: &Entry) -> Value {
    json!({
        "entry_id": one.entry_id,
        "probability": one.probability,
        "same_kind": one.same_kind,
        "why": one.why,
        "timestamp": entry.timestamp,
        "title": entry.title(),
    })
}
