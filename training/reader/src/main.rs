//! Writes what the reader sees of questions: the features of the sentences, of
//! their words and of the answer, one question a line.
//!
//! ```sh
//! cargo run --release -p gannet-train-reader -- STORE QUESTIONS > TRACES
//! ```
//!
//! STORE is a folder that `gannet eval DIR --data STORE` filled; QUESTIONS has
//! one JSON object a line, with `id` and `text`, and `without`, ids of entries,
//! with commas between, that are taken out of the ranking.

mod pipeline;

use std::error::Error;
use std::io::{BufRead, BufReader, Write};

use gannet_builtin as _;
use gannet_core::config::{Config, PipelineConfig};
use gannet_core::{Gannet, SearchInput};
use serde_json::{Value, json};

use pipeline::{NAME, WITHOUT};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(questions)) = (arguments.next(), arguments.next()) else {
        return Err("usage: gannet-train-reader STORE QUESTIONS".into());
    };
    let mut config = Config::default();
    config.store.path = store.into();
    let traced = PipelineConfig {
        enabled: true,
        ..PipelineConfig::default()
    };
    config.pipelines.insert(NAME.to_owned(), traced);
    let gannet = Gannet::open(config).await?;
    let mut out = std::io::stdout().lock();
    let names = json!({
        "features_version": gannet_reader::FEATURES_VERSION,
        "sentence": gannet_reader::SentenceFeatures::NAMES,
        "answer": gannet_reader::AnswerFeatures::NAMES,
        "word": gannet_reader::WordFeatures::NAMES,
    });
    writeln!(out, "{names}")?;
    for line in BufReader::new(std::fs::File::open(questions)?).lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let mut input = SearchInput::new(question["text"].as_str().unwrap_or_default());
        input.mode = Some(NAME.to_owned());
        input
            .params
            .insert(WITHOUT.to_owned(), question["without"].clone());
        let result = gannet.search(input).await?;
        let details = result.pipeline_details.unwrap_or_default();
        let line = json!({ "id": question["id"], "trace": details["trace"] });
        writeln!(out, "{line}")?;
    }
    Ok(gannet.close().await?)
}
