//! The entries of a web service, page by page, as an adapter with a cursor. The
//! service answers `GET URL?after=CURSOR` with a page, also of what was edited
//! and deleted since: `{"entries": […], "deleted": ["3"], "next": "17044"}`. The
//! first page is that of an empty cursor, and the last one has no `next`. The
//! host keeps `next` once the page is stored, and the next run begins there.

#[cfg(test)]
mod tests;

use gannet_plugin::http::HttpRequest;
use gannet_plugin::ingest::{self, RecordStream};
use gannet_plugin::prelude::*;
use serde::Deserialize;
use serde_json::json;

gannet_plugin::export_plugin! { adapters: [PagedFeed] }

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
    time: jiff::Timestamp,
    #[serde(default)]
    author: String,
    text: String,
}

impl Adapter for PagedFeed {
    const NAME: &'static str = "paged_feed";
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Reads the entries of a web service, page by page.";
        let item = json!({"id": "7", "time": "2024-01-05T08:30:00Z", "text": "RF trip"});
        let example = Example::new("reads a page", "")
            .with_setting("url", "http://localhost:8080/entries")
            .against_http(json!({ "entries": [item] }))
            .finds(["7"]);
        Descriptor::adapter(Self::NAME, "Paged feed", description).with_example(example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let (url, context) = (self.0.url.clone(), context.clone());
        Ok(ingest::from_pages(request, move |cursor| {
            let ask = HttpRequest::get(&url).query("after", cursor.unwrap_or_default());
            read_page(ask, context.clone())
        }))
    }
}

async fn read_page(ask: HttpRequest, context: Context) -> Result<ingest::Page> {
    let page: Page = context.http(ask).await?.json()?;
    let entries = page.entries.into_iter().map(|item| {
        let entry = Entry::new(item.id, "paged_feed", item.time, item.text);
        Record::Entry(Box::new(entry.with_author(item.author)))
    });
    let deleted = page.deleted.into_iter().map(Record::Deleted);
    Ok((entries.chain(deleted).collect(), page.next))
}
