//! A part of a text, as the interfaces of the server name it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

/// A part of a text, in bytes of its UTF-8 form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TextRange {
    /// The first byte.
    start: usize,
    /// The byte behind the last one.
    end: usize,
}

impl TextRange {
    /// These parts.
    pub fn of(ranges: Vec<Range<usize>>) -> Vec<Self> {
        let ranges = ranges.into_iter();
        ranges
            .map(|Range { start, end }| Self { start, end })
            .collect()
    }
}
