//! A place in a list of entries.

use gannet_api::Entry;

use crate::error::StoreError;
use crate::request::Cursor;

/// A place in the order of time: timestamp in microseconds, then entry id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) micros: i64,
    pub(crate) entry_id: String,
}

impl Position {
    pub(crate) fn of(entry: &Entry) -> Self {
        Self {
            micros: entry.timestamp.as_microsecond(),
            entry_id: entry.entry_id.clone(),
        }
    }

    /// Hexadecimal, so that it passes through URLs and headers as it is.
    pub(crate) fn write(&self) -> Cursor {
        let plain = format!("{}:{}", self.micros, self.entry_id);
        Cursor(plain.bytes().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(crate) fn read(cursor: &Cursor) -> Result<Self, StoreError> {
        let wrong = || StoreError::InvalidRequest {
            message: "the cursor is not valid for this list; start from the first page".to_owned(),
        };
        let digits = cursor.0.as_bytes();
        if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
            return Err(wrong());
        }
        let bytes: Option<Vec<u8>> = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
            .collect();
        let plain = String::from_utf8(bytes.ok_or_else(wrong)?).map_err(|_| wrong())?;
        let (micros, entry_id) = plain.split_once(':').ok_or_else(wrong)?;
        Ok(Self {
            micros: micros.parse().map_err(|_| wrong())?,
            entry_id: entry_id.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_position_survives_the_way_through_a_cursor() {
        let position = Position {
            micros: -5,
            entry_id: "a:b/ü \u{0}".to_owned(),
        };
        assert_eq!(Position::read(&position.write()).unwrap(), position);
    }

    #[test]
    fn a_strange_cursor_is_an_error_and_not_the_first_page() {
        for strange in ["", "zz", "abc", "ü", "3132"] {
            assert!(
                Position::read(&Cursor(strange.to_owned())).is_err(),
                "{strange}"
            );
        }
    }
}
