//! How much of what a file says is in a text.

use std::collections::HashMap;

use serde::Deserialize;

/// What a file says, as the script that made it wrote it down.
#[derive(Debug, Deserialize)]
pub struct Expected {
    pub file: String,
    pub format: String,
    /// The program that made it.
    pub by: String,
    /// Texts whose words follow each other. Their order among each other is
    /// not counted.
    pub texts: Vec<String>,
    #[serde(default)]
    pub headings: Vec<String>,
    /// Rows of tables, cell by cell.
    #[serde(default)]
    pub rows: Vec<Vec<String>>,
    /// Whether there is nothing that can be read in it: a scan, a file with a
    /// password.
    #[serde(default)]
    pub has_no_text: bool,
}

/// Of so many there are so many.
#[derive(Debug, Default, Clone, Copy)]
pub struct Share {
    pub found: usize,
    pub of: usize,
}

impl Share {
    pub fn add(&mut self, other: Self) {
        self.found += other.found;
        self.of += other.of;
    }
}

/// In percent; a dash where there is none to find.
impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.of {
            0 => f.write_str("–"),
            of => write!(f, "{:.1}", self.found as f64 * 100.0 / of as f64),
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
pub struct Score {
    pub words: Share,
    /// Pairs of words that follow each other.
    pub pairs: Share,
    /// Headings on a line of their own.
    pub headings: Share,
    /// Rows whose cells are on one line, in their order.
    pub rows: Share,
}

impl Score {
    pub fn of(text: &str, expected: &Expected) -> Self {
        let found = words(text);
        let mut score = Self::default();
        let mut single = counts(found.iter().cloned());
        let mut pairs = counts(found.windows(2).map(<[String]>::to_vec));
        for text in &expected.texts {
            let wanted = words(text);
            score.words.add(taken(&mut single, wanted.iter().cloned()));
            score
                .pairs
                .add(taken(&mut pairs, wanted.windows(2).map(<[String]>::to_vec)));
        }
        let lines: Vec<Vec<String>> = text.lines().map(words).collect();
        for heading in &expected.headings {
            let heading = words(heading);
            let is_found = lines.iter().any(|line| *line == heading);
            score.headings.add(one(is_found));
        }
        for row in &expected.rows {
            let row: Vec<String> = row.iter().flat_map(|cell| words(cell)).collect();
            let has_row = |line: &Vec<String>| line.windows(row.len()).any(|part| *part == row);
            score.rows.add(one(lines.iter().any(has_row)));
        }
        score
    }

    pub fn add(&mut self, other: &Self) {
        self.words.add(other.words);
        self.pairs.add(other.pairs);
        self.headings.add(other.headings);
        self.rows.add(other.rows);
    }
}

fn one(is_found: bool) -> Share {
    Share {
        found: usize::from(is_found),
        of: 1,
    }
}

/// Letters and digits that follow each other, as search splits a text.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn counts<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// How many of them are there; each is taken once.
fn taken<T: std::hash::Hash + Eq>(
    counts: &mut HashMap<T, usize>,
    items: impl Iterator<Item = T>,
) -> Share {
    let mut share = Share::default();
    for item in items {
        share.of += 1;
        if let Some(left) = counts.get_mut(&item).filter(|left| **left > 0) {
            *left -= 1;
            share.found += 1;
        }
    }
    share
}
