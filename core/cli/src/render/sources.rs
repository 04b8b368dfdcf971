//! The entries under an answer, one line each.

use gannet_core::{SearchHit, SearchResult};

use super::hits::scores;
use super::safe::safe_line;
use super::wrap::{width, wrapped};
use super::{ACCENT, Clock, DIM, GOOD};

/// Columns before the line below an entry.
const INDENT: &str = "     ";

/// How many entries are listed: the answer stays on the screen.
const LISTED: usize = 10;

/// Prints the entries in one line each, ten at most; scores and ranks are
/// printed below for who asks for them.
pub fn print_sources(result: &SearchResult, clock: &Clock, with_scores: bool) {
    for hit in result.entries.iter().take(LISTED) {
        print_source(hit, &result.citations, clock);
        if let Some(scores) = scores(hit).filter(|_| with_scores) {
            let scores = format!("{DIM}{scores}{DIM:#}");
            outln!("{}", wrapped(&scores, INDENT, INDENT));
        }
    }
    let others = result.entries.len().saturating_sub(LISTED);
    if others > 0 {
        outln!("{DIM}     and {others} more; `gannet search` lists them{DIM:#}");
    }
    if !result.entries.is_empty() {
        outln!();
    }
}

/// `  1  A-1  2025-07-15 00:30 CEST  cited  Flow switch replaced`
fn print_source(hit: &SearchHit, citations: &[String], clock: &Clock) {
    let entry = &hit.entry;
    let id = safe_line(&entry.entry_id);
    let time = clock.minute(entry.timestamp);
    let is_cited = citations.contains(&entry.entry_id);
    let cited = if is_cited { "  cited" } else { "" };
    let taken = format!("{:>3}  {id}  {time}{cited}  ", hit.rank)
        .chars()
        .count();
    let title = cut(&super::entry::title(entry), width().saturating_sub(taken));
    outln!(
        "{DIM}{:>3}{DIM:#}  {ACCENT}{id}{ACCENT:#}  {DIM}{time}{DIM:#}{GOOD}{cited}{GOOD:#}  {title}",
        hit.rank
    );
}

/// A title in at most so many columns; a few letters are left in any case.
fn cut(title: &str, columns: usize) -> String {
    let most = columns.max(10);
    match title.char_indices().nth(most) {
        None => title.to_owned(),
        Some(_) => {
            let kept: String = title.chars().take(most - 1).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_is_cut_to_the_rest_of_the_line() {
        assert_eq!(cut("Flow switch", 11), "Flow switch");
        assert_eq!(cut("Flow switch replaced", 13), "Flow switch…");
        assert_eq!(cut("Flow switch replaced", 0), "Flow swit…");
    }
}
