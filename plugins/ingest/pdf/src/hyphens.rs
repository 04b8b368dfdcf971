//! Words that are hyphenated at the end of a line.

/// Words that follow a hyphen which stays: `Vakuum- und Kühlpumpen`.
const AFTER_A_PART: [&str; 8] = ["and", "or", "to", "und", "oder", "bzw", "et", "ou"];
/// Letters of a part at least.
const LEAST_PART: usize = 2;

/// Joins the parts of words whose second part begins the next line in lower
/// case; what is left of that line follows on a line of its own. A word that
/// the text has with its hyphen within a line keeps it.
pub(crate) fn join(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut joined = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let Some((first, second)) = parts(&joined, line) else {
            joined.push('\n');
            joined.push_str(line);
            continue;
        };
        let (is_written, length) = (text.contains(&format!("{first}-{second}")), second.len());
        let hyphen = joined.pop();
        joined.extend(hyphen.filter(|hyphen| is_written && *hyphen == '-'));
        let word = line.find(' ').unwrap_or(line.len());
        let (word, rest) = line.split_at(word.max(length));
        joined.push_str(word);
        if let Some(rest) = rest.strip_prefix(' ').filter(|rest| !rest.is_empty()) {
            joined.push('\n');
            joined.push_str(rest);
        }
    }
    joined
}

/// The parts of a word, before the end of a text and at the beginning of a line.
fn parts<'a>(text: &'a str, line: &'a str) -> Option<(&'a str, &'a str)> {
    let before = text.strip_suffix(['-', '\u{ad}', '‐'])?;
    let first = before
        .rsplit(|letter: char| !letter.is_alphabetic())
        .next()?;
    let second = line.split(|letter: char| !letter.is_alphabetic()).next()?;
    let is_part = |part: &str| part.chars().count() >= LEAST_PART;
    let is_lower = |letter: Option<char>| letter.is_some_and(char::is_lowercase);
    let is_joined = is_part(first)
        && is_part(second)
        && is_lower(first.chars().next_back())
        && is_lower(second.chars().next())
        && !AFTER_A_PART.contains(&second);
    is_joined.then_some((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_word_are_joined_where_it_goes_on_in_lower_case() {
        for (text, joined) in [
            ("the tempera-\nture rises", "the temperature\nrises"),
            ("a tempera-\nture, high", "a temperature,\nhigh"),
            ("Druck\u{ad}\nabfall", "Druckabfall"),
            ("over-\nflow", "overflow"),
            (
                "a well-known well-\nknown pump",
                "a well-known well-known\npump",
            ),
            ("Vakuum-\nund Kühlpumpen", "Vakuum-\nund Kühlpumpen"),
            ("the RF-\nsystem", "the RF-\nsystem"),
            ("pump-\nHall 3", "pump-\nHall 3"),
            ("a -\nb", "a -\nb"),
            ("end-\n\nnext", "end-\n\nnext"),
            ("", ""),
        ] {
            assert_eq!(join(text), joined, "{text}");
        }
    }
}
