//! Opens the host as the arguments say.

use gannet_core::config::{self, LoadOptions, Loaded};
use gannet_core::{Gannet, Stop};

use crate::arguments::Common;
use crate::failure::Failure;

/// Reads the configuration in all its layers, flags last.
pub fn configuration(common: &Common, more: &[(&str, String)]) -> Result<Loaded, Failure> {
    let mut overrides = Vec::new();
    if let Some(folder) = &common.data {
        overrides.push(("store.path".to_owned(), folder.display().to_string()));
    }
    for (key, value) in more {
        overrides.push(((*key).to_owned(), value.clone()));
    }
    let options = LoadOptions::of_process(common.config.clone(), overrides);
    let loaded = config::load(options)?;
    for notice in &loaded.notices {
        tracing::warn!("{notice}");
    }
    Ok(loaded)
}

/// Opens the host.
pub async fn open(common: &Common) -> Result<Gannet, Failure> {
    let loaded = configuration(common, &[])?;
    Gannet::open(loaded.config.clone())
        .await
        .map_err(|error| Failure::from(error).located(&loaded))
}

/// A wish to stop that Ctrl-C raises; the second Ctrl-C ends the program.
pub fn stop_on_interrupt() -> Stop {
    let stop = Stop::default();
    let raised = stop.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if raised.is_raised() {
                std::process::exit(130);
            }
            eprintln!("stopping after this batch; press Ctrl-C again to stop at once");
            raised.raise();
        }
    });
    stop
}
