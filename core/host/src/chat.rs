//! A chat model's answer, bounded: it ends at the deadline, and a panic in it
//! is an error of the model's.

use futures::StreamExt;
use futures::stream::unfold;
use gannet_api::{ChatChunk, ChatStream, Deadline, Result};

use crate::isolate::{next_of, within};

/// The pieces of a stream until the deadline, and no more after an error.
/// `note` looks at each outcome before it is given on.
pub(crate) fn bounded(
    stream: ChatStream,
    operation: String,
    deadline: Deadline,
    note: impl Fn(Result<Option<ChatChunk>>) -> Result<Option<ChatChunk>> + Send + Sync + 'static,
) -> ChatStream {
    let state = Some((stream, operation, note));
    unfold(state, move |state| async move {
        let (mut stream, operation, note) = state?;
        let next = async {
            let piece = next_of(&operation, &mut stream).await?;
            piece.transpose()
        };
        match note(within(&operation, deadline, next).await).transpose()? {
            Ok(piece) => Some((Ok(piece), Some((stream, operation, note)))),
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::unwrap_used)]

    use std::time::Duration;

    use futures::stream::{iter, pending};
    use gannet_api::Error;

    use super::*;

    fn token(text: &str) -> Result<ChatChunk> {
        Ok(ChatChunk::Token(text.to_owned()))
    }

    async fn pieces(stream: ChatStream, deadline: Deadline) -> Vec<Result<ChatChunk>> {
        bounded(stream, "chat model `x`".to_owned(), deadline, |piece| piece)
            .collect()
            .await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_stream_that_stops_in_the_middle_ends_at_the_deadline() {
        let stream = iter([token("a")]).chain(pending()).boxed();
        let pieces = pieces(stream, Deadline::after(Duration::from_millis(20))).await;
        assert_eq!(pieces[0], token("a"));
        assert!(matches!(pieces[1], Err(Error::Timeout { .. })));
        assert_eq!(pieces.len(), 2);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_is_an_error_and_the_end() {
        gannet_registry::contain::install();
        let stream = iter(0..3).map(|at| match at {
            0 => token("a"),
            _ => panic!("piece {at}"),
        });
        let pieces = pieces(stream.boxed(), Deadline::NEVER).await;
        assert_eq!(pieces.len(), 2);
        assert!(
            matches!(&pieces[1], Err(Error::Panicked { message, .. }) if message.contains("piece 1"))
        );
    }
}
