//! What happened to a device, in the order in which it happened.
//!
//! ```text
//! - On 2024-01-05 08:30: CAV1 tripped on reflected power. [#E1]
//! - On 2024-01-06 09:15: Window of SR03C:RF:CAV1 found cracked. [#E4]
//! 74 days later:
//! - On 2024-03-20 14:00: CAV1 back in operation. [#E3]
//! ```
//!
//! The pipeline asks the search modules that the configuration gives it, all
//! at once, joins their lists by rank, keeps the entries that fit best, and
//! tells them by time: each with its title or first sentence, in the
//! facility's time zone, with its citation. No model takes part: the same
//! entries give the same words.
//!
//! - A module that fails is a diagnostic, and the answer is marked `degraded`.
//!   Only when all fail is it an error.
//! - Of a question that names a device, only entries count that name it too.
//! - A start is a filter: `--start-date 2024-01` or `date:>=2024-01` in the
//!   question.
//! - The hits of the result are ordered by how well they fit; it is the answer
//!   and its citations that are in order of time.
//!
//! ```yaml
//! pipelines:
//!   timeline:
//!     retrieval_modules: [keyword, semantic]
//!     settings: { gap_days: 14 }
//! ```
//!
//! ```
//! use gannet_plugin::testing::FakeHost;
//! use gannet_plugin::{Entry, Found, Hit, Pipeline, PipelineRequest, ScoreKind, Setup};
//! use gannet_timeline::{Settings, Timeline};
//!
//! let entry = |id: &str, time: &str, text: &str| Entry::new(id, "log", time.parse().unwrap(), text);
//! let host = FakeHost::default()
//!     .with_entries([
//!         entry("E2", "2024-03-20T14:00:00Z", "CAV1 is back. All well."),
//!         entry("E1", "2024-01-05T08:30:00Z", "CAV1 tripped."),
//!     ])
//!     .on_search_module("keyword", |_| {
//!         let hit = |id: &str| Hit::new(id, "logbook", 1.0, ScoreKind::Bm25);
//!         Ok(Found { hits: vec![hit("E2"), hit("E1")], diagnostics: Vec::new() })
//!     });
//! let setup = Setup { retrieval_modules: vec!["keyword".to_owned()], ..Setup::default() };
//! let timeline = Timeline::new(Settings::default(), &setup).unwrap();
//!
//! let request = PipelineRequest::new("what happened to CAV1?", 10);
//! let answer = pollster::block_on(timeline.run(request, &host.context())).unwrap();
//!
//! assert_eq!(answer.citations, ["E1", "E2"]);
//! let text = answer.answer.unwrap();
//! let lines: Vec<&str> = text.lines().collect();
//! assert_eq!(lines, [
//!     "- On 2024-01-05 08:30: CAV1 tripped. [#E1]",
//!     "75 days later:",
//!     "- On 2024-03-20 14:00: CAV1 is back. [#E2]",
//! ]);
//! ```

mod examples;
mod question;
mod settings;
mod story;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use gannet_plugin::{
    Answer, AnswerStatus, Context, Descriptor, Diagnostic, Entry, Event, Hit, Pipeline,
    PipelineRequest, Result, SearchRequest, Setup,
};
use gannet_stages::{FusionSettings, OnError, RetrievalPlan, fuse, retrieve};
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use question::{names_any, names_in, syntax_of};
pub use settings::Settings;
use story::Story;

gannet_plugin::export_plugin! {
    pipelines: [Timeline],
}

const NOTHING: &str = "No entry was found for this question.";

/// Tells what happened, in order.
pub struct Timeline {
    settings: Settings,
    setup: Setup,
    zone: TimeZone,
}

/// The entries that are told: the hits by how well they fit, the entries by
/// time.
struct Told {
    hits: Vec<Hit>,
    entries: Vec<Entry>,
    /// How many would have been told without a limit.
    worth_telling: usize,
    missing: usize,
}

impl Pipeline for Timeline {
    const NAME: &'static str = "timeline";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::pipeline(
            Self::NAME,
            "Timeline",
            "Tells what happened to a device or about a subject, one line an entry, in the order \
             of time, with citations. Use it for the history of something.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            setup: setup.clone(),
            zone: setup.zone()?,
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let settings = request.settings(&self.settings)?;
        let is_blank = request.query.trim().is_empty() && request.filter.is_empty();
        let answer = match is_blank {
            true => nothing_asked(),
            false => self.answer(&request, &settings, context).await?,
        };
        context.emit(Event::End);
        Ok(answer)
    }
}

