//! What the store remembers of an idempotency key, and until when.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// A use of a key: from a request that it is first sent with until it expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeyUse {
    /// The digest of the request.
    pub body: String,
    /// How many uses of the key expired before. It is counted, and not drawn:
    /// two servers that begin a use at once begin the same one.
    pub number: u64,
    /// When the use began.
    pub since: Timestamp,
}

impl KeyUse {
    /// A use that begins.
    pub fn begun(number: u64, body: &str, now: Timestamp) -> Self {
        Self {
            body: body.to_owned(),
            number,
            since: now,
        }
    }

    /// The use that a request with this digest belongs to: that of before while
    /// it is valid, for so many hours, or the next one.
    pub fn after(before: Option<Self>, body: &str, now: Timestamp, hours: u32) -> Self {
        match before {
            Some(before) if before.has_expired(now, hours) => {
                Self::begun(before.number + 1, body, now)
            }
            Some(before) => before,
            None => Self::begun(0, body, now),
        }
    }

    fn has_expired(&self, now: Timestamp, hours: u32) -> bool {
        let valid_for = SignedDuration::from_hours(i64::from(hours));
        now.duration_since(self.since) >= valid_for
    }

    /// What the store keeps. Earlier versions kept the digest alone: such a use
    /// counts from now on, since repeating a request early writes twice.
    pub fn read(text: &str, now: Timestamp) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self::begun(0, text, now))
    }

    /// What the store is to keep.
    pub fn text(&self) -> String {
        // Texts and a number in a plain structure: they are always JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_use_lasts_for_its_hours_and_then_the_next_one_begins() {
        let began = at("2025-03-01T08:00:00Z");
        let first = KeyUse::after(None, "a", began, 24);
        assert_eq!(first, KeyUse::begun(0, "a", began));
        let almost = at("2025-03-02T07:59:59Z");
        let same = KeyUse::after(Some(first.clone()), "b", almost, 24);
        assert_eq!(same, first);
        let over = at("2025-03-02T08:00:00Z");
        let next = KeyUse::after(Some(first.clone()), "b", over, 24);
        assert_eq!(next, KeyUse::begun(1, "b", over));
        // A clock that was set back ends nothing.
        let earlier = at("2025-02-01T00:00:00Z");
        assert_eq!(KeyUse::after(Some(first.clone()), "b", earlier, 24), first);
    }

    #[test]
    fn what_is_kept_reads_back_and_a_digest_alone_counts_from_now_on() {
        let now = at("2025-03-01T08:00:00.25Z");
        let kept = KeyUse::begun(3, "digest", now);
        let later = at("2026-01-01T00:00:00Z");
        assert_eq!(KeyUse::read(&kept.text(), later), kept);
        let digest = "0".repeat(64);
        assert_eq!(KeyUse::read(&digest, now), KeyUse::begun(0, &digest, now));
    }
}
