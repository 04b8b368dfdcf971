//! The word pieces and their numbers: one text block and an open-addressing
//! table over it, so that a model opens without thirty thousand small
//! allocations.

use crate::Error;

const EMPTY: u32 = u32::MAX;
const CONTINUATION_PREFIX: &[u8] = b"##";

/// Where in a word a piece may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPosition {
    /// At the start of a word.
    Start,
    /// After another piece; written `##piece` in a vocabulary file.
    Inside,
}

/// The pieces of a BERT vocabulary by text.
pub(super) struct Vocabulary {
    pieces: Vec<Piece>,
    text: Box<[u8]>,
    slots: Box<[u32]>,
    longest_start: usize,
    longest_inside: usize,
}

#[derive(Clone, Copy)]
struct Piece {
    begin: u32,
    end: u32,
    position: WordPosition,
}

impl Vocabulary {
    /// Reads a `vocab.txt`: one piece a line, the line number is its id.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        if text.len() >= EMPTY as usize {
            return Err(Error::Vocabulary {
                reason: "it is larger than 4 GB".to_owned(),
            });
        }
        let mut vocabulary = Self {
            pieces: Vec::with_capacity(text.len() / 7),
            text: text.as_bytes().into(),
            slots: Box::default(),
            longest_start: 0,
            longest_inside: 0,
        };
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            vocabulary.push(begin, line.trim_end_matches(['\r', '\n']).len());
            begin += line.len();
        }
        vocabulary.index();
        Ok(vocabulary)
    }

    /// How many pieces there are.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The id of a piece at a position.
    pub(super) fn id(&self, piece: &[u8], position: WordPosition) -> Option<u32> {
        let mut slot = self.first_slot(piece, position);
        loop {
            let id = self.slots[slot];
            if id == EMPTY {
                return None;
            }
            let candidate = self.pieces[id as usize];
            if candidate.position == position && self.text_of(candidate) == piece {
                return Some(id);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The number of bytes of the longest piece at a position.
    pub(super) fn longest(&self, position: WordPosition) -> usize {
        match position {
            WordPosition::Start => self.longest_start,
            WordPosition::Inside => self.longest_inside,
        }
    }

    fn push(&mut self, line_begin: usize, length: usize) {
        let line = &self.text[line_begin..line_begin + length];
        let is_inside = length > CONTINUATION_PREFIX.len() && line.starts_with(CONTINUATION_PREFIX);
        let (position, skipped) = if is_inside {
            (WordPosition::Inside, CONTINUATION_PREFIX.len())
        } else {
            (WordPosition::Start, 0)
        };
        let piece_length = length - skipped;
        match position {
            WordPosition::Start => self.longest_start = self.longest_start.max(piece_length),
            WordPosition::Inside => self.longest_inside = self.longest_inside.max(piece_length),
        }
        self.pieces.push(Piece {
            begin: (line_begin + skipped) as u32,
            end: (line_begin + length) as u32,
            position,
        });
    }

    fn index(&mut self) {
        let capacity = (self.pieces.len() * 2).next_power_of_two().max(2);
        self.slots = vec![EMPTY; capacity].into();
        for id in 0..self.pieces.len() {
            let piece = self.pieces[id];
            let mut slot = self.first_slot(self.text_of(piece), piece.position);
            while self.slots[slot] != EMPTY && !self.same(self.slots[slot], piece) {
                slot = (slot + 1) & (capacity - 1);
            }
            self.slots[slot] = id as u32;
        }
    }

    fn same(&self, id: u32, piece: Piece) -> bool {
        let other = self.pieces[id as usize];
        other.position == piece.position && self.text_of(other) == self.text_of(piece)
    }

    fn text_of(&self, piece: Piece) -> &[u8] {
        &self.text[piece.begin as usize..piece.end as usize]
    }

    fn first_slot(&self, piece: &[u8], position: WordPosition) -> usize {
        let seed = match position {
            WordPosition::Start => 0x243f_6a88_85a3_08d3,
            WordPosition::Inside => 0x1319_8a2e_0370_7344,
        };
        hash(piece, seed) as usize & (self.slots.len() - 1)
    }
}

fn hash(bytes: &[u8], seed: u64) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut state = seed ^ bytes.len() as u64;
    for word in words {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(MULTIPLIER);
        state ^= state >> 29;
    }
    let mut last = 0;
    for byte in rest {
        last = last << 8 | u64::from(*byte);
    }
    state = (state ^ last).wrapping_mul(MULTIPLIER);
    state ^ state >> 32
}
