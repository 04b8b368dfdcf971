//! `GET /api/feeds/{name}`: the feed of a delivery.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gannet_core::feed_of;

use crate::extract::PathOf;
use crate::problem::Problem;
use crate::state::App;

/// The media type of Atom.
pub(crate) const ATOM: &str = "application/atom+xml";

/// `GET /api/feeds/{name}`.
pub(crate) async fn show(app: App, PathOf(name): PathOf<String>) -> Result<Response, Problem> {
    let delivery = app.gannet.config().deliveries.get(&name);
    let is_feed =
        delivery.is_some_and(|one| one.enabled && one.feed.is_some() && one.tenant == app.tenant());
    if !is_feed {
        return Err(Problem::not_found(format!("Feed {name} not found")));
    }
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let feed = async move { feed_of(gannet.store(), &tenant, &name).await };
    let feed = app.compute(feed).await?;
    Ok(([(CONTENT_TYPE, ATOM)], feed).into_response())
}
