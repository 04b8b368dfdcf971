//! `/api/searches`: saved searches of the caller, and the entries that they
//! found.

mod events;

use std::collections::BTreeMap;

use axum::Json;
use gannet_core::config::{MatchBy, SavedSearchConfig};
use gannet_core::{Gannet, HostError, NewSearch, SavedSearch, SearchMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ariel::{EntryReply, Presenter};
use crate::auth::Caller;
use crate::extract::{JsonBody, PathOf, QueryOf};
use crate::problem::Problem;
use crate::routes::Routes;
use crate::state::App;

/// Entries whose matches are listed at a time.
const MOST_ENTRIES: usize = 100;

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Saved searches";
    let about = (TAG, "The saved searches of the caller", &[503][..]);
    routes.get::<(), SearchesReply, _, _>("/api/searches", about, list);
    let about = (TAG, "Saves a search", &[400, 415, 422, 503][..]);
    routes.post::<SearchCreate, SearchReply, _, _>("/api/searches", about, create);
    let about = (TAG, "Deletes a saved search of the caller", &[404, 503][..]);
    routes.delete::<SearchDeleted, _, _>("/api/searches/{search_id}", about, delete);
    let about = (
        TAG,
        "Entries that saved searches found",
        &[400, 422, 503][..],
    );
    routes.get::<AfterQuery, MatchesReply, _, _>("/api/searches/matches", about, matches);
    let about = (
        TAG,
        "Entries that saved searches find, as they come (Server-Sent Events)",
        &[400, 422, 503][..],
    );
    routes.get_stream::<AfterQuery, _, _>("/api/searches/events", about, events::stream);
}

/// A search that is to be saved.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SavedSearchCreateRequest")]
pub(crate) struct SearchCreate {
    /// Its name; the query or else the filters when missing.
    #[serde(default)]
    name: String,
    /// The query, in the query language; it may be empty where there is a
    /// filter.
    #[serde(default)]
    query: String,
    /// Only entries with these values, by the names of fields.
    #[serde(default)]
    filters: BTreeMap<String, String>,
    /// What an entry has in common with the query: `keyword`, `meaning` or
    /// `either`.
    #[serde(default)]
    by: MatchBy,
    /// The least cosine similarity of a match by meaning, 0 to 1.
    #[serde(default = "min_similarity")]
    min_similarity: f32,
    /// Deliveries of the configuration that are open to users.
    #[serde(default)]
    deliver_to: Vec<String>,
}

fn min_similarity() -> f32 {
    SavedSearchConfig::MIN_SIMILARITY
}

/// A saved search.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearch")]
pub(crate) struct SearchReply {
    /// Its id.
    search_id: String,
    /// Its name.
    name: String,
    /// The query.
    query: String,
    /// Only entries with these values.
    filters: BTreeMap<String, String>,
    /// `keyword`, `meaning` or `either`.
    by: MatchBy,
    /// The least cosine similarity of a match by meaning.
    min_similarity: f32,
    /// Where matches are delivered.
    deliver_to: Vec<String>,
    /// When it was saved; null for one of the configuration.
    created_at: Option<String>,
    /// Whether it is one of the configuration, which cannot be deleted here.
    configured: bool,
}

/// Saved searches.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearches")]
pub(crate) struct SearchesReply {
    /// Those of the configuration and those of the caller.
    searches: Vec<SearchReply>,
    /// Deliveries that are open to searches of users.
    deliveries: Vec<String>,
    /// Whether searches can match by meaning.
    has_meaning: bool,
}

/// A search was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearchDeleted")]
pub(crate) struct SearchDeleted {
    /// Its id.
    search_id: String,
}

/// From where on.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AfterQuery {
    /// Only entries that came after the one with this `number`. A stream
    /// begins with what comes when missing, a list with the oldest match.
    after: Option<i64>,
}

/// Entries that saved searches found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearchMatches")]
struct MatchesReply {
    /// In the order in which the entries came; those of 100 entries at most.
    matches: Vec<MatchReply>,
    /// The value of `after` for the next request.
    next: i64,
}

/// An entry that a saved search found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearchMatch")]
struct MatchReply {
    /// The number of the entry among all that came; it grows.
    number: i64,
    /// The search.
    search_id: String,
    /// The name of the search.
    search_name: String,
    /// The entry.
    entry: EntryReply,
    /// Whether it has the words of the query.
    keyword: bool,
    /// The cosine similarity of its best passage, where that made a match.
    similarity: Option<f32>,
    /// Fragments of its text with the words of the query, `<mark>` around them.
    highlights: Vec<FragmentReply>,
    /// When it was found.
    matched_at: String,
}

/// A fragment of a text.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SavedSearchFragment")]
struct FragmentReply {
    /// The fragment.
    text: String,
    /// Where words match in it: from and to, in bytes.
    ranges: Vec<[usize; 2]>,
}

