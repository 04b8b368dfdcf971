//! A ranked list of entries.

use gannet_core::api::{Entry, Highlight, Matched, Provenance, ScoreKind};
use gannet_core::{SearchHit, SearchResult};

use super::entry::title_end;
use super::safe::{safe, safe_line};
use super::wrap::wrapped;
use super::{ACCENT, Clock, DIM, GOOD, HEADING, MARK, number};

/// Columns before the lines below the head of a hit.
const INDENT: &str = "      ";

/// Prints the entries, best first, each with the passages that matched; scores
/// and ranks are printed for who asks for them.
pub fn print_hits(result: &SearchResult, clock: &Clock, with_scores: bool) {
    for hit in &result.entries {
        print_head(hit, &result.citations, clock, with_scores);
        for line in body(hit) {
            outln!("{}", wrapped(&line, INDENT, INDENT));
        }
        outln!();
    }
}

fn print_head(hit: &SearchHit, citations: &[String], clock: &Clock, with_scores: bool) {
    let entry = &hit.entry;
    let mut facts = vec![clock.minute(entry.timestamp)];
    if !entry.author.is_empty() {
        facts.push(safe_line(&entry.author).into_owned());
    }
    facts.extend(scores(hit).filter(|_| with_scores));
    if hit.matched == Matched::Some {
        facts.push("partial match".to_owned());
    }
    let cited = match citations.contains(&entry.entry_id) {
        true => format!(" {DIM}·{DIM:#} {GOOD}cited{GOOD:#}"),
        false => String::new(),
    };
    let title = super::entry::title(entry);
    outln!(
        "{DIM}{:>3}{DIM:#}  {ACCENT}{}{ACCENT:#}  {HEADING}{title}{HEADING:#}{cited}",
        hit.rank,
        safe_line(&entry.entry_id),
    );
    let facts = format!("{DIM}{}{DIM:#}", facts.join(" · "));
    outln!("{}", wrapped(&facts, INDENT, INDENT));
}

/// `0.0325 rrf (keyword #1 bm25 12.4, semantic #3 cosine 0.612)`; a list in
/// order of time has no score.
pub(super) fn scores(hit: &SearchHit) -> Option<String> {
    if hit.score_kind == ScoreKind::None {
        return None;
    }
    let own = format!("{} {}", number::score(hit.score), hit.score_kind.name());
    // The score of a single module is shown once.
    let repeats = |of: &Provenance| of.score_kind == hit.score_kind;
    if hit.provenance.iter().all(repeats) {
        return Some(own);
    }
    let parts: Vec<String> = hit.provenance.iter().map(opinion).collect();
    Some(format!("{own} ({})", parts.join(", ")))
}

fn opinion(provenance: &Provenance) -> String {
    if provenance.score_kind == ScoreKind::None {
        return format!("{} #{}", provenance.module, provenance.rank);
    }
    format!(
        "{} #{} {} {}",
        provenance.module,
        provenance.rank,
        provenance.score_kind.name(),
        number::score(provenance.score)
    )
}

/// The fragments that matched, or the beginning of the text, without the title
/// that the head shows already.
fn body(hit: &SearchHit) -> Vec<String> {
    let lines: Vec<String> = match hit.highlights.is_empty() {
        true => vec![beginning(hit)],
        false => {
            let fragments = hit.highlights.iter().take(2);
            fragments
                .map(|fragment| marked(fragment, &hit.entry))
                .collect()
        }
    };
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

fn beginning(hit: &SearchHit) -> String {
    let passage = hit.passage.as_ref().map(|passage| passage.text.as_str());
    let text = passage.unwrap_or(&hit.entry.raw_text);
    let flat = one_line(&safe(&text[title_end(text, &hit.entry)..]));
    match flat.char_indices().nth(200) {
        None => flat,
        Some((end, _)) => format!("{}…", &flat[..end]),
    }
}

fn marked(highlight: &Highlight, entry: &Entry) -> String {
    let mut text = String::new();
    let mut done = title_end(&highlight.text, entry);
    for &(start, end) in &highlight.ranges {
        let (Some(before), Some(word)) = (
            highlight.text.get(done..start),
            highlight.text.get(start..end),
        ) else {
            continue;
        };
        let (before, word) = (safe(before), safe(word));
        text.push_str(&format!("{before}{MARK}{word}{MARK:#}"));
        done = end;
    }
    text.push_str(&safe(highlight.text.get(done..).unwrap_or_default()));
    match &highlight.source {
        Some(source) => format!("{DIM}{}:{DIM:#} {}", safe_line(source), one_line(&text)),
        None => one_line(&text),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn entry(title: &str) -> Entry {
        let record = serde_json::json!({
            "entry_id": "A-1", "source_system": "x", "timestamp": "2025-03-14T09:30:00Z",
            "author": "", "raw_text": "", "metadata": { "title": title },
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_fragment_does_not_repeat_the_title() {
        let entry = entry("Grid dip, all off");
        let fragment =
            |text: &str, ranges: &[(usize, usize)]| Highlight::new(text, ranges.to_vec());
        let whole = fragment("Grid dip, all off\n\nBoth plants off.", &[(0, 4), (24, 30)]);
        assert_eq!(
            marked(&whole, &entry),
            format!("Both {MARK}plants{MARK:#} off.")
        );
        let rest = fragment("dip, all off\n\nBoth plants off.", &[]);
        assert_eq!(marked(&rest, &entry), "Both plants off.");
        let only = fragment("Grid dip, all off", &[(0, 4)]);
        assert_eq!(marked(&only, &entry), "");
        let other = fragment("All plants off.\nReset.", &[]);
        assert_eq!(marked(&other, &entry), "All plants off. Reset.");
    }
}
