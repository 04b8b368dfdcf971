//! `gannet search` and `gannet ask`. They differ in the default mode, in who
//! writes the answer and in what is printed first.

use std::io::Read;

use gannet_core::{Counting, EntryOrder, Gannet, SearchInput, SearchResult};
use serde_json::{Map, Value};

use crate::arguments::{
    AskArguments, Common, Format, ModelArguments, QueryArguments, SearchArguments, SortBy,
};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, Layout, print_plan, print_result};
use crate::session;

/// The pipeline that `ask` uses when none is named.
pub const ASK_MODE: &str = "rag";
/// The parameter of pipelines that says who writes the answer.
const ANSWER: &str = "answer";

/// Finds entries.
pub async fn search(common: &Common, arguments: SearchArguments) -> Result<Exit, Failure> {
    let query = arguments.query;
    let question = question(&query.question)?;
    let gannet = session::open_existing(common).await?;
    let mode = match &query.mode {
        Some(mode) => mode.clone(),
        None => gannet.default_mode().to_owned(),
    };
    let mut input = input(&gannet, question, &mode, &query)?;
    input.order = match arguments.sort {
        SortBy::Relevance => EntryOrder::Relevance,
        SortBy::Time => EntryOrder::Time,
    };
    input.counting = Counting {
        matches: true,
        facets: arguments.facets,
        any_word: false,
    };
    // Finding entries takes no chat model; `ask` uses one.
    if has_parameter(&gannet, &mode, ANSWER)? {
        let entries = || Value::from("entries");
        input
            .params
            .entry(ANSWER.to_owned())
            .or_insert_with(entries);
    }
    finish(common, gannet, input, &query, Layout::EntriesFirst).await
}

/// Asks a question.
pub async fn ask(common: &Common, arguments: AskArguments) -> Result<Exit, Failure> {
    let query = arguments.query;
    let question = question(&query.question)?;
    if question.trim().is_empty() {
        return Err(Failure::usage("the question is empty"));
    }
    let mode = query.mode.clone().unwrap_or_else(|| ASK_MODE.to_owned());
    let gannet = open_with_model(common, &mode, &arguments.model).await?;
    let mut input = input(&gannet, question, &mode, &query)?;
    input
        .params
        .extend(model_params(&gannet, &mode, &arguments.model)?);
    if !arguments.pinned.is_empty() {
        if !has_parameter(&gannet, &mode, "pinned")? {
            return Err(cannot("--pin", &mode));
        }
        let pinned = Value::String(arguments.pinned.join(","));
        input.params.insert("pinned".to_owned(), pinned);
    }
    finish(common, gannet, input, &query, Layout::AnswerWithSources).await
}

async fn finish(
    common: &Common,
    gannet: Gannet,
    input: SearchInput,
    query: &QueryArguments,
    layout: Layout,
) -> Result<Exit, Failure> {
    let result: SearchResult = gannet.search(input).await?;
    let clock = Clock::of(&gannet);
    if query.explain && common.format == Format::Table {
        print_plan(&result.plan, &clock);
    }
    print_result(&result, common.format, layout, &clock, query.explain)?;
    gannet.close().await?;
    Ok(match query.strict && result.degraded {
        true => Exit::Degraded,
        false => Exit::Done,
    })
}

/// Opens the host with the program of `--llm-cmd` as the chat model of the mode.
pub async fn open_with_model(
    common: &Common,
    mode: &str,
    model: &ModelArguments,
) -> Result<Gannet, Failure> {
    let command = match model.llm_cmd.as_deref().map(str::trim) {
        None | Some("") => return session::open_existing(common).await,
        Some(command) => command,
    };
    let provider = format!("pipelines.{mode}.provider");
    let settings = [
        (provider.as_str(), "command".to_owned()),
        ("providers.command.plugin", "command".to_owned()),
        // Quoted, so that YAML reads any command as a string.
        (
            "providers.command.settings.command",
            Value::from(command).to_string(),
        ),
    ];
    session::open_existing_with(common, &settings).await
}

/// The parameters that make a mode answer without a model, if that is asked for.
pub fn model_params(
    gannet: &Gannet,
    mode: &str,
    model: &ModelArguments,
) -> Result<Map<String, Value>, Failure> {
    let is_empty = |command: &str| command.trim().is_empty();
    if !model.no_llm && !model.llm_cmd.as_deref().is_some_and(is_empty) {
        return Ok(Map::new());
    }
    match has_parameter(gannet, mode, ANSWER)? {
        true => Ok(Map::from_iter([(ANSWER.to_owned(), "entries".into())])),
        false => Err(cannot("--no-llm", mode)),
    }
}

fn has_parameter(gannet: &Gannet, mode: &str, name: &str) -> Result<bool, Failure> {
    Ok(gannet.mode(mode)?.descriptor.parameter(name).is_some())
}

fn cannot(flag: &str, mode: &str) -> Failure {
    Failure::usage(format!("{flag} does not apply to mode `{mode}`"))
}

/// The words of the question joined by blanks, or standard input without its
/// last line end.
pub fn question(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    let end = text.trim_end_matches('\n').trim_end_matches('\r').len();
    text.truncate(end);
    Ok(text)
}

fn input(
    gannet: &Gannet,
    question: String,
    mode: &str,
    query: &QueryArguments,
) -> Result<SearchInput, Failure> {
    let mut input = SearchInput::new(question);
    input.filter = gannet.filter(&query.filter.pairs())?;
    input.params = gannet.params(mode, &query.params)?;
    input.mode = Some(mode.to_owned());
    input.max_results = query.max_results;
    Ok(input)
}
