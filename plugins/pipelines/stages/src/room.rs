//! How much a model may say.

/// Characters of one turn of a model at most. No answer is as long; a server
/// that never ends must not fill the memory.
const CHARS_OF_A_TURN: usize = 65_536;

/// The reason for an end with which a server says that the model had more to
/// say than it was allowed.
pub const CUT_AT_ITS_LIMIT: &str = "length";

/// The room that is left for one turn of a model.
///
/// ```
/// use gannet_stages::TurnRoom;
///
/// let mut room = TurnRoom::default();
/// assert_eq!(room.take("It tripped."), "It tripped.");
/// assert_eq!(room.take(&"x".repeat(70_000)).len(), 65_536 - 11);
/// assert!(room.is_used_up());
/// ```
#[derive(Debug)]
pub struct TurnRoom {
    chars_left: usize,
    is_used_up: bool,
}

impl Default for TurnRoom {
    fn default() -> Self {
        Self {
            chars_left: CHARS_OF_A_TURN,
            is_used_up: false,
        }
    }
}

impl TurnRoom {
    /// The beginning of a piece for which there is room.
    pub fn take<'a>(&mut self, piece: &'a str) -> &'a str {
        match piece.char_indices().nth(self.chars_left) {
            Some((end, _)) => {
                self.chars_left = 0;
                self.is_used_up = true;
                &piece[..end]
            }
            None => {
                self.chars_left -= piece.chars().count();
                piece
            }
        }
    }

    /// Whether there was more than there is room for.
    pub fn is_used_up(&self) -> bool {
        self.is_used_up
    }
}
