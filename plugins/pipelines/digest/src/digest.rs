//! The plugin: what it is, and how an instance of it is asked.

use gannet_plugin::filter::FilterField;
use gannet_plugin::pipeline::AnswerStatus;
use gannet_plugin::plan::SetMembers;
use gannet_plugin::prelude::{
    Answer, Context, Descriptor, Diagnostic, Entry, Error, Example, Pipeline, PipelineRequest,
    Result, Setup,
};
use gannet_stages::hits_of_members;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde_json::json;

use crate::item::Item;
use crate::left_out::{left_out, left_out_line, of_shown};
use crate::page::{Page, minute, with_offset};
use crate::reading::read;
use crate::settings::DigestSettings;
use crate::severity::Severity;
use crate::window::Window;

/// What an agent reads of the pipeline.
const FOR_AGENTS: &str = "Says what happened in a span of time: what changed state, what is open, \
and what waits for whom, in quoted sentences on one page.

Usage:
- The query is a time in words: last shift, last 24 hours, yesterday, March 2025; it may name a \
system or a topic beside it.
- `by` is a field that sentences are grouped by, such as `system` or `author`.
- Every sentence cites its entry, as [#id]. Routine entries are counted, not listed.
- Cite an entry that you use as its source, by its id as [#id].";

fn example() -> Example {
    let entry = |id: &str, time: &str, text: &str| {
        Entry::new(id, "shift log", time.parse().unwrap_or_default(), text)
    };
    Example::new(
        "says what failed and what waits, and counts the rest",
        "last shift",
    )
    .with_entries([
        entry(
            "E-01",
            "2024-01-05T08:30:00Z",
            "CAV1 tripped on reflected power.",
        ),
        entry("E-02", "2024-01-05T09:00:00Z", "Quiet, 300 mA."),
        entry(
            "E-03",
            "2024-01-05T10:00:00Z",
            "Flange at SR07: awaiting the vacuum group.",
        ),
    ])
    .finds(["E-01", "E-03"])
}

/// Says what happened in a span of time.
pub struct Digests {
    settings: DigestSettings,
    setup: Setup,
}

impl Pipeline for Digests {
    const NAME: &'static str = "digest";

    type Settings = DigestSettings;

    fn descriptor() -> Descriptor {
        Descriptor::pipeline(
            Self::NAME,
            "Digest",
            "Says what happened in a span of time: what changed state, what is open, and what waits \
             for whom, in quoted sentences. Routine entries are counted.",
        )
        .for_agents(FOR_AGENTS)
        .with_example(example())
    }

    fn new(settings: DigestSettings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            settings,
            setup: setup.clone(),
        })
    }

    async fn run(&self, request: PipelineRequest, context: &Context) -> Result<Answer> {
        let settings = request.settings(&self.settings)?;
        let zone = self.zone(&settings)?;
        let window = Window::of(&request, &settings.time, context).await?;
        let mut members = match window.members(settings.max_entries, context).await {
            Ok(members) => members,
            Err(error) if error.is_missing_service() => {
                let message = format!("no entries are listed: {error}");
                context.diagnose(Diagnostic::warning(Self::NAME, message));
                return Ok(Answer::default().with_degraded(true));
            }
            Err(error) => return Err(error),
        };
        let ids = members.members.iter().map(|one| one.entry_id.clone());
        let mut entries = context.entries(ids.collect()).await?;
        let found = entries.len();
        entries.retain(|entry| !entry.is_delivered());
        members.count -= (found - entries.len()) as u64;
        let by = settings
            .by
            .as_deref()
            .map(str::trim)
            .filter(|by| !by.is_empty());
        let by = by.map(FilterField::from_name);
        let instead = match members.count {
            0 => self.instead(&window, context).await?,
            _ => Instead::default(),
        };
        let found = Found {
            instead,
            window,
            zone,
            members,
            entries,
            by,
        };
        found.diagnose(context);
        let severity = Severity::of(&found.entries, &settings.severity, context).await?;
        Ok(answer_of(&found, &severity, (&settings, request.limit)))
    }
}

/// What a digest is made of.
struct Found {
    window: Window,
    /// In which its times are written.
    zone: TimeZone,
    members: SetMembers,
    /// The entries that were read.
    entries: Vec<Entry>,
    by: Option<FilterField>,
    /// Where there are no members: what there is instead.
    instead: Instead,
}

/// What there is where a time or a topic has no entries.
#[derive(Default)]
struct Instead {
    /// Entries of the time about anything.
    about_anything: u64,
    /// The newest entry of any time.
    newest: Option<Entry>,
}

/// Entries that are looked at for the newest one that delivers no message.
const NEWEST: usize = 100;

impl Digests {
    /// The time zone of a digest.
    fn zone(&self, settings: &DigestSettings) -> Result<TimeZone> {
        let name = settings.timezone.as_deref().unwrap_or_default().trim();
        if name.is_empty() {
            return self.setup.zone();
        }
        let zone = TimeZone::get(name);
        zone.map_err(|error| Error::invalid_input(format!("`timezone`: {error}")))
    }

