//! `POST /api/timeline`: how many matching entries each day, week, month or
//! year has.

use axum::Json;
use gannet_core::api::Matched;
use gannet_core::{TimeUnit, TimelineInput};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ariel::{Presenter, named_filters};
use crate::extract::JsonBody;
use crate::filters;
use crate::problem::Problem;
use crate::state::App;

/// Entries that are counted by time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TimelineRequest")]
pub(crate) struct TimelineBody {
    /// The question; every entry that passes the filters when missing.
    #[serde(default)]
    query: String,
    /// Only entries on or after this day or time.
    #[serde(default)]
    start_date: Option<String>,
    /// Only entries on or before this day or time.
    #[serde(default)]
    end_date: Option<String>,
    /// Only entries with these values, as in `/api/search`.
    #[serde(default)]
    filters: Map<String, Value>,
    /// Whether entries with any word that says what a question asks about are
    /// counted, rather than those with all of its words.
    #[serde(default)]
    count_any_word: bool,
    /// What is counted by; the smallest unit that gives few spans when missing.
    #[serde(default)]
    unit: Option<Unit>,
}

/// A unit of time.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// A day of the facility's time zone.
    Day,
    /// A week from Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// Counts by time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TimelineResponse")]
pub(crate) struct TimelineReply {
    /// The unit of the spans.
    unit: Unit,
    /// `all`: entries with the whole question were counted. `some`: there are
    /// none, and those with some of its words were counted.
    #[schemars(with = "String")]
    matched: Matched,
    /// The spans in the order of time, without gaps, from the first to the
    /// last entry that passes the filters.
    spans: Vec<SpanReply>,
}

/// The entries of a span of time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TimelineSpan")]
struct SpanReply {
    /// The first instant, in the time zone of the facility.
    from: String,
    /// The first instant after it.
    until: String,
    /// Entries in it that match.
    count: u64,
}

/// `POST /api/timeline`.
pub(crate) async fn show(
    app: App,
    JsonBody(body): JsonBody<TimelineBody>,
) -> Result<Json<TimelineReply>, Problem> {
    let named = [("start_date", body.start_date), ("end_date", body.end_date)];
    let mut pairs = filters::given(named);
    pairs.extend(named_filters(&body.filters)?);
    let input = TimelineInput {
        query: body.query,
        filter: app.gannet.filter(&pairs)?,
        any_word: body.count_any_word,
        unit: body.unit.map(TimeUnit::from),
    };
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let timeline = app
        .compute(async move { gannet.timeline(&tenant, input).await })
        .await?;
    let presenter = Presenter::new(&app.gannet);
    let time = |time: Timestamp| presenter.time(time);
    let spans = timeline.spans.iter().map(|span| SpanReply {
        from: time(span.from),
        until: time(span.until),
        count: span.count,
    });
    Ok(Json(TimelineReply {
        unit: timeline.unit.into(),
        matched: timeline.matched,
        spans: spans.collect(),
    }))
}

impl From<Unit> for TimeUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Day => Self::Day,
            Unit::Week => Self::Week,
            Unit::Month => Self::Month,
            Unit::Year => Self::Year,
        }
    }
}

impl From<TimeUnit> for Unit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Day => Self::Day,
            TimeUnit::Week => Self::Week,
            TimeUnit::Month => Self::Month,
            TimeUnit::Year => Self::Year,
        }
    }
}
