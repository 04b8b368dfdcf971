//! `gannet search` and `gannet ask`: one way, two defaults.

use std::io::Read;

use gannet_core::{Gannet, SearchInput, SearchResult};

use crate::arguments::{Common, SearchArguments};
use crate::failure::{Exit, Failure};
use crate::render::print_result;
use crate::session;

/// The pipeline that `ask` uses when none is named.
const ASK_MODE: &str = "rag";

/// Finds entries.
pub async fn search(common: &Common, asked: SearchArguments) -> Result<Exit, Failure> {
    run(common, asked, None).await
}

/// Asks a question.
pub async fn ask(common: &Common, asked: SearchArguments) -> Result<Exit, Failure> {
    run(common, asked, Some(ASK_MODE)).await
}

async fn run(
    common: &Common,
    asked: SearchArguments,
    default_mode: Option<&str>,
) -> Result<Exit, Failure> {
    let question = question(&asked.question)?;
    let gannet = session::open_existing(common).await?;
    let strict = asked.strict;
    let input = input(&gannet, question, asked, default_mode)?;
    let result: SearchResult = gannet.search(input).await?;
    print_result(&result, common.format)?;
    gannet.close().await?;
    Ok(match strict && result.degraded {
        true => Exit::Degraded,
        false => Exit::Done,
    })
}

/// The question as typed, or the standard input without its last line end.
fn question(typed: &str) -> Result<String, Failure> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let end = text.trim_end_matches('\n').trim_end_matches('\r').len();
    text.truncate(end);
    Ok(text)
}

fn input(
    gannet: &Gannet,
    question: String,
    asked: SearchArguments,
    default_mode: Option<&str>,
) -> Result<SearchInput, Failure> {
    let filters = [
        ("start_date", asked.start_date),
        ("end_date", asked.end_date),
        ("author", asked.author),
    ];
    let mut pairs: Vec<(String, String)> = filters
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
    pairs.extend(asked.filters);
    let mode = asked
        .mode
        .or_else(|| default_mode.map(str::to_owned))
        .unwrap_or_else(|| gannet.default_mode().to_owned());
    let mut input = SearchInput::new(question);
    input.filter = gannet.filter(&pairs)?;
    input.params = gannet.params(&mode, &asked.params)?;
    input.mode = Some(mode);
    input.max_results = asked.max_results;
    Ok(input)
}