    async fn instead(&self, window: &Window, context: &Context) -> Result<Instead> {
        let about_anything = match window.topic().is_empty() {
            true => 0,
            false => window.without_topic().members(1, context).await?.count,
        };
        let newest = window.of_any_time().members(NEWEST, context).await?.members;
        let ids = newest.into_iter().map(|one| one.entry_id).collect();
        let entries = context.entries(ids).await?.into_iter();
        let newest = entries.filter(|entry| !entry.is_delivered());
        Ok(Instead {
            about_anything,
            newest: newest.max_by_key(|entry| entry.timestamp),
        })
    }
}

fn answer_of(
    found: &Found,
    severity: &Severity,
    (settings, limit): (&DigestSettings, usize),
) -> Answer {
    let by = found.by.as_ref();
    let read = read(&found.entries, severity, &found.zone);
    let items: Vec<Item> = read.iter().flat_map(|one| one.items(by)).collect();
    let page = Page::of(items.clone(), settings.max_chars);
    let shown: Vec<&Item> = page.items().collect();
    let left_out = left_out(&read, &items, &shown, (&found.window, by));
    let more = of_shown(&page.left_out, &shown);
    let last = left_out_line(&left_out, more).map(|line| format!("\n{line}"));
    let text = format!(
        "{}\n{}{}",
        found.heading(),
        page.text(),
        last.unwrap_or_default()
    );
    let mut cited: Vec<String> = Vec::new();
    for item in &shown {
        if !cited.contains(&item.entry_id) {
            cited.push(item.entry_id.clone());
        }
    }
    let details = json!({
        "timezone": found.zone_name(),
        "from": found.window.from.map(|from| with_offset(&found.local(from))),
        "until": found.window.until.map(|until| with_offset(&found.local(until))),
        "by": found.by.as_ref().map(FilterField::query_name),
        "count": found.members.count,
        "read": found.entries.len(),
        "sections": page.parts,
        "not_listed": left_out,
        "sentences_left_out": page.left_out.len(),
        "filter": found.window.query(None),
    });
    let of = |id: &String| found.entries.iter().find(|entry| entry.entry_id == *id);
    let entries: Vec<Entry> = cited.iter().filter_map(of).take(limit).cloned().collect();
    // Entries that are only counted answer nothing and fail to answer nothing.
    let status = (!shown.is_empty()).then_some(AnswerStatus::Grounded);
    Answer::new(hits_of_members(&entries))
        .with_answer(text.trim_end().to_owned())
        .with_answer_status(status)
        .with_sources(cited.clone())
        .with_citations(cited)
        .with_reasoning(format!(
            "{} of {} entries were read; {} sentences are quoted.",
            found.entries.len(),
            found.members.count,
            shown.len()
        ))
        .with_extension(Digests::NAME, details)
}

impl Found {
    /// A time in the zone of the digest.
    fn local(&self, time: Timestamp) -> Zoned {
        time.to_zoned(self.zone.clone())
    }

    fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// The time and how many entries there are.
    fn heading(&self) -> String {
        let at = |time| minute(&self.local(time));
        let time = match (self.window.from, self.window.until) {
            (Some(from), Some(until)) => format!("{} to {}", at(from), at(until)),
            (Some(from), None) => format!("Since {}", at(from)),
            (None, Some(until)) => format!("Before {}", at(until)),
            (None, None) => "All times".to_owned(),
        };
        let time = format!("{time} ({})", self.zone_name());
        let entries = match self.members.count {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        if self.members.count == 0 {
            return format!("{time}: {}", self.nothing());
        }
        match self.entries.len() as u64 {
            read if read < self.members.count => {
                format!("{time}: {entries}, of which the newest {read} were read.")
            }
            _ => format!("{time}: {entries}."),
        }
    }

    /// What is said of a time or a topic without entries.
    fn nothing(&self) -> String {
        let topic = self.window.topic().join(" ");
        let mut text = match (topic.is_empty(), self.instead.about_anything) {
            (true, _) => "0 entries.".to_owned(),
            (false, 0) => format!("0 entries, about \"{topic}\" or anything else."),
            (false, 1) => format!("0 entries about \"{topic}\"; 1 entry in all."),
            (false, all) => format!("0 entries about \"{topic}\"; {all} entries in all."),
        };
        if let Some(newest) = &self.instead.newest {
            // It is not of the time that was asked for, and so is no citation.
            let (id, time) = (&newest.entry_id, minute(&self.local(newest.timestamp)));
            let of_filter = match self.window.is_of_all() {
                true => "",
                false => " that the filter lets through",
            };
            text.push_str(&format!(
                " The newest entry{of_filter}, {id}, is of {time}."
            ));
        }
        text
    }

    fn diagnose(&self, context: &Context) {
        let Some(by) = &self.by else { return };
        let has_value = |entry: &Entry| !by.values_of(entry).is_empty();
        if !self.entries.is_empty() && !self.entries.iter().any(has_value) {
            let message = format!("no entry of this time has the field `{}`", by.query_name());
            context.diagnose(Diagnostic::warning(Digests::NAME, message).category("by"));
        }
    }
}
