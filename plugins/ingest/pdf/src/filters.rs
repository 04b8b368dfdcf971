//! Decodes streams, no further than the budget goes.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::PdfError;
use crate::budget::Budget;

/// Decodes by one filter; `None` for a filter of pictures, and one that is not
/// known. What is damaged is decoded up to the damage, which the budget notes.
pub(crate) fn decode(
    filter: &[u8],
    bytes: &[u8],
    budget: &mut Budget<'_>,
) -> Result<Option<Vec<u8>>, PdfError> {
    let decoded = match filter {
        b"FlateDecode" | b"Fl" => inflate(bytes, budget),
        b"LZWDecode" | b"LZW" => unpack_lzw(bytes, budget.decodable()),
        b"RunLengthDecode" | b"RL" => unpack_runs(bytes, budget.decodable()),
        b"ASCIIHexDecode" | b"AHx" => from_hexadecimal(bytes),
        b"ASCII85Decode" | b"A85" => from_base_85(bytes),
        _ => return Ok(None),
    };
    budget.take_decoded(decoded.len())?;
    Ok(Some(decoded))
}

/// One byte more than `most` tells that there is more.
fn inflate(bytes: &[u8], budget: &mut Budget<'_>) -> Vec<u8> {
    let mut decoded = Vec::new();
    let limit = budget.decodable() as u64 + 1;
    // Damage ends the stream: what came before it stays.
    let read = ZlibDecoder::new(bytes)
        .take(limit)
        .read_to_end(&mut decoded);
    if read.is_err() {
        budget.note_damage();
    }
    decoded
}

fn from_hexadecimal(bytes: &[u8]) -> Vec<u8> {
    let digits = bytes.iter().take_while(|byte| **byte != b'>');
    let digits: Vec<u8> = digits
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    let pairs = digits.chunks(2);
    let byte = |pair: &[u8]| 16 * pair[0] + pair.get(1).copied().unwrap_or(0);
    pairs.map(byte).collect()
}

fn from_base_85(bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut group = Vec::with_capacity(5);
    for byte in bytes {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => decoded.extend([0; 4]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            decoded.extend(of_base_85(&group));
            group.clear();
        }
    }
    if group.len() > 1 {
        let count = group.len() - 1;
        group.resize(5, 84);
        decoded.extend(&of_base_85(&group)[..count]);
    }
    decoded
}

fn of_base_85(digits: &[u8]) -> [u8; 4] {
    let value = digits.iter().fold(0_u32, |value, digit| {
        value.wrapping_mul(85).wrapping_add((*digit).into())
    });
    value.to_be_bytes()
}

fn unpack_runs(bytes: &[u8], most: usize) -> Vec<u8> {
    let mut decoded = Vec::new();
    let mut rest = bytes;
    while let [length, behind @ ..] = rest {
        let length = usize::from(*length);
        match length {
            0..=127 => {
                let taken = behind.len().min(length + 1);
                decoded.extend(&behind[..taken]);
                rest = &behind[taken..];
            }
            128 => break,
            _ => {
                let Some((byte, behind)) = behind.split_first() else {
                    break;
                };
                decoded.extend(std::iter::repeat_n(*byte, 257 - length));
                rest = behind;
            }
        }
        if decoded.len() > most {
            break;
        }
    }
    decoded
}

const LZW_CLEAR: usize = 256;
const LZW_END: usize = 257;
const LZW_WIDEST: u32 = 12;

/// LZW as TIFF has it: the highest bit first, codes widen one code early.
fn unpack_lzw(bytes: &[u8], most: usize) -> Vec<u8> {
    let mut decoded: Vec<u8> = Vec::new();
    // Where in `decoded` the text of a code is.
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut before: Option<(usize, usize)> = None;
    let (mut bits, mut count, mut width) = (0_u32, 0_u32, 9_u32);
    for byte in bytes {
        bits = (bits << 8) | u32::from(*byte);
        count += 8;
        if count < width {
            continue;
        }
        count -= width;
        let code = (bits >> count) as usize & ((1 << width) - 1);
        match code {
            LZW_CLEAR => {
                places.clear();
                before = None;
                width = 9;
                continue;
            }
            LZW_END => break,
            _ => {}
        }
        let start = decoded.len();
        match (code, places.get(code.wrapping_sub(LZW_END + 1)), before) {
            (0..=255, _, _) => decoded.push(code.to_le_bytes()[0]),
            (_, Some(&(from, length)), _) => decoded.extend_from_within(from..from + length),
            // The code that is made at this very moment.
            (_, None, Some((from, length))) => {
                decoded.extend_from_within(from..from + length);
                decoded.push(decoded[from]);
            }
            (_, None, None) => break,
        }
        if let Some((from, length)) = before
            && places.len() < (1 << LZW_WIDEST) - LZW_END
        {
            // The text before with the first byte of this one, which follows it.
            places.push((from, length + 1));
        }
        before = Some((start, decoded.len() - start));
        let next = LZW_END + 2 + places.len();
        width = (usize::BITS - next.leading_zeros()).clamp(9, LZW_WIDEST);
        if decoded.len() > most {
            break;
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::Limits;

    fn decoded(filter: &str, bytes: &[u8]) -> Vec<u8> {
        let limits = Limits::default();
        let mut budget = Budget::new(&limits);
        decode(filter.as_bytes(), bytes, &mut budget)
            .unwrap()
            .unwrap()
    }

    #[test]
    fn each_filter_gives_what_was_put_in() {
        assert_eq!(decoded("ASCIIHexDecode", b"48 65 6c 6C 6f>ff"), b"Hello");
        assert_eq!(decoded("ASCII85Decode", b"87cURDZ~>"), b"Hello");
        assert_eq!(decoded("RunLengthDecode", b"\x01ab\xfec\x80x"), b"abccc");
        // The example of the format's specification.
        let lzw = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        let text = [45, 45, 45, 45, 45, 65, 45, 45, 45, 66];
        assert_eq!(decoded("LZWDecode", &lzw), text);
    }

    #[test]
    fn the_budget_ends_what_expands_without_end() {
        let limits = Limits {
            max_decoded_bytes: 1_000,
            ..Limits::default()
        };
        let runs = [0x81, b'x'].repeat(1_000_000);
        let refused = decode(b"RL", &runs, &mut Budget::new(&limits)).unwrap_err();
        assert!(matches!(refused, PdfError::TooLarge { limit: 1_000, .. }));
    }
}
