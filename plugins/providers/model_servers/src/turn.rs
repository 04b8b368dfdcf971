//! Reads the turn of a model from the lines of a response.

use std::collections::VecDeque;
use std::time::Duration;

use futures::{StreamExt, stream};
use gannet_plugin::prelude::Result;
use gannet_plugin::provider::{ChatChunk, ChatStream};

use crate::lines::Lines;
use crate::response::{ChatResponse, MAX_TURN};

/// How long a response may take to end after its finish reason.
const GRACE: Duration = Duration::from_secs(2);

/// Why a response is unusable.
pub(crate) enum Unusable {
    /// It cannot be parsed: the reason and the text.
    Unreadable { why: String, raw: String },
    /// The server reports an error.
    Reported(String),
}

/// A parser of the lines of a response.
pub(crate) trait Turn: Send + 'static {
    /// Parses a line and adds available chunks to `ready`.
    fn line(
        &mut self,
        line: &str,
        ready: &mut VecDeque<ChatChunk>,
    ) -> std::result::Result<(), Unusable>;

    /// Size of the buffered data in bytes: tool calls and incomplete events.
    fn kept_bytes(&self) -> usize;

    /// Whether the finish reason was received; more data may follow.
    fn has_reason(&self) -> bool;

    /// Whether the turn is complete.
    fn is_over(&self) -> bool;

    /// The remaining chunks at the end. `complete` tells whether the connection was
    /// closed properly.
    fn end(
        &mut self,
        complete: bool,
        ready: &mut VecDeque<ChatChunk>,
    ) -> std::result::Result<(), Unusable>;
}

/// The chunks of a completion. Dropping the stream cancels the request.
pub(crate) fn chunks(answer: ChatResponse, turn: impl Turn) -> ChatStream {
    let pieces = Pieces {
        answer,
        turn,
        lines: Lines::default(),
        ready: VecDeque::new(),
        said: 0,
        is_over: false,
    };
    stream::try_unfold(pieces, |mut pieces| async move {
        let chunk = pieces.next().await?;
        Ok(chunk.map(|chunk| (chunk, pieces)))
    })
    .boxed()
}

struct Pieces<T> {
    answer: ChatResponse,
    turn: T,
    lines: Lines,
    ready: VecDeque<ChatChunk>,
    /// Size of the text so far in bytes.
    said: usize,
    is_over: bool,
}

impl<T: Turn> Pieces<T> {
    async fn next(&mut self) -> Result<Option<ChatChunk>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Ok(Some(chunk));
            }
            if self.is_over {
                return Ok(None);
            }
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Result<()> {
        let piece = match self.turn.has_reason() {
            true => match tokio::time::timeout(GRACE, self.answer.piece()).await {
                Ok(Ok(piece)) => piece,
                // The turn is complete, however the server closes the connection.
                Ok(Err(_)) | Err(_) => None,
            },
            false => self.answer.piece().await?,
        };
        let lines = match &piece {
            Some(piece) => self.lines.push(piece),
            None => self.lines.rest().into_iter().collect(),
        };
        self.short_enough(self.lines.open_bytes())?;
        for line in lines {
            self.short_enough(line.len())?;
            let ready_before = self.ready.len();
            let read = self.turn.line(&line, &mut self.ready);
            self.usable(read)?;
            self.said += bytes_of_text(self.ready.iter().skip(ready_before));
            self.short_enough(self.said + self.turn.kept_bytes())?;
        }
        if piece.is_none() || self.turn.is_over() {
            if piece.is_some() {
                self.answer.drain().await;
            }
            self.is_over = true;
            let complete = self.answer.has_a_marked_end();
            let ended = self.turn.end(complete, &mut self.ready);
            self.usable(ended)?;
        }
        Ok(())
    }

    fn short_enough(&self, bytes: usize) -> Result<()> {
        match bytes <= MAX_TURN {
            true => Ok(()),
            false => Err(self.answer.endpoint().too_long(MAX_TURN)),
        }
    }

    fn usable(&self, read: std::result::Result<(), Unusable>) -> Result<()> {
        let endpoint = self.answer.endpoint();
        read.map_err(|unusable| match unusable {
            Unusable::Unreadable { why, raw } => endpoint.unreadable(why, &raw),
            Unusable::Reported(said) => {
                let said = endpoint.excerpt(&said);
                endpoint.failed(format!("reports an error: {said}"), false)
            }
        })
    }
}

fn bytes_of_text<'a>(chunks: impl Iterator<Item = &'a ChatChunk>) -> usize {
    let bytes = chunks.map(|chunk| match chunk {
        ChatChunk::Token(text) => text.len(),
        _ => 0,
    });
    bytes.sum()
}
