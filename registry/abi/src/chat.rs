//! Completions that cross the boundary, piece by piece as JSON.

use abi_stable::std_types::RString;
use futures::stream::{StreamExt, unfold};
use gannet_api::{ChatChunk, ChatStream, Error, Result};
use serde_json::Value;

use crate::layout::{to_json, unreadable};
use crate::vtable::ChatStreamObject;

/// The completion of another image.
pub(crate) fn pieces_in(stream: ChatStreamObject) -> ChatStream {
    unfold(stream, |stream| async move {
        loop {
            let piece = stream.next().await.into_option()?;
            let piece = piece.into_result().map_err(Error::from);
            match piece.and_then(|json| read_piece(&json)) {
                Ok(None) => {}
                Ok(Some(piece)) => return Some((Ok(piece), stream)),
                Err(error) => return Some((Err(error), stream)),
            }
        }
    })
    .boxed()
}

/// `None` for a piece of a kind that is younger than this side.
fn read_piece(json: &str) -> Result<Option<ChatChunk>> {
    let value: Value = serde_json::from_str(json).map_err(unreadable)?;
    Ok(serde_json::from_value(value).ok())
}

/// A piece for the other side.
pub(crate) fn piece_out(piece: Result<ChatChunk>) -> Result<RString> {
    to_json(&piece?)
}
