//! The models as providers of the host.

mod embedder;
mod pooling;
mod reranker;

use std::path::Path;

use futures::channel::oneshot;
use gannet_plugin::descriptor::{InstanceDescription, ModelCard};
use gannet_plugin::prelude::{Error, Result};

pub use embedder::{Builtin, Settings};
pub use reranker::{CrossEncoderReranker, RerankerSettings};

/// What is known of the model of an instance that opens a file or a folder.
fn described_by_path(path: &Path) -> InstanceDescription {
    let (name, weights, made_by) = match path.is_dir() {
        true => (path.file_name(), path.join("model.safetensors"), ""),
        false => (
            path.file_stem(),
            path.to_owned(),
            "gannet models import SOURCE OUTPUT",
        ),
    };
    let bytes = weights.metadata().map_or(0, |file| file.len());
    let card = ModelCard::new(name.unwrap_or_default().to_string_lossy())
        .with_source(path.display().to_string())
        .with_made_by(made_by)
        .with_bytes(bytes);
    InstanceDescription::default().with_models(vec![card])
}

/// Runs long work on a separate thread, so that it does not block the caller.
async fn aside<T: Send + 'static>(
    provider: &'static str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (done, result) = oneshot::channel();
    std::thread::Builder::new()
        .name(format!("gannet-{provider}"))
        // The result is dropped if the caller is gone.
        .spawn(move || drop(done.send(work())))
        .map_err(|error| failed(provider, error.to_string()))?;
    result
        .await
        .unwrap_or_else(|_| Err(failed(provider, "its thread ended".to_owned())))
}

fn failed(provider: &str, message: String) -> Error {
    Error::Provider {
        provider: provider.to_owned(),
        message,
        retryable: false,
    }
}

gannet_plugin::export_plugin! {
    embedders: [Builtin],
    rerankers: [CrossEncoderReranker],
}
