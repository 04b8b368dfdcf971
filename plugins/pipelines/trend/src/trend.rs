//! The plugin: what it is, and how an instance of it is asked.

use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Diagnostic, Entry, Example, Pipeline, PipelineRequest, Result,
    Setup,
};
use gannet_stages::hits_of_members;
use jiff::tz::TimeZone;

use crate::chart::svg;
use crate::counting::{Counted, Counting};
use crate::coverage::{coverage, observed};
use crate::details::Trend;
use crate::period::periods;
use crate::question::Question;
use crate::settings::TrendSettings;
use crate::text::{rows, summary};

/// What an agent reads of the pipeline.
const FOR_AGENTS: &str = "Counts entries over time: how many there are in each day, week, month or \
year, where their rate changes, and the mean time between them with its 95 % interval.

Usage:
- The query names a set of entries: \"scrams\", \"reports about leaks at Surry since 2005\", \
\"trips per week\".
- `by` is a field whose values are counted too, such as `system` or `author`; `unit` is the period. \
Without them, the query may name both: \"trips by system per month\".
- A change point is significant: with a constant rate, at most 5 % of totals have one. Other differences \
between the counts may be chance.
- Cite an entry that you use as its source, by its id as [#id].";

fn example() -> Example {
    let entry = |id: &str, time: &str| {
        let time = time.parse().unwrap_or_default();
        Entry::new(id, "shift log", time, "CAV1 tripped on reflected power.")
    };
    Example::new("counts entries by day", "trips")
        .with_entries([
            entry("E-01", "2024-01-05T08:30:00Z"),
            entry("E-02", "2024-01-07T09:00:00Z"),
        ])
        .finds(["E-01", "E-02"])
}

/// Counts entries over time.
pub struct Trends {
    settings: TrendSettings,
    setup: Setup,
}

impl Pipeline for Trends {
    const NAME: &'static str = "trend";

    type Settings = TrendSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(
            Self::NAME,
            "Trend",
            "Counts entries over time, in all and by the values of a field, with the points where \
             their rate changes and the mean time between them.",
        )
        .for_agents(FOR_AGENTS)
        .with_example(example())
    }

    fn new(settings: TrendSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        match self.counted(&request, context).await {
            Err(error) if error.is_missing_service() => {
                let message = format!("no entries are counted: {error}");
                context.diagnose(Diagnostic::warning(Self::NAME, message));
                Ok(Answer::default().with_degraded(true))
            }
            answer => answer,
        }
    }
}

impl Trends {
    async fn counted(&self, request: &PipelineRequest, context: &Context) -> Result<Answer> {
        let settings = request.settings(&self.settings)?;
        let zone = TimeZone::get(&self.setup.timezone).unwrap_or(TimeZone::UTC);
        let question = Question::of(request, &settings, context).await?;
        let Some(covered) = coverage(&question.logbook(), context).await? else {
            return Ok(nothing("The logbook has no entries."));
        };
        let Some(observed) = observed(covered, &question.set) else {
            let [from, until] =
                [covered.from, covered.until].map(|time| time.to_zoned(zone.clone()).date());
            let text = format!("0 entries. The logbook is of {from} to {until}.");
            return Ok(nothing(&text));
        };
        let (unit, periods) = periods(question.unit, observed, &zone)?;
        let counting = Counting {
            question: &question,
            observed,
            periods: &periods,
            series: settings.series,
            context,
        };
        let counted = counting.run().await?;
        let mut trend = Trend::of(&question, observed, (unit, &periods), &counted);
        trend.svg = settings.svg.then(|| svg(&trend));
        diagnose(&question, &counted, context);
        let (summary, cited) = summary(&trend, &counted, &zone);
        let text = summary.clone() + &rows(&trend);
        trend.summary = summary;
        let shown = counted.newest.iter().take(request.limit);
        let mut ids: Vec<String> = shown.map(|member| member.entry_id.clone()).collect();
        let shown = ids.len();
        ids.extend(
            cited
                .iter()
                .filter(|id| !ids.contains(id))
                .cloned()
                .collect::<Vec<_>>(),
        );
        let entries = context.entries(ids).await?;
        let is_exact = question.set.is_exact() && !question.set.is_assumed;
        let status = match (counted.count, is_exact) {
            (0, _) => None,
            (_, true) => Some(AnswerStatus::Grounded),
            (_, false) => Some(AnswerStatus::Partial),
        };
        let reasoning = format!(
            "Counted {} entries in {} periods.",
            counted.count,
            periods.len()
        );
        let details = serde_json::to_value(&trend).unwrap_or_default();
        Ok(
            Answer::new(hits_of_members(&entries[..entries.len().min(shown)]))
                .with_answer(text)
                .with_answer_status(status)
                .with_sources(cited.clone())
                .with_citations(cited)
                .with_reasoning(reasoning)
                .with_pipeline_details(trend.set_details(&question))
                .with_extension(Self::NAME, details),
        )
    }
}

/// The answer where no time is observed: a trend without periods.
fn nothing(text: &str) -> Answer {
    let trend = Trend {
        summary: text.to_owned(),
        ..Trend::default()
    };
    let details = serde_json::to_value(&trend).unwrap_or_default();
    Answer::default()
        .with_answer(text.to_owned())
        .with_extension(Trends::NAME, details)
}

fn diagnose(question: &Question, counted: &Counted, context: &Context) {
    if !question.set.is_exact() {
        let topic = &question.topic;
        let message = format!("entries that are probably about \"{topic}\" are counted");
        context.diagnose(Diagnostic::info(Trends::NAME, message));
    }
    let Some(by) = &question.by else { return };
    if counted.count > 0 && counted.series.is_empty() {
        let message = format!("no counted entry has the field `{}`", by.query_name());
        context.diagnose(Diagnostic::warning(Trends::NAME, message).category("by"));
    }
}
