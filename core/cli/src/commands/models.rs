//! `gannet models`: model files.

use gannet_minilm::{Converted, ModelKind};

use crate::arguments::ModelsCommand;
use crate::failure::{Exit, Failure};
use crate::render::GOOD;

/// Makes a model file.
pub fn run(command: ModelsCommand) -> Result<Exit, Failure> {
    let made = match &command {
        ModelsCommand::Quantize { source, output } => gannet_minilm::quantize(source, output),
        ModelsCommand::Import { source, output } => gannet_minilm::import(source, output),
    };
    let made = made.map_err(Failure::usage)?;
    outln!(
        "{GOOD}written{GOOD:#} {} ({} MB): {}",
        made.path.display(),
        made.bytes / 1_000_000,
        describe(&made)
    );
    Ok(Exit::Done)
}

/// What was made, and which setting takes it.
fn describe(made: &Converted) -> String {
    let Converted {
        model_id,
        dimension,
        max_tokens,
        ..
    } = made;
    match made.kind {
        ModelKind::Embedder => format!(
            "{model_id}, an embedder with {dimension} dimensions and {max_tokens} tokens per \
             text, for `model_path` of the provider `builtin`"
        ),
        ModelKind::Reranker => format!(
            "{model_id}, a reranker with {max_tokens} tokens per pair, for `path` of the provider `cross_encoder`"
        ),
    }
}
