//! The position of an index as the payload of its commits.

use gannet_index::Position;

/// The word that a payload ends with when entries are missing.
const INCOMPLETE: &str = "incomplete";

/// The payload of a position.
pub(super) fn payload_of(position: &Position) -> String {
    let mut payload = format!("{} {}", position.origin, position.applied);
    if let Some(mark) = position.mark {
        payload.push_str(&format!(" {mark}"));
    }
    if position.is_incomplete {
        payload.push_str(&format!(" {INCOMPLETE}"));
    }
    payload
}

/// The position that a payload stands for; `None` when it is none of ours.
pub(super) fn position_of(payload: &str) -> Option<Position> {
    let mut words = payload.split(' ');
    let (origin, applied) = (words.next()?, words.next()?);
    Some(Position {
        origin: origin.to_owned(),
        applied: applied.parse().ok()?,
        mark: words.clone().find_map(|word| word.parse().ok()),
        is_incomplete: words.any(|word| word == INCOMPLETE),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn a_position_survives_the_way_through_a_payload() {
        for (mark, is_incomplete) in [(None, false), (Some(-5), false), (Some(7), true)] {
            let position = Position {
                origin: "00ff".to_owned(),
                applied: 17,
                mark,
                is_incomplete,
            };
            assert_eq!(position_of(&payload_of(&position)), Some(position));
        }
        assert_eq!(position_of("17"), None);
    }
}
