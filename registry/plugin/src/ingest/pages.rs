//! Sources that are read page by page.

use std::future::Future;

use futures::stream::{StreamExt, TryStreamExt, iter, try_unfold};
use gannet_api::{Error, FetchRequest, Record, RecordStream, Result};

use super::select_stream;

/// The records of one page, and the cursor of the next one; none after the
/// last.
pub type Page = (Vec<Record>, Option<String>);

/// The records of a source that gives them page by page. `fetch` gets the
/// cursor of a page: that of the request first, which is none in a first run.
/// Behind each page comes the cursor of the next one, so that the next run
/// goes on there. A page that names its own cursor is the last. Those records
/// that the request wants are given, as by [`select_stream`].
pub fn from_pages<F, Answer>(request: FetchRequest, fetch: F) -> RecordStream
where
    F: FnMut(Option<String>) -> Answer + Send + 'static,
    Answer: Future<Output = Result<Page>> + Send + 'static,
{
    let start = Some((request.cursor.clone(), fetch));
    let pages = try_unfold(start, |state| async move {
        let Some((cursor, mut fetch)) = state else {
            return Ok(None);
        };
        let (mut records, next) = fetch(cursor.clone()).await?;
        let next = next.filter(|next| Some(next) != cursor.as_ref());
        records.extend(next.clone().map(Record::Cursor));
        let rest = next.map(|next| (Some(next), fetch));
        Ok::<_, Error>(Some((iter(records).map(Ok), rest)))
    });
    RecordStream::new(select_stream(pages.try_flatten(), request))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::{Arc, Mutex};

    use gannet_api::Entry;
    use pollster::block_on;

    use super::*;
    use crate::testing::Fetched;

    /// Two pages; the last names itself.
    fn read(request: FetchRequest) -> (Fetched, Vec<Option<String>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let list = asked.clone();
        let stream = from_pages(request, move |cursor| {
            list.lock().unwrap().push(cursor.clone());
            let id = cursor.unwrap_or_else(|| "first".to_owned());
            let entry = Entry::new(id, "log", Default::default(), "x");
            async {
                Ok((
                    vec![Record::Entry(Box::new(entry))],
                    Some("second".to_owned()),
                ))
            }
        });
        let fetched = block_on(Fetched::collect(stream)).unwrap();
        let asked = asked.lock().unwrap().clone();
        (fetched, asked)
    }

    #[test]
    fn pages_are_read_to_the_last_and_a_run_goes_on_where_the_last_one_stopped() {
        let (fetched, asked) = read(FetchRequest::default());
        assert_eq!(fetched.ids(), ["first", "second"]);
        assert_eq!(fetched.cursor.as_deref(), Some("second"));
        assert_eq!(asked, [None, Some("second".to_owned())]);
        let (next, _) = read(FetchRequest::default().with_cursor(fetched.cursor));
        assert_eq!(next.ids(), ["second"]);
        assert_eq!(next.cursor, None);
    }

    #[test]
    fn no_page_is_asked_for_beyond_the_limit() {
        let (fetched, asked) = read(FetchRequest::default().with_limit(1));
        assert_eq!((fetched.ids(), asked.len()), (vec!["first"], 1));
    }
}
