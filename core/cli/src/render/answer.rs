//! An answer in words, with its citations standing out.

use std::ops::Range;

use gannet_core::SearchResult;
use gannet_core::api::AnswerStatus;

use super::safe::safe;
use super::wrap::wrapped;
use super::{ACCENT, CountLines, Counts, DIM, GOOD, HEADING, WARNING};

/// What is said of an answer that cites nothing.
const UNCITED: &str = "uncited: no entry supports it; --no-llm answers with quoted sentences";

/// Prints the answer, where there is one.
pub fn print_answer(result: &SearchResult) {
    if result.answer.is_none() {
        return;
    }
    let status = status_line(result.answer_status, result.answer_confidence);
    outln!("{HEADING}Answer{HEADING:#} {DIM}·{DIM:#} {status}\n");
    print_answer_text(result);
}

/// Prints the text of an answer, where there is one, without its status.
pub fn print_answer_text(result: &SearchResult) {
    let Some(answer) = &result.answer else {
        return;
    };
    for line in answer_lines(answer, &result.answer_highlights, Counts::of(result)) {
        outln!("{line}");
    }
    outln!();
}

/// `grounded · 92 %`: the status and, where it is known, the probability that
/// the answer is right.
pub fn status_line(status: Option<AnswerStatus>, confidence: Option<f64>) -> String {
    let (style, status) = match status {
        Some(AnswerStatus::Grounded) => (GOOD, "grounded"),
        Some(AnswerStatus::Partial) => (WARNING, "partial: it may not answer the question"),
        Some(AnswerStatus::Clarify) => (WARNING, "the question is ambiguous"),
        Some(AnswerStatus::Insufficient) => (DIM, "no entry answers the question"),
        Some(AnswerStatus::Uncited) => (WARNING, UNCITED),
        None => (DIM, "no status"),
    };
    let confidence = confidence
        .map(percent)
        .map(|percent| format!(" {DIM}·{DIM:#} {percent}"));
    format!("{style}{status}{style:#}{}", confidence.unwrap_or_default())
}

/// `92 %`. Only what is certain has 100 %.
fn percent(probability: f64) -> String {
    let percent = (probability * 100.0).round();
    match probability < 1.0 {
        true => format!("{:.0} %", percent.min(99.0)),
        false => format!("{percent:.0} %"),
    }
}

/// The lines of an answer at the width of the terminal, with citations in
/// colour, the highlighted bytes in bold and counts in columns.
pub fn answer_lines(
    answer: &str,
    highlights: &[Range<usize>],
    counts: Option<Counts>,
) -> Vec<String> {
    let rows = counts.map(|counts| counts.rows).unwrap_or_default();
    let table = CountLines::of(answer, &rows);
    let mut lines = Vec::new();
    let mut start = 0;
    for line in answer.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        if let Some(row) = table.aligned(text) {
            lines.push(row);
            start += line.len();
            continue;
        }
        let rest = if text.starts_with("- ") { "    " } else { "  " };
        let marked = with_citations(&highlighted(text, start, highlights));
        lines.push(wrapped(&marked, "  ", rest));
        start += line.len();
    }
    lines
}

/// A line that begins at this byte of its answer, safe for a terminal, with
/// what is highlighted of it in bold.
fn highlighted(line: &str, start: usize, highlights: &[Range<usize>]) -> String {
    let mut text = String::with_capacity(line.len());
    let mut at = 0;
    for range in highlights {
        let from = range.start.saturating_sub(start).max(at);
        let until = range.end.saturating_sub(start).min(line.len());
        let (Some(before), Some(words)) = (line.get(at..from), line.get(from..until)) else {
            continue;
        };
        if !words.is_empty() {
            text.push_str(&safe(before));
            text.push_str(&format!("{HEADING}{}{HEADING:#}", safe(words)));
            at = until;
        }
    }
    text.push_str(&safe(&line[at..]));
    text
}

/// Colours every `[#id]`.
pub fn with_citations(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find("[#") {
        let Some(length) = rest[start..].find(']') else {
            break;
        };
        let end = start + length + 1;
        text.push_str(&rest[..start]);
        text.push_str(&format!("{ACCENT}{}{ACCENT:#}", &rest[start..end]));
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_citations_are_coloured() {
        let line = with_citations("Fixed [#A-1], see [2] and [#open");
        let expected = format!("Fixed {ACCENT}[#A-1]{ACCENT:#}, see [2] and [#open");
        assert_eq!(line, expected);
    }

    #[test]
    fn highlighted_words_are_bold_line_by_line() {
        let answer = "Der Träger [#A-1].\n- The pump was\u{7} changed.";
        let place = |words: &str| {
            let start = answer.find(words).unwrap();
            start..start + words.len()
        };
        let highlights = [place("Träger"), place("].\n- The"), place("\u{7} changed")];
        let lines = answer_lines(answer, &highlights, None);
        let bold = |words: &str| format!("{HEADING}{words}{HEADING:#}");
        assert_eq!(
            lines[1],
            format!("  {} pump was{}.", bold("- The"), bold("\u{FFFD} changed"))
        );
        assert!(lines[0].contains(&bold("Träger")), "{}", lines[0]);
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn highlights_outside_of_the_text_or_within_a_character_are_left_out() {
        for range in [3..4, 7..99, 99..100] {
            assert_eq!(answer_lines("is µs", &[range], None), ["  is µs"]);
        }
    }

    #[test]
    fn the_probability_is_beside_the_status_where_it_is_known() {
        let line = |status, confidence| {
            let line = status_line(Some(status), confidence);
            anstream::adapter::strip_str(&line).to_string()
        };
        assert_eq!(line(AnswerStatus::Grounded, Some(0.92)), "grounded · 92 %");
        assert_eq!(line(AnswerStatus::Grounded, Some(0.999)), "grounded · 99 %");
        assert_eq!(line(AnswerStatus::Grounded, Some(1.0)), "grounded · 100 %");
        assert_eq!(line(AnswerStatus::Grounded, None), "grounded");
        assert_eq!(
            line(AnswerStatus::Insufficient, Some(0.021)),
            "no entry answers the question · 2 %"
        );
    }
}
