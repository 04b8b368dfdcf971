//! A body that goes out in pieces, and knows when nobody reads it any more.

use axum::body::{Body, Bytes};
use futures::StreamExt;
use futures::stream;
use tokio::sync::watch;

use crate::reply::Ending;

/// Counts the answers whose reader went away while they hung.
#[derive(Clone)]
pub(crate) struct Abandoned(watch::Sender<usize>);

/// Counts one when it is dropped.
struct Waiting(Abandoned);

impl Abandoned {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<usize> {
        self.0.subscribe()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count += 1);
    }
}

/// Never ends; counts when the one that waits for it goes away.
pub(crate) async fn hang(abandoned: Abandoned) {
    let _waiting = Waiting(abandoned);
    std::future::pending::<()>().await;
}

/// The pieces as chunks of one body, then the ending.
pub(crate) fn body(pieces: Vec<String>, ending: Ending, abandoned: Abandoned) -> Body {
    let pieces = pieces.into_iter().map(|piece| Ok(Bytes::from(piece)));
    let pieces = stream::iter(pieces).then(|piece| async {
        // A chunk of its own for each piece.
        tokio::task::yield_now().await;
        piece
    });
    let end = stream::once(async move {
        match ending {
            Ending::Hang => {
                hang(abandoned).await;
                None
            }
            Ending::Cut => {
                // What was said goes out first.
                tokio::task::yield_now().await;
                Some(Err(std::io::Error::other("the script cuts the answer")))
            }
            Ending::Whole | Ending::Malformed => None,
        }
    });
    Body::from_stream(pieces.chain(end.filter_map(|item| async { item })))
}

/// A text in pieces: each word with the space before it.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for letter in text.chars() {
        match pieces.last_mut() {
            Some(piece) if letter != ' ' => piece.push(letter),
            _ => pieces.push(letter.to_string()),
        }
    }
    pieces
}

/// A text in two pieces.
pub(crate) fn halves(text: &str) -> [String; 2] {
    let middle = text.chars().count() / 2;
    [
        text.chars().take(middle).collect(),
        text.chars().skip(middle).collect(),
    ]
}
