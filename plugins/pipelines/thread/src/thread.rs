//! The plugin: what it is, and how an instance of it is asked.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Diagnostic, Entry, Example, Hit, Pipeline, PipelineRequest,
    Result, Setup,
};
use gannet_plugin::query::named_entry;
use gannet_plugin::search::ScoreKind;
use serde_json::{Value, json};

use crate::events::events;
use crate::links::linked;
use crate::settings::ThreadSettings;
use crate::step::{Kind, Step, add};
use crate::text::worded;

/// What an agent reads of the pipeline.
const FOR_AGENTS: &str =
    "Shows what belongs to an entry, in the order of time: the entries that it \
refers to and that refer to it, its replies, and events of the same kind on its device, with what \
repaired them.

Usage:
- The query is the id of an entry.
- `steps` have the kind of each entry (`first_seen`, `seen_again`, `repaired`, `referred_to`, \
`refers_to`, `replied_to`, `reply`, `same_device`, `similar_event`) and why it is there.
- `same_device` and `similar_event` say no more than that: the entry may be about another fault.
- Cite an entry that you use as its source, by its id as [#id].";

fn example() -> Example {
    let entry = |id: &str, time: &str, text: &str| {
        Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
    };
    Example::new("shows what refers to an entry", "OPS-1")
        .with_entries([
            entry(
                "OPS-1",
                "2024-01-05T08:30:00Z",
                "CAV1 tripped on reflected power.",
            ),
            entry(
                "OPS-2",
                "2024-01-06T10:00:00Z",
                "Coupler cleaned, see OPS-1.",
            ),
            entry("OPS-3", "2024-01-07T10:00:00Z", "Leak at the SR07 flange."),
        ])
        .finds(["OPS-1", "OPS-2"])
}

/// Shows what belongs to an entry.
pub struct Threads {
    settings: ThreadSettings,
    setup: Setup,
}

impl Pipeline for Threads {
    const NAME: &'static str = "thread";

    type Settings = ThreadSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(
            Self::NAME,
            "Thread",
            "Shows what belongs to an entry, in the order of time: references in both directions, \
             replies, and events of the same kind on its device, each with its kind and the reason.",
        )
        .for_agents(FOR_AGENTS)
        .with_example(example())
    }

    fn new(settings: ThreadSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let query = request.query.trim();
        let id = named_entry(query).unwrap_or(query).to_owned();
        let entries = context.entries(vec![id]).await?;
        let Some(asked) = entries.first() else {
            return Ok(unknown(&request.query));
        };
        let mut steps = vec![Step::new(asked, Kind::ThisEntry)];
        let found = linked(asked, &request.filter, context).await?;
        found.into_iter().for_each(|step| add(&mut steps, step));
        let found = events(asked, &request.filter, &self.settings.recurrence, context);
        let (found, groups) = found.await?;
        found.into_iter().for_each(|step| add(&mut steps, step));
        let entries = self.shown(&mut steps, &request, context).await?;
        let details = json!({ "entry_id": asked.entry_id, "steps": steps, "groups": groups });
        let answer = self.told(asked, &steps, &entries);
        Ok(answer.with_extension(Self::NAME, details))
    }
}

impl Threads {
    /// Keeps the steps that are shown, in the order of time, and reads their
    /// entries. Of many, explicit links stay before events.
    async fn shown(
        &self,
        steps: &mut Vec<Step>,
        request: &PipelineRequest,
        context: &Context,
    ) -> Result<Vec<Entry>> {
        let ids = steps.iter().map(|step| step.entry_id.clone()).collect();
        let mut entries = context.entries(ids).await?;
        entries.retain(|entry| request.filter.matches(entry));
        steps.retain(|step| entries.iter().any(|one| one.entry_id == step.entry_id));
        let left_out = steps.len().saturating_sub(request.limit.max(1));
        if left_out > 0 {
            steps.truncate(request.limit.max(1));
            let message = format!("{left_out} more belong to the entry; ask for more results");
            context.diagnose(Diagnostic::info(Self::NAME, message));
        }
        steps.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
        Ok(entries)
    }

    fn told(&self, asked: &Entry, steps: &[Step], entries: &[Entry]) -> Answer {
        let ids: Vec<String> = steps.iter().map(|step| step.entry_id.clone()).collect();
        let is_inferred = |step: &Step| step.probability.is_some();
        let (text, status) = match steps.iter().any(|step| step.entry_id != asked.entry_id) {
            false => (
                "No other entry is known to belong to this one.".to_owned(),
                AnswerStatus::Insufficient,
            ),
            true => {
                let status = match steps.iter().any(is_inferred) {
                    true => AnswerStatus::Partial,
                    false => AnswerStatus::Grounded,
                };
                (worded(steps, &self.setup.timezone), status)
            }
        };
        let cited = match status {
            AnswerStatus::Insufficient => Vec::new(),
            _ => ids,
        };
        let count = steps.len();
        Answer::new(hits(steps, entries))
            .with_answer(text)
            .with_answer_status(status)
            .with_sources(cited.clone())
            .with_citations(cited)
            .with_reasoning(format!("{count} entries are in the thread."))
    }
}

/// The entries in the order of time; the first one has the highest score.
fn hits(steps: &[Step], entries: &[Entry]) -> Vec<Hit> {
    let count = steps.len().max(1) as f64;
    let places = steps.iter().enumerate();
    let hits = places.filter_map(|(place, step)| {
        let entry = entries.iter().find(|one| one.entry_id == step.entry_id)?;
        let score = 1.0 - place as f64 / count;
        let hit = Hit::new(&step.entry_id, &entry.kind, score, ScoreKind::Other);
        Some(hit.with_explain(json!({ "kinds": step.kinds, "why": step.why })))
    });
    hits.collect()
}

fn unknown(query: &str) -> Answer {
    let query = query.trim();
    let text = format!("There is no entry `{query}`. Ask with the id of an entry.");
    let details = json!({ "entry_id": Value::Null, "steps": [], "groups": [] });
    Answer::default()
        .with_answer(text)
        .with_answer_status(AnswerStatus::Insufficient)
        .with_extension(Threads::NAME, details)
}