impl Timeline {
    async fn answer(
        &self,
        request: &PipelineRequest,
        settings: &Settings,
        context: &Context,
    ) -> Result<Answer> {
        let retrieved = retrieve(self.plan(request, settings), context).await?;
        let mut counts = Map::new();
        for list in &retrieved.lists {
            counts.insert(list.module.clone(), list.hits.len().into());
        }
        tell(context, "retrieve", counts.into());

        let hits = fuse(&request.query, &retrieved.lists, &FusionSettings::default())
            .map_err(|error| error.at("fusion"))?;
        let found = hits.len();
        let told = self.choose(hits, request, settings, context).await?;
        let story = Story::tell(&told.entries, &self.zone, settings.gap_days);
        let numbers = json!({ "found": found, "told": told.entries.len(), "gaps": story.gaps });
        tell(context, "tell", numbers.clone());

        let cited: Vec<String> = told.entries.into_iter().map(|e| e.entry_id).collect();
        let (text, status) = match cited.is_empty() {
            true => (NOTHING.to_owned(), AnswerStatus::Insufficient),
            false => (story.text, AnswerStatus::Grounded),
        };
        context.emit(Event::Answer { text: text.clone() });
        for entry_id in cited.iter().cloned() {
            context.emit(Event::Citation { entry_id });
        }
        Ok(Answer {
            answer: Some(text),
            answer_status: Some(status),
            reasoning: format!(
                "Found {found} entries; {} are told in order of time.",
                told.hits.len()
            ),
            hits: told.hits,
            sources: cited.clone(),
            citations: cited,
            search_modes_used: retrieved.modules_with_hits(),
            pipeline_details: Some(json!({ "pipeline_type": "timeline", "timeline": numbers })),
            degraded: retrieved.degraded || told.missing > 0,
            ..Answer::default()
        })
    }

    /// The question for each module.
    fn plan(&self, request: &PipelineRequest, settings: &Settings) -> RetrievalPlan {
        let candidates = settings.candidates.max(settings.told_at_most(request));
        let mut search = SearchRequest::new(&request.query, candidates);
        search.syntax = syntax_of(&request.query);
        search.filter = request.filter.clone();
        let modules = self.setup.retrieval_modules.iter();
        RetrievalPlan {
            pipeline: self.name().to_owned(),
            requests: modules
                .map(|module| (module.clone(), search.clone()))
                .collect(),
            on_error: OnError::Degrade,
        }
    }

    /// The entries worth telling, read.
    async fn choose(
        &self,
        hits: Vec<Hit>,
        request: &PipelineRequest,
        settings: &Settings,
        context: &Context,
    ) -> Result<Told> {
        let ids = hits.iter().map(|hit| hit.entry_id.clone()).collect();
        let read = context.entries(ids).await?;
        let mut entries: HashMap<String, Entry> = read
            .into_iter()
            .map(|entry| (entry.entry_id.clone(), entry))
            .collect();
        let missing = hits.len().saturating_sub(entries.len());
        if missing > 0 {
            let message = format!("{missing} of the entries found no longer exist");
            let note = Diagnostic::warning(format!("{}.read", self.name()), message);
            context.diagnose(note.category("not_found"));
        }

        let names = names_in(&request.query);
        if settings.only_named && !names.is_empty() {
            entries.retain(|_, entry| names_any(&entry.raw_text, &names));
        }
        let mut hits = hits;
        hits.retain(|hit| entries.contains_key(&hit.entry_id));
        let worth_telling = hits.len();
        hits.truncate(settings.told_at_most(request));
        let mut told: Vec<Entry> = hits
            .iter()
            .filter_map(|hit| entries.remove(&hit.entry_id))
            .collect();
        told.sort_by(|a, b| (a.timestamp, &a.entry_id).cmp(&(b.timestamp, &b.entry_id)));
        let told = Told {
            hits,
            entries: told,
            worth_telling,
            missing,
        };
        self.note_the_rest(&told, context);
        Ok(told)
    }

    fn note_the_rest(&self, told: &Told, context: &Context) {
        let told_entries = told.hits.len();
        if told_entries < told.worth_telling {
            let message = format!(
                "the {told_entries} entries that fit best are told, of {}; ask for more results, \
                 or raise `max_entries`",
                told.worth_telling
            );
            context.diagnose(Diagnostic::info(format!("{}.choose", self.name()), message));
        }
    }

    fn name(&self) -> &str {
        match self.setup.instance.as_str() {
            "" => "timeline",
            name => name,
        }
    }
}

fn nothing_asked() -> Answer {
    Answer {
        answer_status: Some(AnswerStatus::Insufficient),
        reasoning: "The question is empty; nothing was searched.".to_owned(),
        ..Answer::default()
    }
}

fn tell(context: &Context, stage: &str, details: Value) {
    let stage = stage.to_owned();
    context.emit(Event::Stage { stage, details });
}
