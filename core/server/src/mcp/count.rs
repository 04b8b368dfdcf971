//! `count_entries`: how many entries there are, by the store's own count.

use std::collections::BTreeMap;

use gannet_core::api::{
    FilterClause, GroupBy, SetGroup, SetMeasure, SetMember, SetMembers, SetOperation, SetQuery,
    TimeRange,
};
use gannet_core::{EntryCount, EntryCountInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::EntryViews;
use super::failure::ToolFailure;
use super::server::Call;
use crate::auth::AuditEvent;
use crate::filters;

pub(super) const NAME: &str = "count_entries";
pub(super) const DESCRIPTION: &str = "\
Counts entries in the store instead of guessing from search results: how many there are, by day, month, \
year or field, and which are the first or last. Give a question in plain words (\"how many alerts \
at Alder since 2005\"), or filters and dates, or both. `query` in the result finds the counted \
entries with `keyword_search`.";

/// Entries of a list that are named, the newest.
const LISTED: usize = 50;
/// Spans of time that entries are not counted by.
const OTHER_SPANS: [&str; 5] = ["hour", "week", "weekday", "quarter", "decade"];

/// What is counted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CountArguments {
    /// A question about a set of entries in plain words, such as "unusual
    /// events per year". Without one, every entry that passes the filters is
    /// counted.
    question: Option<String>,
    /// Only entries with these values: `author` (contains), `source`,
    /// `logbook`, `tag`, `shift`, `kind` or a metadata key. `a|b` is any of
    /// them.
    #[serde(default)]
    filters: BTreeMap<String, String>,
    /// Only entries on or after this date or time, RFC 3339 or YYYY-MM-DD.
    start_date: Option<String>,
    /// Only entries on or before this date or time.
    end_date: Option<String>,
    /// Count by `day`, `month`, `year`, `author`, `source`, `kind`, `logbook`, `tag`,
    /// `shift` or a metadata key; in place of what the question says.
    group_by: Option<String>,
}

/// What was counted.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CountReply {
    /// What was read in the question and the filters.
    plan: CountPlan,
    /// How many entries there are.
    count: u64,
    /// Whether the conditions alone decide which entries are counted, and none
    /// of them is a guess.
    is_exact: bool,
    /// The entries by what they are counted by: times in their order, values
    /// with the most entries first, 400 at most. An entry may have several
    /// values.
    groups: Vec<Group>,
    /// The first or last entries, or the newest 50 of a list, as the question
    /// asks.
    entries: Vec<Member>,
    /// What to know about the count.
    notes: Vec<String>,
}

/// What was read in the question and the filters.
#[derive(Debug, Serialize, JsonSchema)]
struct CountPlan {
    /// `count`, `list`, `first`, `last` or `rate`.
    operation: String,
    /// Conditions on fields, in the query language. All hold.
    conditions: Vec<String>,
    /// The times: an entry is of any of them. None means any time.
    times: Vec<Time>,
    /// Words of what the entries are about.
    topic: Vec<String>,
    /// `day`, `month`, `year` or a field.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_by: Option<String>,
    /// A query for `keyword_search` that finds the counted entries; missing
    /// with a topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
}

