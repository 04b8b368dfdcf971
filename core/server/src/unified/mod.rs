//! Unified search: `/v1/search/…` over the pipeline `unified`.
//!
//! The pipeline plans, searches, groups and answers, and remembers nothing.
//! What is remembered between requests is here, in memory and bounded: the
//! entities of a session, how often a tenant asked a chat model today, the
//! questions of a user, and what the quality metrics count. Everything is kept
//! by tenant, under keys that are hashes.

mod analytics;
mod body;
mod history;
mod keys;
mod quality;
mod query;
mod quota;
mod rebuild;
mod reply;
mod sessions;
mod settings;
mod state;
mod suggestions;
mod synthesize;
mod telemetry;

pub(crate) use state::UnifiedState;

use crate::routes::Routes;

/// The pipeline that answers.
const PIPELINE: &str = "unified";

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Unified search";
    const SEARCH: &[u16] = &[400, 415, 422, 503, 504];
    const STATUSES: &[u16] = &[400, 415, 422, 503];
    let about = (TAG, "One question over every domain", SEARCH);
    routes.post::<body::QueryBody, reply::QueryReply, _, _>(
        "/v1/search/query",
        about,
        query::query,
    );
    let about = (
        TAG,
        "The same, as events: the answer without a model first, then a model's words",
        STATUSES,
    );
    routes.post_stream::<body::QueryBody, _, _>("/v1/search/synthesize", about, synthesize::stream);
    let about = (TAG, "Which suggested questions would be answered", SEARCH);
    routes.post::<suggestions::SuggestionsBody, suggestions::SuggestionsReply, _, _>(
        "/v1/search/suggestions/evaluate",
        about,
        suggestions::evaluate,
    );
    let about = (TAG, "Questions of the caller that found something", &[][..]);
    routes.get::<(), history::HistoryReply, _, _>("/v1/search/history", about, history::list);
    let about = (TAG, "Forgets the caller's questions", &[415, 422][..]);
    routes.post::<history::ClearBody, history::HistoryReply, _, _>(
        "/v1/search/history/clear",
        about,
        history::clear,
    );
    let about = (
        TAG,
        "Tells what a user did with results",
        &[400, 415, 422][..],
    );
    routes.post::<analytics::AnalyticsBody, analytics::AnalyticsReply, _, _>(
        "/v1/search/analytics",
        about,
        analytics::record,
    );
    let about = (TAG, "How often questions were answered", &[][..]);
    routes.get::<(), quality::Metrics, _, _>("/v1/search/quality/metrics", about, quality::metrics);
    let about = (TAG, "What the metrics say is wrong", &[][..]);
    routes.get::<(), quality::AlertsReply, _, _>(
        "/v1/search/quality/alerts",
        about,
        quality::alerts,
    );
    let about = (
        TAG,
        "Rebuilds the indexes from the records",
        &[409, 415, 422, 503][..],
    );
    routes.post::<rebuild::RebuildBody, rebuild::RebuildReply, _, _>(
        "/v1/search/index/rebuild",
        about,
        rebuild::start,
    );
    let about = (TAG, "How far the rebuild of the indexes is", &[503][..]);
    routes.get::<(), rebuild::RebuildReply, _, _>(
        "/v1/search/index/rebuild",
        about,
        rebuild::progress,
    );
}
