//! The models as providers of the host.

mod embedder;
mod pooling;
mod reranker;

use futures::channel::oneshot;
use gannet_plugin::prelude::{Error, Result};

pub use embedder::{Builtin, Settings};
pub use reranker::{CrossEncoderReranker, RerankerSettings};

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
