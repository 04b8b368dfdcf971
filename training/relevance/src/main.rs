//! Writes what the model of relevance sees of questions: the features of the
//! entries that are found for each, one question a line.
//!
//! ```sh
//! cargo run --release -p gannet-train-relevance -- STORE QUESTIONS > TRACES
//! ```
//!
//! STORE is a folder that `gannet eval DIR --data STORE` filled; QUESTIONS has
//! one JSON object a line, with `id` and `text`. A question about a set of
//! entries with a topic is asked among the entries that meet its conditions.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};

use gannet_builtin as _;
use gannet_core::api::{Condition, FilterField, SetQuery, TimeRange};
use gannet_core::config::Config;
use gannet_core::{Gannet, RelevanceFeatures, SearchInput};
use serde_json::{Value, json};

/// Entries that are judged for a question, and for a set.
const ENTRIES: usize = 50;
const ENTRIES_OF_A_SET: usize = 200;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(questions)) = (arguments.next(), arguments.next()) else {
        return Err("usage: gannet-train-relevance STORE QUESTIONS".into());
    };
    let mut config = Config::default();
    config.store.path = store.into();
    let gannet = Gannet::open(config).await?;
    let mut out = std::io::stdout().lock();
    let names = json!({
        "features_version": RelevanceFeatures::VERSION,
        "features": RelevanceFeatures::NAMES,
    });
    writeln!(out, "{names}")?;
    for line in BufReader::new(std::fs::File::open(questions)?).lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let text = question["text"].as_str().unwrap_or_default();
        writeln!(out, "{}", traced(&gannet, &question["id"], text).await?)?;
    }
    Ok(gannet.close().await?)
}

async fn traced(gannet: &Gannet, id: &Value, text: &str) -> Result<Value, Box<dyn Error>> {
    let found = gannet.search(asking(text, ENTRIES)).await?;
    let set = found.plan.set.filter(|set| !set.topic.is_empty());
    let (ids, topic) = match &set {
        Some(set) => (candidates(gannet, set).await?, set.topic.clone()),
        None => {
            let entries = found.entries.into_iter();
            (entries.map(|hit| hit.entry.entry_id).collect(), Vec::new())
        }
    };
    let features = gannet.relevance_features(text, &topic, &ids).await?;
    let entries = ids
        .iter()
        .zip(features)
        .filter_map(|(id, features)| Some(json!({ "id": id, "features": features?.values() })));
    Ok(json!({
        "id": id,
        "topic": topic,
        "entries": entries.collect::<Vec<_>>(),
    }))
}

/// The entries that meet the conditions of a set and are found for its topic.
async fn candidates(gannet: &Gannet, set: &SetQuery) -> Result<Vec<String>, Box<dyn Error>> {
    let times = match set.times.as_slice() {
        [] => vec![TimeRange::default()],
        times => times.to_vec(),
    };
    let mut ids = Vec::new();
    for time in times {
        let mut input = asking(&set.topic.join(" "), ENTRIES_OF_A_SET);
        input.filter = set.filter.clone();
        if time != TimeRange::default() {
            let condition = Condition::Time(time);
            input.filter = input.filter.and(FilterField::Timestamp, condition);
        }
        let found = gannet.search(input).await?.entries;
        ids.extend(found.into_iter().map(|hit| hit.entry.entry_id));
    }
    Ok(ids)
}

fn asking(text: &str, limit: usize) -> SearchInput {
    let mut input = SearchInput::new(text);
    input.mode = Some("rag".to_owned());
    input.max_results = Some(limit);
    input.params.insert("answer".to_owned(), json!("none"));
    input
}
