//! The turn of a model, out of the lines of an answer.

use std::collections::VecDeque;
use std::time::Duration;

use futures::{StreamExt, stream};
use gannet_plugin::{ChatChunk, ChatStream, Result};

use crate::answer::{Answer, MAX_TURN};
use crate::lines::Lines;

/// How long an answer that has given its reason to end may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// What cannot be used of an answer.
pub(crate) enum Unusable {
    /// It cannot be read: why, and what stands there.
    Unreadable { why: String, raw: String },
    /// The server says that it failed.
    Reported(String),
}

/// Reads the lines of one form of answers.
pub(crate) trait Turn: Send + 'static {
    /// Reads a line; what it gives at once is added to `ready`.
    fn line(
        &mut self,
        line: &str,
        ready: &mut VecDeque<ChatChunk>,
    ) -> std::result::Result<(), Unusable>;

    /// Bytes that it keeps for later: calls of tools, and what is not whole.
    fn kept_bytes(&self) -> usize;

    /// Whether the reason to end was given: more may come, nothing must.
    fn has_reason(&self) -> bool;

    /// Whether nothing more comes.
    fn is_over(&self) -> bool;

    /// What is left to give at the end. `complete` says that the connection
    /// ended as it should.
    fn end(
        &mut self,
        complete: bool,
        ready: &mut VecDeque<ChatChunk>,
    ) -> std::result::Result<(), Unusable>;
}

/// The pieces of a completion. Dropping the stream ends the request.
pub(crate) fn chunks(answer: Answer, turn: impl Turn) -> ChatStream {
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
    answer: Answer,
    turn: T,
    lines: Lines,
    ready: VecDeque<ChatChunk>,
    /// Bytes of text so far.
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
                // All was said: a server that does not hang up, or does it
                // roughly, takes nothing from it.
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
