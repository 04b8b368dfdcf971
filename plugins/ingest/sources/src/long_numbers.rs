//! Numbers of a JSON record whose digits no 64-bit number holds: serial
//! numbers of 30 digits, decimals of a database, `1e400`.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// Significant digits that a 64-bit floating-point number is written with.
const DIGITS: usize = 17;

/// The JSON with each such number as a string, so that it keeps its digits.
pub(crate) fn long_numbers_as_text(json: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let (mut at, mut in_string) = (0, false);
    let bytes = json.as_bytes();
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if in_string => at += 1,
            b'"' => in_string = !in_string,
            b'-' | b'0'..=b'9' if !in_string => {
                let end = end_of_number(bytes, at);
                let number = &json[at..end];
                if is_cut(number) {
                    out.push_str(&json[copied..at]);
                    out.push_str(&format!("\"{number}\""));
                    copied = end;
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    match copied {
        0 => Cow::Borrowed(json),
        _ => Cow::Owned(out + &json[copied..]),
    }
}

fn end_of_number(bytes: &[u8], from: usize) -> usize {
    let is_part = |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
    let length = bytes[from..].iter().take_while(|byte| is_part(byte));
    from + length.count()
}

/// Whether it is a number of JSON that loses digits as one of 64 bits.
fn is_cut(number: &str) -> bool {
    let is_short = number.len() <= DIGITS && !number.contains(['e', 'E']);
    if is_short || serde_json::from_str::<IgnoredAny>(number).is_err() {
        return false;
    }
    if !number.contains(['.', 'e', 'E']) {
        return number.parse::<i64>().is_err() && number.parse::<u64>().is_err();
    }
    let mantissa = number.split(['e', 'E']).next().unwrap_or(number);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_matches('0').len();
    let value = number.parse::<f64>().unwrap_or(f64::NAN);
    significant > DIGITS || !value.is_finite() || (significant > 0 && value == 0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_number_that_would_lose_digits_becomes_a_string() {
        for number in [
            "123456789012345678901234567890",
            "18446744073709551616",
            "-9223372036854775809",
            "0.1234567890123456789",
            "-3.141592653589793238e2",
            "1e400",
            "1E-400",
        ] {
            let json = format!(r#"{{"a": [{number}], "b": {number}}}"#);
            let expected = format!(r#"{{"a": ["{number}"], "b": "{number}"}}"#);
            assert_eq!(long_numbers_as_text(&json), expected);
        }
    }

    #[test]
    fn other_numbers_and_texts_stay_as_they_are() {
        for json in [
            r#"{"a": 9007199254740993, "b": 18446744073709551615, "c": -9223372036854775808}"#,
            r#"{"a": 0.30000000000000004, "b": 1.10, "c": 100000000000000000000.0, "d": 0e999}"#,
            r#"{"a": "1e400", "\"123456789012345678901234567890": "\\", "b": 1e2}"#,
            "00000000000000000000000000000001",
            "12345678901234567890-1234567890",
            "\"1e400",
            "",
        ] {
            assert_eq!(long_numbers_as_text(json), json);
        }
    }
}
