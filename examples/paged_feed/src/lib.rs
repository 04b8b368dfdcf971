//! The entries of a web service, page by page, as an adapter with a cursor.
//!
//! The service answers `GET URL?after=CURSOR` with a page, also of what was
//! edited and deleted since:
//!
//! ```json
//! {"entries": [{"id": "7", "time": "2024-01-05T08:30:00Z", "author": "Lee", "text": "RF trip"}],
//!  "deleted": ["3"], "next": "1704443400"}
//! ```
//!
//! Without `next` it was the last page. The host keeps `next` once the page is
//! stored, and the next run begins there.

#[cfg(test)]
mod tests;

use futures::stream::{StreamExt, TryStreamExt, iter, try_unfold};
use gannet_plugin::{
    Adapter, Context, Descriptor, Entry, Example, FetchRequest, HttpRequest, PluginKind, Record,
    RecordStream, Result, Setup, ingest, settings,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;

gannet_plugin::export_plugin! {
    adapters: [PagedFeed],
}

/// Reads the pages of a web service.
pub struct PagedFeed(Settings);

/// What the configuration can set.
#[settings]
pub struct Settings {
    /// The address of the service.
    #[setting(required)]
    pub url: String,
}

/// One answer of the service.
#[derive(Deserialize)]
struct Page {
    entries: Vec<Item>,
    #[serde(default)]
    deleted: Vec<String>,
    next: Option<String>,
}

/// One entry of the service.
#[derive(Deserialize)]
struct Item {
    id: String,
    time: Timestamp,
    #[serde(default)]
    author: String,
    text: String,
}

impl Adapter for PagedFeed {
    const NAME: &'static str = "paged_feed";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Reads the entries of a web service, page by page.";
        let page = json!({
            "entries": [{"id": "7", "time": "2024-01-05T08:30:00Z", "text": "RF trip"}],
        });
        let example = Example::new("reads a page", "")
            .with_setting("url", "http://localhost:8080/entries")
            .against_http(page)
            .finds(["7"]);
        Descriptor::new(PluginKind::Adapter, Self::NAME, "Paged feed", description)
            .with_example(example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let (feed, context) = (self.0.clone(), context.clone());
        let pages = try_unfold(Some(request.cursor.clone()), move |next| {
            read_page(feed.clone(), next, context.clone())
        });
        let records = pages.map_ok(|page| iter(page).map(Ok)).try_flatten();
        Ok(RecordStream::new(ingest::select_stream(records, request)))
    }
}

/// A cursor to go on from, or `None` for the first page.
type Cursor = Option<String>;

/// The records of the next page, where there is one, and what comes after it.
async fn read_page(
    feed: Settings,
    next: Option<Cursor>,
    context: Context,
) -> Result<Option<(Vec<Record>, Option<Cursor>)>> {
    let Some(cursor) = next else { return Ok(None) };
    let mut ask = HttpRequest::get(feed.url);
    ask.query
        .extend(cursor.map(|after| ("after".to_owned(), after)));
    let page: Page = context.http(ask).await?.json()?;
    let mut records: Vec<Record> = page.entries.into_iter().map(record).collect();
    records.extend(page.deleted.into_iter().map(Record::Deleted));
    records.extend(page.next.clone().map(Record::Cursor));
    Ok(Some((records, page.next.map(Some))))
}

fn record(item: Item) -> Record {
    let mut entry = Entry::new(&item.id, "paged_feed", item.time, &item.text);
    entry.author = item.author;
    Record::Entry(Box::new(entry))
}
