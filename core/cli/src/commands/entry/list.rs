//! `gannet entry list`: the latest entries.

use gannet_core::Gannet;
use gannet_core::api::{DEFAULT_TENANT, Entry};
use gannet_core::store::ListRequest;

use crate::arguments::{Common, Format, ListArguments};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, DIM, print_json_list, print_notes, safe_line, table, title};
use crate::session;

/// Lists entries, latest first.
pub async fn run(common: &Common, wanted: ListArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let request = request(&gannet, &wanted)?;
    let filter = request.filter.clone();
    let page = gannet.store().list(DEFAULT_TENANT, request).await?;
    if page.entries.is_empty() {
        print_notes(&gannet.why_no_entries(DEFAULT_TENANT, &filter).await?);
    }
    match common.format {
        Format::Table => print(&page.entries, page.next.is_some(), &Clock::of(&gannet)),
        format => print_json_list(&page.entries, format)?,
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

fn request(gannet: &Gannet, wanted: &ListArguments) -> Result<ListRequest, Failure> {
    let mut request = ListRequest::newest(wanted.limit);
    request.filter = gannet.filter(&wanted.filter.pairs())?;
    Ok(request)
}

fn print(entries: &[Entry], has_more: bool, clock: &Clock) {
    let row = |entry: &Entry| {
        vec![
            safe_line(&entry.entry_id).into_owned(),
            clock.minute(entry.timestamp),
            safe_line(&entry.author).into_owned(),
            title(entry).into_owned(),
        ]
    };
    if entries.is_empty() {
        outln!("{DIM}no entries{DIM:#}");
        return;
    }
    outln!("{}", table(&[], entries.iter().map(row)));
    if has_more {
        outln!("{DIM}there are more; `--limit` shows them{DIM:#}");
    }
}
