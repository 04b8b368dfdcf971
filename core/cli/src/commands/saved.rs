//! `gannet saved`: searches that new entries are matched against.

use gannet_core::api::DEFAULT_TENANT;
use gannet_core::config::{MatchBy, SavedSearchConfig};
use gannet_core::{Gannet, NewSearch, SavedSearch, SearchMatch};
use serde_json::json;

use crate::arguments::{AddSearchArguments, Common, Format, SavedCommand};
use crate::failure::{Exit, Failure};
use crate::render::{
    ACCENT, Clock, DIM, HEADING, print_json, print_json_list, print_notes, safe, safe_line, table,
};
use crate::session;

/// Whose searches are saved here: those of the user who starts the program, as
/// over HTTP without keys.
const OWNER: &str = "local";
/// Entries whose matches are listed.
const MOST: usize = 1_000;

/// Lists, saves, deletes and tests.
pub async fn run(common: &Common, command: SavedCommand) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    let format = common.format;
    match command {
        SavedCommand::List => list(&gannet, format).await?,
        SavedCommand::Add(arguments) => add(&gannet, arguments, format).await?,
        SavedCommand::Remove { id } => remove(&gannet, &id).await?,
        SavedCommand::Test { id, entry } => test(&gannet, (&id, &entry), format).await?,
        SavedCommand::Matches { after } => matches(&gannet, after, format).await?,
    }
    gannet.close().await?;
    Ok(Exit::Done)
}

async fn list(gannet: &Gannet, format: Format) -> Result<(), Failure> {
    let searches = gannet.saved_searches(DEFAULT_TENANT, None).await?;
    if format != Format::Table {
        return print_json(&json!(searches), format);
    }
    let rows: Vec<Vec<String>> = searches.iter().map(row).collect();
    match rows.is_empty() {
        true => outln!("no searches are saved; see `gannet saved add`"),
        false => outln!(
            "{}",
            table(&["id", "name", "query", "by", "delivered to"], rows)
        ),
    }
    Ok(())
}

fn row(search: &SavedSearch) -> Vec<String> {
    let filters = search.filter.iter();
    let filters = filters.map(|(key, value)| format!("{key}={value}"));
    let query = [search.query.trim().to_owned()].into_iter();
    let query = query.filter(|query| !query.is_empty()).chain(filters);
    let query = query.collect::<Vec<String>>().join(" · ");
    let by = match search.by {
        MatchBy::Keyword => "keyword",
        MatchBy::Meaning => "meaning",
        MatchBy::Either => "either",
    };
    let cells = [
        search.id.as_str(),
        &search.name,
        &query,
        by,
        &search.deliver_to.join(", "),
    ];
    cells.map(|cell| safe_line(cell).into_owned()).into()
}

async fn add(
    gannet: &Gannet,
    arguments: AddSearchArguments,
    format: Format,
) -> Result<(), Failure> {
    let new = NewSearch {
        name: arguments.name.unwrap_or_default(),
        owner: OWNER.to_owned(),
        query: arguments.query.join(" "),
        filter: arguments.filters.into_iter().collect(),
        by: match arguments.by.as_str() {
            "meaning" => MatchBy::Meaning,
            "either" => MatchBy::Either,
            _ => MatchBy::Keyword,
        },
        min_similarity: arguments
            .min_similarity
            .unwrap_or(SavedSearchConfig::MIN_SIMILARITY),
        deliver_to: arguments.deliver_to,
    };
    let search = gannet.save_search(DEFAULT_TENANT, new).await?;
    match format {
        Format::Table => outln!("saved {ACCENT}{}{ACCENT:#}", search.id),
        format => print_json(&json!(search), format)?,
    }
    print_notes(&gannet.about_search(DEFAULT_TENANT, &search).await?);
    Ok(())
}

async fn remove(gannet: &Gannet, id: &str) -> Result<(), Failure> {
    match gannet.delete_search(DEFAULT_TENANT, None, id).await? {
        true => outln!("deleted {}", safe(id)),
        false => {
            return Err(Failure::usage(format!(
                "no saved search `{id}` of a user; see `gannet saved list`"
            )));
        }
    }
    Ok(())
}

async fn test(gannet: &Gannet, place: (&str, &str), format: Format) -> Result<(), Failure> {
    let found = gannet.test_search(DEFAULT_TENANT, place).await?;
    match (format, &found) {
        (Format::Table, Some(found)) => print(found, &Clock::of(gannet)),
        (Format::Table, None) => {
            let similarity = gannet.search_similarity(DEFAULT_TENANT, place).await?;
            let below = similarity.map(|(similarity, least)| {
                format!(" · similarity {similarity:.2}, less than {least:.2}")
            });
            outln!("no match{}", below.unwrap_or_default());
        }
        (format, found) => print_json(&json!(found), format)?,
    }
    Ok(())
}

async fn matches(gannet: &Gannet, after: i64, format: Format) -> Result<(), Failure> {
    let whose = (DEFAULT_TENANT, None);
    let (found, _) = gannet.search_matches(whose, (after, MOST)).await?;
    match format {
        Format::Table => {
            let clock = Clock::of(gannet);
            found.iter().for_each(|one| print(one, &clock));
        }
        format => print_json_list(&found, format)?,
    }
    Ok(())
}

fn print(found: &SearchMatch, clock: &Clock) {
    let similarity = found
        .similarity
        .map(|one| format!(" · similarity {one:.2}"));
    let keyword = match found.keyword {
        true => " · keyword",
        false => "",
    };
    outln!(
        "{ACCENT}{}{ACCENT:#} {HEADING}{}{HEADING:#} {DIM}{}{keyword}{}{DIM:#}",
        safe_line(&found.entry.entry_id),
        safe_line(&found.search_name),
        clock.minute(found.entry.timestamp),
        similarity.unwrap_or_default(),
    );
    for fragment in &found.highlights {
        let words: Vec<&str> = fragment.text.split_whitespace().collect();
        outln!("    {}", safe_line(&words.join(" ")));
    }
}
