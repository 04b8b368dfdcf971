//! `gannet thread`: what belongs to an entry, in the order of time.

use gannet_core::{SearchInput, SearchResult};
use serde_json::{Value, json};

use crate::arguments::{Common, Format, ThreadArguments};
use crate::failure::{Exit, Failure};
use crate::render::{
    ACCENT, Clock, DIM, HEADING, print_json, print_json_list, print_notes, safe_line,
    with_extension,
};
use crate::session;

/// The pipeline that is asked.
const MODE: &str = "thread";

/// Shows the thread of an entry.
pub async fn run(common: &Common, arguments: ThreadArguments) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let mut input = SearchInput::new(format!("id:\"{}\"", arguments.entry));
    input.mode = Some(MODE.to_owned());
    input.max_results = arguments.max_results;
    let result = gannet.search(input).await?;
    let clock = Clock::of(&gannet);
    gannet.close().await?;
    let found = result.extensions.get(MODE).cloned().unwrap_or_default();
    if found["entry_id"].is_null() {
        let id = &arguments.entry;
        return Err(Failure::usage(format!("no entry has the id `{id}`")));
    }
    print(&result, found, common.format, &clock)?;
    Ok(Exit::Done)
}

fn print(
    result: &SearchResult,
    found: Value,
    format: Format,
    clock: &Clock,
) -> Result<(), Failure> {
    let steps = found["steps"].as_array().cloned().unwrap_or_default();
    match format {
        Format::Jsonl => return print_json_list(&steps, format),
        Format::Table => {}
        _ => return print_json(&with_extension(json!({}), result, found), format),
    }
    for step in &steps {
        print_step(step, clock);
    }
    if steps.len() == 1 {
        outln!("{}", result.answer.as_deref().unwrap_or_default());
    }
    print_notes(&result.diagnostics);
    Ok(())
}

fn print_step(step: &Value, clock: &Clock) {
    let text = |key: &str| safe_line(step[key].as_str().unwrap_or_default()).into_owned();
    let time = text("timestamp").parse();
    let day = time.map_or_else(|_| String::new(), |time| clock.day(time));
    outln!(
        "{day} {ACCENT}{}{ACCENT:#} {} {HEADING}{}{HEADING:#}",
        text("entry_id"),
        labels(&step["kinds"]),
        text("title"),
    );
    let sentence = text("sentence");
    if !sentence.is_empty() && sentence != text("title") {
        outln!("           {sentence}");
    }
    let why = texts(&step["why"]).join(" · ");
    if !why.is_empty() {
        outln!("           {DIM}{why}{DIM:#}");
    }
}

/// The kinds in words: `first seen, repaired:`.
fn labels(kinds: &Value) -> String {
    format!("{}:", texts(kinds).join(", ").replace('_', " "))
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = list.iter().filter_map(Value::as_str);
    texts.map(|text| safe_line(text).into_owned()).collect()
}
