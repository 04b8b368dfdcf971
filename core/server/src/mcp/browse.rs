//! `browse`: entries by time.

use gannet_core::store::{Cursor, ListRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::arguments;
use super::entry_view::EntryView;
use super::failure::ToolFailure;
use super::server::Call;
use crate::filters;

pub(super) const NAME: &str = "browse";
pub(super) const DESCRIPTION: &str = "\
Lists entries by time, latest first, without a query. Use it to see what was logged in a period, \
by an author or in a system. Texts are shortened to 300 characters.";

/// Characters of the text of an entry in a list (ARIEL's limit).
const TEXT_CHARS: usize = 300;
const DEFAULT_PAGE: usize = 20;
/// A larger page is cut to this one (ARIEL's limit).
const LARGEST_PAGE: usize = 100;

/// Which entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BrowseArguments {
    /// Only entries on or after this date or time, RFC 3339 or YYYY-MM-DD.
    start_date: Option<String>,
    /// Only entries on or before this date or time.
    end_date: Option<String>,
    /// Only entries whose author contains this text.
    author: Option<String>,
    /// Only entries of this source system.
    source_system: Option<String>,
    /// Entries per page: 20 by default, 100 at most.
    page_size: Option<usize>,
    /// `next_cursor` of the previous page, with the same other arguments.
    cursor: Option<String>,
}

/// A page of entries.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BrowseReply {
    /// Number of entries below.
    results_found: usize,
    /// The page size that was used.
    page_size: usize,
    /// The entries, latest first.
    entries: Vec<EntryView>,
    /// Pass it as `cursor` for the next page; missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Lists a page.
///
/// # Errors
/// A [`ToolFailure`] for dates and cursors that cannot be used, and for a
/// store that cannot be read.
pub(super) async fn call(call: &Call<'_>, given: Value) -> Result<BrowseReply, ToolFailure> {
    let wanted: BrowseArguments = arguments::read(given)?;
    let page_size = wanted.page_size.unwrap_or(DEFAULT_PAGE);
    let page_size = page_size.clamp(1, LARGEST_PAGE);
    let mut request = ListRequest::newest(page_size);
    let named = [
        ("start_date", wanted.start_date),
        ("end_date", wanted.end_date),
        ("author", wanted.author),
        ("source_system", wanted.source_system),
    ];
    request.filter = call.gannet.filter(&filters::given(named))?;
    request.after = wanted.cursor.map(Cursor);
    let page = call.gannet.store().list(&call.caller.tenant, request);
    let page = page.await?;
    let entries = page.entries.iter();
    let entries: Vec<EntryView> = entries
        .map(|entry| call.views.view(entry, TEXT_CHARS))
        .collect();
    Ok(BrowseReply {
        results_found: entries.len(),
        page_size,
        entries,
        next_cursor: page.next.map(|cursor| cursor.0),
    })
}