/// A span of time.
#[derive(Debug, Serialize, JsonSchema)]
struct Time {
    /// First instant inside; any earlier time if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// First instant after it; any later time if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

/// Entries of a day, a month, a year or a value.
#[derive(Debug, Serialize, JsonSchema)]
struct Group {
    /// `2025-03`, `2025` or the value; `(none)` for entries without one.
    value: String,
    /// How many entries.
    count: u64,
    /// A query for `keyword_search` that finds them; missing with a topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
}

/// One of the entries.
#[derive(Debug, Serialize, JsonSchema)]
struct Member {
    /// Id of the entry; cite it as `[#id]`.
    entry_id: String,
    /// When it was logged: RFC 3339 in the facility's time zone.
    timestamp: String,
}

/// Counts.
///
/// # Errors
/// A [`ToolFailure`] for dates that cannot be used, for a question that asks of
/// no set of entries, and for a store that cannot be read.
pub(super) async fn call(call: &Call<'_>, given: Value) -> Result<CountReply, ToolFailure> {
    let wanted: CountArguments = arguments::read(given)?;
    let group_by = wanted.group_by.as_deref().map(group_by).transpose()?;
    let dates = [
        ("start_date", wanted.start_date),
        ("end_date", wanted.end_date),
    ];
    let mut named = filters::given(dates);
    named.extend(wanted.filters);
    let question = wanted.question.unwrap_or_default();
    let tenant = &call.caller.tenant;
    let event = AuditEvent::Query {
        mode: NAME,
        query: &question,
    };
    call.backend.audit.note(&call.caller.name, &event).await;
    let input = EntryCountInput {
        question,
        filter: call.gannet.filter(&named)?,
        group_by,
        listed: LISTED,
    };
    let counted = call.gannet.entry_count(tenant, input).await?;
    let counted = counted.ok_or_else(no_set)?;
    let mut notes = notes_of(&counted);
    if counted.members.count == 0 {
        let why = call.gannet.why_no_entries(tenant, &counted.set.filter);
        notes.extend(why.await?.into_iter().map(|note| note.message));
    }
    Ok(reply(counted, notes, call.views))
}

/// What a name means: a span of time is no field.
fn group_by(name: &str) -> Result<GroupBy, ToolFailure> {
    if OTHER_SPANS.contains(&name.to_lowercase().as_str()) {
        let message = format!("`group_by`: entries are not counted by {name}");
        return Err(ToolFailure::validation(message)
            .suggest("use `day`, `month` or `year`")
            .suggest(format!("a field of that name is `meta.{name}`")));
    }
    Ok(GroupBy::from_name(name))
}

fn no_set() -> ToolFailure {
    ToolFailure::validation(
        "the question does not ask for a number, a list, the first or the last of entries",
    )
    .suggest("use a search tool, such as `rag`, for other questions")
    .suggest("name the entries that are counted: \"how many reports of …\", or use `filters`")
}

fn notes_of(counted: &EntryCount) -> Vec<String> {
    let (set, members) = (&counted.set, &counted.members);
    let mut notes = counted.plan.notes.clone();
    if set.is_assumed {
        notes.push("a condition is a guess: check `plan`".to_owned());
    }
    notes.extend(measured(set, members));
    if !set.is_exact() {
        let words = set.topic.join(" ");
        notes.push(format!(
            "the entries that are probably about `{words}` were counted; others may say it in \
             other words"
        ));
    }
    if let Some(certainty) = &members.certainty {
        notes.push(format!(
            "{} of {} are certain; the probability that exactly these are meant is {:.2}",
            certainty.certain, members.count, certainty.confidence
        ));
    }
    let of_searches = members.diagnostics.iter();
    notes.extend(of_searches.map(|note| note.message.clone()));
    let of_groups: u64 = members.groups.iter().map(|group| group.count).sum();
    if of_groups > members.count {
        notes.push("an entry may be in several groups".to_owned());
    }
    if members.left_out == 0 && !members.groups.is_empty() && of_groups < members.count {
        notes.push("the groups are the most frequent values".to_owned());
    }
    if let [only] = members.groups.as_slice()
        && only.value == SetGroup::NO_VALUE
        && let Some(field) = &set.group_by
    {
        let name = field.name();
        notes.push(format!("no counted entry has a value of `{name}`"));
    }
    notes
}

/// The number that is computed from the groups: `count` is of entries.
fn measured(set: &SetQuery, members: &SetMembers) -> Option<String> {
    let (measure, by) = (set.measure?, set.group_by.as_ref()?);
    let number = measure.number(members.count, &members.groups, members.left_out)?;
    let by = by.name();
    Some(match measure {
        SetMeasure::Values => format!("the counted entries have {number} values of `{by}`"),
        _ => format!("the mean is {number:.2} entries a {by}, over the groups"),
    })
}

fn reply(counted: EntryCount, notes: Vec<String>, views: &EntryViews) -> CountReply {
    let EntryCount { set, members, .. } = counted;
    let entries = members.members.iter();
    let groups = members.groups.into_iter();
    CountReply {
        count: members.count,
        is_exact: set.is_exact() && !set.is_assumed,
        groups: groups.map(|group| group_of(group, &set)).collect(),
        entries: entries.map(|member| shown(member, views)).collect(),
        plan: plan_of(&set, views),
        notes,
    }
}

fn plan_of(set: &SetQuery, views: &EntryViews) -> CountPlan {
    let time = |range: &TimeRange| Time {
        from: range.from.map(|from| views.time(from)),
        until: range.until.map(|until| views.time(until)),
    };
    let conditions = set.filter.clauses.iter().map(FilterClause::to_string);
    let excluded = set.excluded.iter().map(|clause| format!("NOT {clause}"));
    CountPlan {
        operation: SetOperation::name(set.operation).to_owned(),
        conditions: conditions.chain(excluded).collect(),
        times: set.times.iter().map(time).collect(),
        topic: set.topic.clone(),
        group_by: set.group_by.as_ref().map(GroupBy::name),
        query: set.row_query(None).filter(|query| !query.is_empty()),
    }
}

fn group_of(group: SetGroup, set: &SetQuery) -> Group {
    Group {
        query: set.row_query(Some(&group.value)),
        value: group.value,
        count: group.count,
    }
}

fn shown(member: &SetMember, views: &EntryViews) -> Member {
    Member {
        entry_id: member.entry_id.clone(),
        timestamp: views.time(member.timestamp),
    }
}
