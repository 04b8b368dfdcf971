//! `gannet models`: model files.

use std::path::Path;

use crate::arguments::ModelsCommand;
use crate::failure::{Exit, Failure};
use crate::render::GOOD;

/// Makes a model file.
pub fn run(command: ModelsCommand) -> Result<Exit, Failure> {
    let output = match &command {
        ModelsCommand::Quantize { source, output } => {
            gannet_minilm::quantize(source, output).map_err(Failure::usage)?;
            output
        }
        ModelsCommand::Import { source, output } => {
            gannet_minilm::import(source, output).map_err(Failure::usage)?;
            output
        }
    };
    anstream::println!(
        "{GOOD}written{GOOD:#} {} ({} MB)",
        output.display(),
        megabytes(output)?
    );
    Ok(Exit::Done)
}

fn megabytes(file: &Path) -> Result<u64, Failure> {
    Ok(std::fs::metadata(file)?.len() / 1_000_000)
}
