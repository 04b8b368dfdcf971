//! `gannet digest`: what happened in a time, what changed state, what is open,
//! and what waits for whom?

use gannet_core::api::{Condition, FilterField};
use gannet_core::{SearchInput, SearchResult};
use serde_json::{Map, Value, json};

use crate::arguments::{Common, DigestArguments, Format};
use crate::failure::{Exit, Failure};
use crate::render::{print_answer, print_json, print_json_list, print_notes};
use crate::session;

/// The pipeline that is asked.
const MODE: &str = "digest";

/// Prints the digest of a time.
pub async fn run(common: &Common, arguments: DigestArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let time = gannet.time_between(Some(&arguments.since), arguments.until.as_deref())?;
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
        _ => return print_json(&as_json(result, digest), format),
    }
    print_answer(result);
    print_notes(&result.diagnostics);
    Ok(())
}

/// The sentences of all sections.
fn items(digest: &Value) -> Vec<Value> {
    let sections = digest["sections"].as_array().into_iter().flatten();
    let items = sections.filter_map(|section| section["items"].as_array());
    items.flatten().cloned().collect()
}

fn as_json(result: &SearchResult, digest: Value) -> Value {
    let mut all = json!({
        "answer": result.answer,
        "answer_status": result.answer_status,
        "citations": result.citations,
        "diagnostics": result.diagnostics,
        "degraded": result.degraded,
        "took_ms": result.took_ms,
    });
    if let (Some(all), Value::Object(digest)) = (all.as_object_mut(), digest) {
        all.extend(digest);
    }
    all
}
