//! Which of the newest entries tell of something that happened before, for a
//! morning meeting: the set of the newest entries about a topic, each compared
//! with all earlier ones.
//!
//! ```text
//! - [#E3] is like [#E1] (91 %: same words: flow, switch)
//! ```

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use gannet_plugin::filter::{Condition, FilterField, TimeRange};
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::{SetMember, SetRequest};
use gannet_plugin::prelude::*;
use gannet_plugin::search::{RecurrenceRequest, ScoreKind, SimilarEvent};

gannet_plugin::export_plugin! { pipelines: [Repeats] }

/// Earlier events that are named for an entry, at most.
const NAMED: usize = 3;

/// Finds what happened before.
pub struct Repeats(Settings);

/// What the configuration and a call can set.
#[settings]
pub struct Settings {
    /// How many of the newest entries are compared.
    #[setting(default = 20, min = 1, max = 100, agent)]
    pub newest: usize,
    /// The probability from which on two entries are about the same event or fault.
    #[setting(default = 0.65, min = 0.0, max = 1.0, agent, step = 0.05)]
    pub least_probability: f64,
}

impl Pipeline for Repeats {
    const NAME: &'static str = "repeats";
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Says which of the newest entries about a topic, or of all, tell of \
                           something that happened before.";
        // Hosts of tests compare no entries.
        let example = Example::new("names nothing that was not there before", "RF")
            .with_entries([Entry::new("E1", "log", Default::default(), "RF trip")]);
        Descriptor::pipeline(Self::NAME, "Repeats", description).with_example(example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let settings = request.settings(&self.0)?;
        let topic = request.query.split_whitespace().map(str::to_owned);
        let set = SetRequest::new(request.filter.clone(), Vec::new())
            .with_topic(topic.collect::<Vec<_>>())
            .with_limit(settings.newest);
        let newest = context.set_members(&set).await?.members;

        let (mut lines, mut hits, mut cited) = (Vec::new(), Vec::new(), Vec::new());
        for member in newest {
            let mut events = match before(&member, &request, context).await {
                Err(error) if error.is_missing_service() => {
                    let note = format!("no entries are compared: {error}");
                    context.diagnose(Diagnostic::warning(Self::NAME, note));
                    break;
                }
                events => events?,
            };
            events.retain(|event| event.probability >= settings.least_probability);
            let Some(best) = events.first() else { continue };
            let SetMember { entry_id, kind, .. } = member;
            let score = best.probability;
            hits.push(Hit::new(&entry_id, kind, score, ScoreKind::Other));
            lines.push(line(&entry_id, &events));
            cited.push(entry_id);
            cited.extend(events.into_iter().map(|event| event.entry_id));
        }
        hits.truncate(request.limit);
        let mut named = BTreeSet::new();
        cited.retain(|id| named.insert(id.clone()));
        let nothing = "Nothing was there before.".to_owned();
        let (text, status) = match lines.is_empty() {
            true => (nothing, AnswerStatus::Insufficient),
            false => (lines.join("\n"), AnswerStatus::Partial),
        };
        let answer = Answer::new(hits)
            .with_answer(text)
            .with_answer_status(status);
        Ok(answer.with_sources(cited.clone()).with_citations(cited))
    }
}

/// The events before an entry that are like it, the most probable first.
async fn before(
    member: &SetMember,
    request: &PipelineRequest,
    context: &Context,
) -> Result<Vec<SimilarEvent>> {
    let until = Some(member.timestamp);
    let earlier = Condition::Time(TimeRange { from: None, until });
    let filter = request.filter.clone().and(FilterField::Timestamp, earlier);
    let asked = RecurrenceRequest::new(&member.entry_id, NAMED).with_filter(filter);
    Ok(context.recurrence(&asked).await?.events)
}

fn line(id: &str, events: &[SimilarEvent]) -> String {
    let event = |event: &SimilarEvent| {
        let (percent, why) = (event.probability * 100.0, event.why.join("; "));
        format!("[#{}] ({percent:.0} %: {why})", event.entry_id)
    };
    let events: Vec<String> = events.iter().map(event).collect();
    format!("- [#{id}] is like {}", events.join(", "))
}
