//! `GET /api/entries` and `GET /api/entries/{entry_id}`.

use axum::Json;
use gannet_core::EntryListInput;
use gannet_core::store::Cursor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EntryReply, Presenter};
use crate::extract::{PathOf, QueryOf};
use crate::filters;
use crate::problem::Problem;
use crate::state::App;

/// Entries of a page at most, as in ARIEL.
const LARGEST_PAGE: usize = 100;
/// Entries before a page at most: they are read on the way to it.
const DEEPEST: usize = 100_000;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// The number of the page, from 1.
    #[serde(default = "first_page")]
    #[schemars(range(min = 1))]
    page: usize,
    /// Entries of a page.
    #[serde(default = "default_page_size")]
    #[schemars(range(min = 1, max = 100))]
    page_size: usize,
    /// Only entries on or after this day or time.
    start_date: Option<String>,
    /// Only entries on or before this day or time.
    end_date: Option<String>,
    /// Only entries whose author contains this text.
    author: Option<String>,
    /// Only entries of this source system.
    source_system: Option<String>,
    /// `desc` for the newest first, or `asc`.
    #[serde(default)]
    sort_order: SortOrder,
    /// `next_cursor` of the page before, in the place of `page`: costs the
    /// same however far it is, and shows no entry twice.
    cursor: Option<String>,
}

/// The order of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortOrder {
    /// Newest first.
    #[default]
    Desc,
    /// Oldest first.
    Asc,
}

/// A page of entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListReply {
    /// The entries.
    entries: Vec<EntryReply>,
    /// How many there are on all pages.
    total: u64,
    /// The number of this page.
    page: usize,
    /// Entries of a page.
    page_size: usize,
    /// How many pages there are.
    total_pages: u64,
    /// Where the next page begins; null at the end.
    next_cursor: Option<String>,
}

/// `GET /api/entries`.
pub(crate) async fn list(
    app: App,
    QueryOf(query): QueryOf<ListQuery>,
) -> Result<Json<ListReply>, Problem> {
    let (page, page_size) = (query.page, query.page_size);
    let input = query.into_input(&app)?;
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let list = app
        .compute(async move { gannet.list(&tenant, input).await })
        .await?;
    let presenter = Presenter::new(&app.gannet);
    let entries = list.entries.into_iter().map(|entry| presenter.entry(entry));
    Ok(Json(ListReply {
        entries: entries.collect(),
        total: list.total,
        page,
        page_size,
        total_pages: total_pages(list.total, page_size),
        next_cursor: list.next.map(|cursor| cursor.0),
    }))
}

fn total_pages(total: u64, page_size: usize) -> u64 {
    total.div_ceil(page_size as u64)
}

impl ListQuery {
    fn into_input(self, app: &App) -> Result<EntryListInput, Problem> {
        if self.page == 0 {
            return Err(Problem::invalid("page: must be at least 1"));
        }
        if !(1..=LARGEST_PAGE).contains(&self.page_size) {
            let detail = format!(
                "page_size: {} is not between 1 and {LARGEST_PAGE}",
                self.page_size
            );
            return Err(Problem::invalid(detail));
        }
        let offset = (self.page - 1).saturating_mul(self.page_size);
        if offset > DEEPEST && self.cursor.is_none() {
            let detail = format!(
                "page: at most {DEEPEST} entries can be skipped; use `cursor`, or `start_date` \
                 and `end_date`"
            );
            return Err(Problem::invalid(detail));
        }
        let named = [
            ("start_date", self.start_date),
            ("end_date", self.end_date),
            ("author", self.author),
            ("source_system", self.source_system),
        ];
        Ok(EntryListInput {
            filter: app.gannet.filter(&filters::given(named))?,
            offset,
            limit: self.page_size,
            after: self.cursor.map(Cursor),
            newest_first: self.sort_order == SortOrder::Desc,
        })
    }
}

/// `GET /api/entries/{entry_id}`.
pub(crate) async fn show(
    app: App,
    PathOf(entry_id): PathOf<String>,
) -> Result<Json<EntryReply>, Problem> {
    let entry = app.gannet.entry(app.tenant(), &entry_id).await?;
    let entry = entry.ok_or_else(|| Problem::not_found(format!("Entry {entry_id} not found")))?;
    Ok(Json(Presenter::new(&app.gannet).entry(entry)))
}

fn first_page() -> usize {
    1
}

fn default_page_size() -> usize {
    20
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pages_are_counted_as_in_the_source() {
        for case in gannet_test_cases::cases("ariel.jsonl", "pagination") {
            let number = |key: &str| case["input"][key].as_u64().unwrap();
            let size = usize::try_from(number("page_size")).unwrap();
            let pages = total_pages(number("total"), size);
            assert_eq!(Some(pages), case["expected"]["total_pages"].as_u64());
        }
        assert_eq!(total_pages(0, 20), 0);
    }
}
