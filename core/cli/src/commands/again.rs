//! `gannet again`: has this happened before, when, and what fixed it?

use gannet_core::{SearchInput, SearchResult};
use serde_json::{Value, json};

use super::search::question;
use crate::arguments::{AgainArguments, Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{
    ACCENT, Clock, DIM, HEADING, print_answer, print_json, print_json_list, print_notes, safe_line,
};
use crate::session;

/// The pipeline that is asked.
const MODE: &str = "recurrence";
/// The probability from which an entry that is not stated may be about the same.
const POSSIBLE: f64 = 0.1;

/// Finds events of the same kind.
pub async fn run(common: &Common, arguments: AgainArguments) -> Result<Exit, Failure> {
    let event = question(&arguments.event)?;
    if event.trim().is_empty() {
        return Err(Failure::usage("name an entry or say what happened"));
    }
    if names_nothing(&event) {
        let message = format!("name an entry after `{}`", event.trim());
        return Err(Failure::usage(message));
    }
    let gannet = session::open_existing(common).await?;
    let mut input = SearchInput::new(event);
    input.mode = Some(MODE.to_owned());
    input.max_results = arguments.max_results;
    input.filter = gannet.filter(&arguments.filter.pairs())?;
    let result = gannet.search(input).await?;
    let clock = Clock::of(&gannet);
    gannet.close().await?;
    let found = result.extensions.get(MODE).cloned().unwrap_or_default();
    if let Some(id) = found["unknown"].as_str() {
        return Err(Failure::usage(format!("no entry has the id `{id}`")));
    }
    print(&result, &found, common.format, &clock)?;
    Ok(Exit::Done)
}

/// Whether it is the field of an id without an id.
fn names_nothing(event: &str) -> bool {
    let field = event.trim().trim_end_matches(['"', ' ']);
    let mut fields = ["id:", "entry_id:"].into_iter();
    fields.any(|one| field.eq_ignore_ascii_case(one))
}

fn print(
    result: &SearchResult,
    found: &Value,
    format: Format,
    clock: &Clock,
) -> Result<(), Failure> {
    let entries = found["entries"].as_array().cloned().unwrap_or_default();
    match format {
        Format::Jsonl => return print_json_list(&entries, format),
        Format::Table => {}
        _ => return print_json(&as_json(result, found), format),
    }
    print_answer(result);
    let is_stated = found["groups"]
        .as_array()
        .is_some_and(|groups| !groups.is_empty());
    if !is_stated
        && entries
            .first()
            .is_some_and(|first| probability(first) >= POSSIBLE)
    {
        outln!("possibly the same, not certain:");
    }
    for entry in &entries {
        print_entry(entry, clock);
    }
    print_notes(&result.diagnostics);
    Ok(())
}

fn as_json(result: &SearchResult, found: &Value) -> Value {
    json!({
        "event": result.query,
        "asked": found["asked"],
        "answer": result.answer,
        "answer_status": result.answer_status,
        "answer_confidence": result.answer_confidence,
        "citations": result.citations,
        "entries": found["entries"],
        "groups": found["groups"],
        "diagnostics": result.diagnostics,
        "degraded": result.degraded,
        "took_ms": result.took_ms,
    })
}

fn probability(entry: &Value) -> f64 {
    entry["probability"].as_f64().unwrap_or_default()
}

fn print_entry(entry: &Value, clock: &Clock) {
    let text = |key: &str| safe_line(entry[key].as_str().unwrap_or_default()).into_owned();
    let percent = probability(entry) * 100.0;
    let time = text("timestamp").parse();
    let day = time.map_or_else(|_| String::new(), |time| clock.day(time));
    let why = entry["why"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let why: Vec<String> = why
        .iter()
        .filter_map(Value::as_str)
        .map(|reason| safe_line(reason).into_owned())
        .collect();
    outln!(
        "{percent:>3.0} % {ACCENT}{}{ACCENT:#} {day} {HEADING}{}{HEADING:#}",
        text("entry_id"),
        text("title"),
    );
    outln!("      {DIM}{}{DIM:#}", why.join(" · "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_without_an_id_names_nothing() {
        assert!(names_nothing(" id:") && names_nothing("ENTRY_ID: \"\""));
        assert!(!names_nothing("id:SKY-1") && !names_nothing("which id:"));
    }
}
