//! `gannet trend`: how many entries of a set there are over time, and where does
//! their rate change?

use std::path::Path;

use gannet_core::{SearchInput, SearchResult};
use serde_json::{Map, Value, json};

use super::search::question;
use crate::arguments::{Common, Format, TrendArguments};
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::{
    Trend, answer_lines, print_json, print_json_list, print_notes, print_trend_csv, trend_lines,
    with_extension,
};
use crate::session;

/// The pipeline that is asked.
const MODE: &str = "trend";
/// The file name that stands for the standard output.
const STANDARD_OUTPUT: &str = "-";

/// Counts entries over time.
pub async fn run(common: &Common, arguments: TrendArguments) -> Result<Exit, Failure> {
    let (question, filter) = (question(&arguments.question)?, arguments.filter.pairs());
    if question.trim().is_empty() && filter.is_empty() {
        let message = "say which entries to count, such as `how many entries`";
        return Err(Failure::usage(message));
    }
    let gannet = session::open_existing(common).await?;
    let mut input = SearchInput::new(question);
    input.mode = Some(MODE.to_owned());
    input.filter = gannet.filter(&filter)?;
    input.params = params(&arguments);
    let result = gannet.search(input).await?;
    gannet.close().await?;
    let found = result.extensions.get(MODE).cloned().unwrap_or_default();
    match arguments.svg.as_deref() {
        Some(file) if file == Path::new(STANDARD_OUTPUT) => out!("{}", image(&found)?),
        Some(file) => {
            let written = std::fs::write(file, image(&found)?);
            written.map_err(|error| Failure::file(file, &error))?;
            print(&result, found, common.format)?;
        }
        None => print(&result, found, common.format)?,
    }
    Ok(Exit::Done)
}

fn params(arguments: &TrendArguments) -> Map<String, Value> {
    let params = [
        ("by", arguments.by.clone().map(Value::from)),
        ("unit", arguments.unit.clone().map(Value::from)),
        ("svg", arguments.svg.as_ref().map(|_| Value::from(true))),
    ];
    let params = params.into_iter();
    let params = params.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    params.collect()
}

fn image(found: &Value) -> Result<&str, Failure> {
    let image = found["svg"].as_str();
    image
        .ok_or_else(|| Failure::usage("there is no chart: the logbook has no entries of this time"))
}

fn print(result: &SearchResult, found: Value, format: Format) -> Result<(), Failure> {
    match format {
        Format::Json => {
            let asked = json!({ "question": result.query });
            return print_json(&with_extension(asked, result, found), format);
        }
        Format::Jsonl => {
            let rows = found["rows"].as_array().cloned().unwrap_or_default();
            return print_json_list(&rows, format);
        }
        Format::Table | Format::Csv => {}
    }
    let trend = Trend::of(&found);
    if format == Format::Csv {
        return print_trend_csv(trend.as_ref());
    }
    let summary = match &trend {
        Some(trend) => trend.summary.as_str(),
        None => result.answer.as_deref().unwrap_or_default(),
    };
    for line in answer_lines(summary, &[], None) {
        outln!("{line}");
    }
    for line in trend.iter().flat_map(trend_lines) {
        outln!("{line}");
    }
    outln!();
    output::flush();
    print_notes(&result.diagnostics);
    Ok(())
}
