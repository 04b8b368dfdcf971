//! A ranked list of entries.

use gannet_core::api::{Highlight, Matched, Provenance};
use gannet_core::{SearchHit, SearchResult};

use super::safe::{safe, safe_line};
use super::wrap::wrapped;
use super::{ACCENT, DIM, GOOD, HEADING, MARK};

/// Prints the entries, best first.
pub fn print_hits(result: &SearchResult) {
    for hit in &result.entries {
        print_head(hit, result.citations.contains(&hit.entry.entry_id));
        for line in body(hit) {
            anstream::println!("{}", wrapped(&line, "      ", "      "));
        }
        anstream::println!();
    }
}

fn print_head(hit: &SearchHit, cited: bool) {
    let entry = &hit.entry;
    let when = entry.timestamp.strftime("%Y-%m-%d %H:%M");
    let author = match entry.author.as_str() {
        "" => String::new(),
        author => format!(" · {}", safe_line(author)),
    };
    let cited = if cited {
        format!(" {GOOD}cited{GOOD:#}")
    } else {
        String::new()
    };
    let title = super::entry::title(entry);
    anstream::println!(
        "{DIM}{:>3}{DIM:#}  {ACCENT}{}{ACCENT:#}  {HEADING}{title}{HEADING:#}{cited}",
        hit.rank,
        safe_line(&entry.entry_id),
    );
    anstream::println!("      {DIM}{when}{author} · {}{DIM:#}", scores(hit));
}

/// `0.0325 rrf (keyword #1 bm25 12.40, semantic #3 cosine 0.61)`
fn scores(hit: &SearchHit) -> String {
    let own = format!("{} {}", number(hit.score), hit.score_kind.name());
    let partial = match hit.matched {
        Matched::All => "",
        Matched::Some => " · partial match",
    };
    // A single module's own opinion is the score that stands there already.
    let repeats = |of: &Provenance| of.score_kind == hit.score_kind;
    if hit.provenance.iter().all(repeats) {
        return format!("{own}{partial}");
    }
    let parts: Vec<String> = hit.provenance.iter().map(opinion).collect();
    format!("{own} ({}){partial}", parts.join(", "))
}

fn opinion(provenance: &Provenance) -> String {
    format!(
        "{} #{} {} {}",
        provenance.module,
        provenance.rank,
        provenance.score_kind.name(),
        number(provenance.score)
    )
}

/// Four significant digits are enough for any kind of score.
fn number(score: f64) -> String {
    match score.abs() {
        large if large >= 1.0 => format!("{score:.2}"),
        _ => format!("{score:.4}"),
    }
}

/// The places that matched, or the beginning of the text.
fn body(hit: &SearchHit) -> Vec<String> {
    if hit.highlights.is_empty() {
        let passage = hit.passage.as_ref().map(|passage| passage.text.as_str());
        return vec![beginning(passage.unwrap_or(&hit.entry.raw_text))];
    }
    hit.highlights.iter().take(2).map(marked).collect()
}

fn beginning(text: &str) -> String {
    let flat = one_line(&safe(text));
    match flat.char_indices().nth(200) {
        None => flat,
        Some((end, _)) => format!("{}…", &flat[..end]),
    }
}

fn marked(highlight: &Highlight) -> String {
    let mut text = String::new();
    let mut done = 0;
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
    one_line(&text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
