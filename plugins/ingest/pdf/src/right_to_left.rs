//! Lines with words that are read from right to left. Programs draw their
//! letters from left to right all the same.

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Right,
    Left,
    /// Spaces, marks, and what stands between.
    None,
}

impl Direction {
    fn of(letter: &str) -> Self {
        let is_leftward = |letter: char| matches!(letter, '\u{590}'..='\u{8ff}');
        match () {
            () if letter.chars().any(is_leftward) => Self::Left,
            () if letter.chars().any(char::is_alphanumeric) => Self::Right,
            () => Self::None,
        }
    }
}

/// A line that was drawn from left to right, in the order in which it is read.
/// `starts` says where its letters begin: one that stands for two characters
/// has them in their order.
pub(crate) fn in_reading_order(line: String, starts: &[usize]) -> String {
    if !line
        .chars()
        .any(|letter| Direction::of(letter.encode_utf8(&mut [0; 4])) == Direction::Left)
    {
        return line;
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let letters = starts
        .iter()
        .zip(ends)
        .map(|(start, end)| &line[*start..end]);
    let mut letters: Vec<&str> = letters.collect();
    let count = |direction| {
        letters
            .iter()
            .filter(|letter| Direction::of(letter) == direction)
            .count()
    };
    // What is the lesser part stands in the other as a quotation.
    let quoted = match count(Direction::Left) >= count(Direction::Right) {
        true => {
            letters.reverse();
            Direction::Right
        }
        false => Direction::Left,
    };
    reverse_runs(&mut letters, quoted);
    letters.concat()
}

/// Reverses each run of letters of a direction, with what has none between them.
fn reverse_runs(letters: &mut [&str], direction: Direction) {
    let mut start = 0;
    while start < letters.len() {
        if Direction::of(letters[start]) != direction {
            start += 1;
            continue;
        }
        let (mut end, mut next) = (start, start);
        while next < letters.len() {
            match Direction::of(letters[next]) {
                Direction::None => {}
                other if other == direction => end = next,
                _ => break,
            }
            next += 1;
        }
        letters[start..=end].reverse();
        start = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let starts: Vec<usize> = line.char_indices().map(|(start, _)| start).collect();
        in_reading_order(line.to_owned(), &starts)
    }

    #[test]
    fn words_from_right_to_left_are_turned_and_numbers_are_not() {
        assert_eq!(read("רוריקה 12.5 תבאשמ"), "משאבת 12.5 הקירור");
        assert_eq!(
            read("the pump רוריקה תבאשמ of hall B"),
            "the pump משאבת הקירור of hall B"
        );
        assert_eq!(read("Pump 12"), "Pump 12");
        // A letter that stands for two.
        assert_eq!(in_reading_order("מלאצ".to_owned(), &[0, 2, 6]), "צלאמ");
    }
}
