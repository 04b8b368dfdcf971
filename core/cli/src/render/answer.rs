//! An answer in words, with its citations standing out.

use gannet_core::SearchResult;
use gannet_core::api::AnswerStatus;

use super::safe::safe;
use super::wrap::wrapped;
use super::{ACCENT, DIM, GOOD, HEADING, WARNING};

/// What is said of an answer that cites nothing.
pub const UNCITED: &str = "uncited: no entry supports it; --no-llm answers with quoted sentences";

/// Prints the answer, where there is one.
pub fn print_answer(result: &SearchResult) {
    let Some(answer) = &result.answer else {
        return;
    };
    let (style, status) = match result.answer_status {
        Some(AnswerStatus::Grounded) => (GOOD, "grounded"),
        Some(AnswerStatus::Partial) => (WARNING, "the closest entries, not an answer"),
        Some(AnswerStatus::Clarify) => (WARNING, "the question is ambiguous"),
        Some(AnswerStatus::Insufficient) => (WARNING, "the entries do not answer the question"),
        Some(AnswerStatus::Uncited) => (WARNING, UNCITED),
        None => (DIM, "no status"),
    };
    outln!("{HEADING}Answer{HEADING:#} {DIM}·{DIM:#} {style}{status}{style:#}\n");
    for line in answer.lines() {
        let rest = if line.starts_with("- ") { "    " } else { "  " };
        outln!("{}", wrapped(&with_citations(&safe(line)), "  ", rest));
    }
    outln!();
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
    use super::*;

    #[test]
    fn only_citations_are_coloured() {
        let line = with_citations("Fixed [#A-1], see [2] and [#open");
        let expected = format!("Fixed {ACCENT}[#A-1]{ACCENT:#}, see [2] and [#open");
        assert_eq!(line, expected);
    }
}
