//! The saved searches of the caller, and the entries that they found.

use gannet_core::SearchMatch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::{EntryView, EntryViews};
use super::failure::ToolFailure;
use super::server::Call;
use crate::saved_searches::{self, SearchCreate, SearchDeleted, SearchReply, SearchesReply};

pub(super) const LIST: &str = "saved_searches";
pub(super) const LIST_DESCRIPTION: &str = "\
Lists the saved searches of this caller and those of the configuration: queries that new entries \
are matched against as they come.";
pub(super) const CREATE: &str = "saved_search_create";
pub(super) const CREATE_DESCRIPTION: &str = "\
Saves a search: entries that come from now on are matched against it. Use it when the operator \
wants to be told of new entries; `saved_search_matches` lists them.";
pub(super) const DELETE: &str = "saved_search_delete";
pub(super) const DELETE_DESCRIPTION: &str = "\
Deletes a saved search of this caller. Those of the configuration are not deleted.";
pub(super) const MATCHES: &str = "saved_search_matches";
pub(super) const MATCHES_DESCRIPTION: &str = "\
Lists the entries of the last 30 days that saved searches found, in the order in which they came. \
Pass `next` of a result as `after` to get what came since.";

/// Entries whose matches are listed at a time.
const MOST_ENTRIES: usize = 50;
/// Characters of the text of an entry.
const TEXT_CHARS: usize = 500;

/// Which search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteArguments {
    /// Id of the search, as `saved_searches` lists it.
    search_id: String,
}

/// From where on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MatchesArguments {
    /// `next` of an earlier result; 0 for all.
    #[serde(default)]
    after: i64,
}

/// Entries that saved searches found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MatchesReply {
    /// In the order in which the entries came; those of 50 entries at most.
    matches: Vec<Match>,
    /// The value of `after` for the next call.
    next: i64,
}

/// An entry that a saved search found.
#[derive(Debug, Serialize, JsonSchema)]
struct Match {
    /// Id of the search.
    search_id: String,
    /// The name of the search.
    search_name: String,
    /// The entry.
    entry: EntryView,
    /// Whether it has the words of the query.
    keyword: bool,
    /// The cosine similarity of its best passage, where that made a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f32>,
    /// Fragments of the text with words of the query.
    highlights: Vec<String>,
    /// When it was found.
    matched_at: String,
}

/// Lists the searches.
///
/// # Errors
/// A [`ToolFailure`] for a store that cannot be read.
pub(super) async fn list(call: &Call<'_>) -> Result<SearchesReply, ToolFailure> {
    Ok(saved_searches::list_of(call.gannet, &call.caller).await?)
}

/// Saves a search.
///
/// # Errors
/// A [`ToolFailure`] with what is wrong with it, or where there are too many.
pub(super) async fn create(call: &Call<'_>, given: Value) -> Result<SearchReply, ToolFailure> {
    let wanted: SearchCreate = arguments::read(given)?;
    Ok(saved_searches::save(call.gannet, &call.caller, wanted).await?)
}

/// Deletes a search.
///
/// # Errors
/// A [`ToolFailure`]: the caller has no such search.
pub(super) async fn delete(call: &Call<'_>, given: Value) -> Result<SearchDeleted, ToolFailure> {
    let DeleteArguments { search_id } = arguments::read(given)?;
    let deleted = saved_searches::delete_of(call.gannet, &call.caller, &search_id).await?;
    deleted.ok_or_else(|| {
        ToolFailure::not_found(format!("you have no saved search `{search_id}`"))
            .suggest("use an id as `saved_searches` lists it; those with `configured` stay")
    })
}

/// Lists what was found.
///
/// # Errors
/// A [`ToolFailure`] for a store that cannot be read.
pub(super) async fn matches(call: &Call<'_>, given: Value) -> Result<MatchesReply, ToolFailure> {
    let MatchesArguments { after } = arguments::read(given)?;
    let whose = (call.caller.tenant.as_str(), Some(call.caller.name.as_str()));
    let found = call.gannet.search_matches(whose, (after, MOST_ENTRIES));
    let (matches, next) = found.await?;
    Ok(MatchesReply {
        matches: matches
            .into_iter()
            .map(|found| shown(found, call.views))
            .collect(),
        next,
    })
}

fn shown(found: SearchMatch, views: &EntryViews) -> Match {
    Match {
        entry: views.view(&found.entry, TEXT_CHARS),
        search_id: found.search,
        search_name: found.search_name,
        keyword: found.keyword,
        similarity: found.similarity,
        highlights: found.highlights.into_iter().map(|one| one.text).collect(),
        matched_at: views.time(found.matched_at),
    }
}
