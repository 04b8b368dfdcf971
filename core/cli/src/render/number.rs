//! Numbers as people read them.

/// A score with three significant digits: `124`, `12.4`, `0.612`, `0.0325`.
pub fn score(score: f64) -> String {
    let whole_digits = match score.abs() {
        size if size >= 1e-6 => size.log10().floor() as i32 + 1,
        _ => 1,
    };
    let decimals = usize::try_from(3 - whole_digits).unwrap_or(0);
    format!("{score:.decimals$}")
}

/// `1 entry`, `2 entries`, `12,345 entries`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// `2,791 entries/s`
pub fn rate(per_second: f64, many: &str) -> String {
    format!("{} {many}/s", grouped(per_second.round().max(0.0) as u64))
}

/// A size with three significant digits: `820 B`, `1.50 MB`.
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = number as f64;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1_000.0;
        unit += 1;
    }
    let decimals = match size {
        _ if unit == 0 => 0,
        size if size < 9.995 => 2,
        size if size < 99.95 => 1,
        _ => 0,
    };
    format!("{size:.decimals$} {}", UNITS[unit])
}

/// Digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_and_a_unit() {
        let cases = [
            (0, "0 B"),
            (820, "820 B"),
            (1_500, "1.50 kB"),
            (999_600, "1.00 MB"),
            (12_345_678, "12.3 MB"),
            (5_000_000_000_000_000, "5000 TB"),
        ];
        for (number, expected) in cases {
            assert_eq!(bytes(number), expected);
        }
    }

    #[test]
    fn a_score_has_three_significant_digits() {
        let scores = [1234.5, 124.04, 12.404, 1.0, 0.6123, 0.032_51, 0.0, -0.25].map(score);
        let expected = [
            "1234", "124", "12.4", "1.00", "0.612", "0.0325", "0.00", "-0.250",
        ];
        assert_eq!(scores, expected);
    }

    #[test]
    fn counts_agree_with_their_noun_and_are_grouped() {
        assert_eq!(count(1, "entry", "entries"), "1 entry");
        assert_eq!(count(0, "entry", "entries"), "0 entries");
        assert_eq!(count(1_234_567, "entry", "entries"), "1,234,567 entries");
        assert_eq!(rate(2791.3528, "entries"), "2,791 entries/s");
    }
}