/// The searches that a caller sees.
///
/// # Errors
/// [`HostError::Store`].
pub(crate) async fn list_of(gannet: &Gannet, caller: &Caller) -> Result<SearchesReply, HostError> {
    let searches = gannet.saved_searches(&caller.tenant, Some(&caller.name));
    let searches = searches.await?.into_iter();
    let presenter = Presenter::new(gannet);
    let deliveries = gannet.config().deliveries.iter();
    let open =
        deliveries.filter(|(_, one)| one.enabled && one.for_users && one.tenant == caller.tenant);
    Ok(SearchesReply {
        searches: searches.map(|search| reply(search, &presenter)).collect(),
        deliveries: open.map(|(name, _)| name.clone()).collect(),
        has_meaning: gannet.has_embedder(),
    })
}

/// Saves a search of a caller.
///
/// # Errors
/// As [`Gannet::save_search`].
pub(crate) async fn save(
    gannet: &Gannet,
    caller: &Caller,
    wanted: SearchCreate,
) -> Result<SearchReply, HostError> {
    let new = NewSearch {
        name: wanted.name,
        owner: caller.name.clone(),
        query: wanted.query,
        filter: wanted.filters,
        by: wanted.by,
        min_similarity: wanted.min_similarity,
        deliver_to: wanted.deliver_to,
    };
    let search = gannet.save_search(&caller.tenant, new).await?;
    Ok(reply(search, &Presenter::new(gannet)))
}

/// Deletes a search of a caller; `None` where the caller has no such search.
///
/// # Errors
/// [`HostError::Store`].
pub(crate) async fn delete_of(
    gannet: &Gannet,
    caller: &Caller,
    search_id: &str,
) -> Result<Option<SearchDeleted>, HostError> {
    let deleted = gannet.delete_search(&caller.tenant, Some(&caller.name), search_id);
    Ok(deleted.await?.then(|| SearchDeleted {
        search_id: search_id.to_owned(),
    }))
}

/// `GET /api/searches`.
async fn list(app: App) -> Result<Json<SearchesReply>, Problem> {
    let (gannet, caller) = (app.gannet.clone(), app.caller().clone());
    let listed = app.compute(async move { list_of(&gannet, &caller).await });
    Ok(Json(listed.await?))
}

/// `POST /api/searches`.
async fn create(
    app: App,
    JsonBody(body): JsonBody<SearchCreate>,
) -> Result<Json<SearchReply>, Problem> {
    let (gannet, caller) = (app.gannet.clone(), app.caller().clone());
    let saved = app.compute(async move { save(&gannet, &caller, body).await });
    Ok(Json(saved.await?))
}

/// `DELETE /api/searches/{search_id}`.
async fn delete(
    app: App,
    PathOf(search_id): PathOf<String>,
) -> Result<Json<SearchDeleted>, Problem> {
    let (gannet, caller) = (app.gannet.clone(), app.caller().clone());
    let id = search_id.clone();
    let deleted = app.compute(async move { delete_of(&gannet, &caller, &id).await });
    let unknown = || Problem::not_found(format!("Saved search {search_id} not found"));
    deleted.await?.map(Json).ok_or_else(unknown)
}

/// `GET /api/searches/matches`.
async fn matches(
    app: App,
    QueryOf(query): QueryOf<AfterQuery>,
) -> Result<Json<MatchesReply>, Problem> {
    let (matches, next) = found(&app, query.after.unwrap_or_default()).await?;
    Ok(Json(MatchesReply { matches, next }))
}

/// The matches after a number that the caller sees, and the number that they
/// reach.
async fn found(app: &App, after: i64) -> Result<(Vec<MatchReply>, i64), Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let owner = app.caller().name.clone();
    let found = async move {
        let whose = (tenant.as_str(), Some(owner.as_str()));
        gannet.search_matches(whose, (after, MOST_ENTRIES)).await
    };
    let (matches, next) = app.compute(found).await?;
    let presenter = Presenter::new(&app.gannet);
    let matches = matches.into_iter().map(|one| match_reply(one, &presenter));
    Ok((matches.collect(), next))
}

fn match_reply(found: SearchMatch, presenter: &Presenter<'_>) -> MatchReply {
    let fragments = found.highlights.into_iter().map(|fragment| FragmentReply {
        text: fragment.text,
        ranges: fragment
            .ranges
            .iter()
            .map(|(start, end)| [*start, *end])
            .collect(),
    });
    MatchReply {
        number: found.number,
        search_id: found.search,
        search_name: found.search_name,
        keyword: found.keyword,
        similarity: found.similarity,
        highlights: fragments.collect(),
        matched_at: presenter.time(found.matched_at),
        entry: presenter.entry(found.entry),
    }
}

fn reply(search: SavedSearch, presenter: &Presenter<'_>) -> SearchReply {
    SearchReply {
        search_id: search.id,
        name: search.name,
        query: search.query,
        filters: search.filter,
        by: search.by,
        min_similarity: search.min_similarity,
        deliver_to: search.deliver_to,
        created_at: search.created_at.map(|time| presenter.time(time)),
        configured: search.owner.is_none(),
    }
}
