//! Sources that give one JSON list: files, folders, and one address.

use std::path::Path;
use std::time::Duration;

use futures::stream;
use gannet_plugin::http::HttpRequest;
use gannet_plugin::ingest::{self, Opened, RecordStream, Source, select_stream};
use gannet_plugin::prelude::{Context, FetchRequest, Record, Result};

use crate::{JsonList, Retry, from_files};

/// How a server is asked for the list.
const RETRY: Retry = Retry {
    attempts: 3,
    delay: Duration::from_secs(2),
};

/// How the list is found.
#[derive(Debug, Clone)]
pub struct JsonListOptions {
    /// Where it may stand in the file, see [`JsonList::read`].
    pub keys: Vec<String>,
    /// How large a file may be, in bytes.
    pub max_bytes: u64,
    /// Whether every member gives a record, so that their number is known.
    pub is_whole: bool,
}

/// The records of a JSON list in files, or behind an address that is asked for
/// the whole of it. `convert` gets the number of a member, from 1, and its
/// JSON; it gives nothing for a member that is not wanted.
///
/// # Errors
/// Those of [`JsonList::read`] and of [`Context::http`].
pub async fn from_json_list<F>(
    request: FetchRequest,
    source: Source,
    options: JsonListOptions,
    context: &Context,
    convert: F,
) -> Result<RecordStream>
where
    F: Fn(usize, &str) -> Option<Record> + Clone + Send + 'static,
{
    let records = move |list: JsonList| {
        let total = options.is_whole.then_some(list.len() as u64);
        let convert = convert.clone();
        let records = (1..)
            .zip(list)
            .filter_map(move |(number, member)| match member {
                Ok(member) => convert(number, &member).map(Ok),
                Err(error) => Some(Err(error)),
            });
        Opened { total, records }
    };
    let (keys, max_bytes) = (options.keys, options.max_bytes);
    match source {
        Source::Files(path) => {
            let open = move |path: &Path| Ok(records(JsonList::read(path, max_bytes, &keys)?));
            from_files(request, path, &["json"], open).await
        }
        Source::Url(url) => {
            let answer = RETRY.http(context, HttpRequest::get(&url)).await?;
            let opened = records(JsonList::of(Path::new(&url), answer.body, &keys)?);
            Ok(
                RecordStream::new(select_stream(stream::iter(opened.records), request))
                    .with_total(opened.total),
            )
        }
    }
}

/// [`from_json_list`] of the source that the request names, or else of the
/// setting `source_url`: all that the `fetch` of an adapter for one JSON
/// document does.
///
/// # Errors
/// Those of [`ingest::source`] and of [`from_json_list`].
pub async fn from_json_document<F>(
    request: FetchRequest,
    source_url: Option<&str>,
    options: JsonListOptions,
    context: &Context,
    convert: F,
) -> Result<RecordStream>
where
    F: Fn(usize, &str) -> Option<Record> + Clone + Send + 'static,
{
    let source = ingest::source(&request, source_url)?;
    from_json_list(request, source, options, context, convert).await
}
