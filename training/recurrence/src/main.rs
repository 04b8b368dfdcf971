//! Writes what the models of recurrence see of entries: the features of the
//! candidates that each is compared with, one entry a line.
//!
//! ```sh
//! cargo run --release -p gannet-train-recurrence -- STORE ENTRIES > TRACES
//! ```
//!
//! STORE is a folder that `gannet eval DIR --data STORE` filled; ENTRIES has
//! an id a line.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};

use gannet_builtin as _;
use gannet_core::config::Config;
use gannet_core::{Gannet, PairFeatures};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(entries)) = (arguments.next(), arguments.next()) else {
        return Err("usage: gannet-train-recurrence STORE ENTRIES".into());
    };
    let mut config = Config::default();
    config.store.path = store.into();
    let gannet = Gannet::open(config).await?;
    let mut out = std::io::stdout().lock();
    let names = json!({
        "features_version": PairFeatures::VERSION,
        "features": PairFeatures::NAMES,
    });
    writeln!(out, "{names}")?;
    for line in BufReader::new(std::fs::File::open(entries)?).lines() {
        let id = line?;
        let pairs = gannet.pair_features(&id).await?;
        let pairs = pairs.ok_or_else(|| format!("no entry `{id}`"))?;
        let pairs = pairs
            .iter()
            .map(|(id, features)| json!({ "id": id, "features": features.values() }));
        let pairs: Vec<_> = pairs.collect();
        writeln!(out, "{}", json!({ "id": id, "entries": pairs }))?;
    }
    Ok(gannet.close().await?)
}
