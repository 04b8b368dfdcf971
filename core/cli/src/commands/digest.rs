//! `gannet digest`: what happened in a time, what changed state, what is open,
//! and what waits for whom?

use gannet_core::api::{Condition, FilterField};
use gannet_core::{Gannet, SearchInput, SearchResult};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::arguments::{Common, DigestArguments, Format};
use crate::failure::{Exit, Failure};
use crate::render::{
    print_answer_text, print_json, print_json_list, print_notes, safe, with_extension,
};
use crate::session;

/// The pipeline that is asked.
const MODE: &str = "digest";
/// The time of a digest whose start is not given.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Prints the digest of a time.
pub async fn run(common: &Common, arguments: DigestArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    if let Some(name) = &arguments.deliver {
        deliver(&gannet, name, common.format).await?;
        gannet.close().await?;
        return Ok(Exit::Done);
    }
    let (since, until) = (arguments.since.as_deref(), arguments.until.as_deref());
    let mut time = gannet.time_between(since, until)?;
    if since.is_none() {
        let end = time.until.unwrap_or_else(Timestamp::now);
        time.from = end.checked_sub(DAY).ok();
    }
    let filter = gannet.filter(&arguments.filters)?;
    // Without words: the filter says all.
    let mut input = SearchInput::new(String::new());
    input.mode = Some(MODE.to_owned());
    input.filter = filter.and(FilterField::Timestamp, Condition::Time(time));
    input.params = params(&arguments);
    let result = gannet.search(input).await?;
    print(&result, common.format)?;
    gannet.close().await?;
    Ok(Exit::Done)
}

/// Makes a scheduled digest and delivers it, unless a running service does.
async fn deliver(gannet: &Gannet, name: &str, format: Format) -> Result<(), Failure> {
    let message = gannet.make_digest(name, Timestamp::now()).await?;
    let is_here = gannet.deliver_here(Timestamp::now()).await?;
    let waiting = gannet.undelivered(&message.id).await?;
    if format != Format::Table {
        return print_json(
            &json!({ "message": message, "undelivered": waiting }),
            format,
        );
    }
    outln!("{}\n", safe(&message.text));
    let targets = gannet.config().digests.get(name);
    for target in targets.iter().flat_map(|digest| &digest.deliver_to) {
        match (waiting.contains(target), is_here) {
            (false, _) => outln!("delivered to {target}"),
            (true, true) => outln!("not delivered to {target}; see `gannet status`"),
            (true, false) => outln!("the running service delivers it to {target}"),
        }
    }
    Ok(())
}

fn params(arguments: &DigestArguments) -> Map<String, Value> {
    let by = arguments.by.clone().map(Value::from);
    let max_chars = arguments.max_chars.map(Value::from);
    let params = [("by", by), ("max_chars", max_chars)].into_iter();
    let params = params.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    params.collect()
}

fn print(result: &SearchResult, format: Format) -> Result<(), Failure> {
    let digest = result.extensions.get(MODE).cloned().unwrap_or_default();
    match format {
        Format::Jsonl => return print_json_list(&items(&digest), format),
        Format::Table => {}
        _ => return print_json(&with_extension(json!({}), result, digest), format),
    }
    print_answer_text(result);
    print_notes(&result.diagnostics);
    Ok(())
}

/// The sentences of all sections.
fn items(digest: &Value) -> Vec<Value> {
    let sections = digest["sections"].as_array().into_iter().flatten();
    let items = sections.filter_map(|section| section["items"].as_array());
    items.flatten().cloned().collect()
}
