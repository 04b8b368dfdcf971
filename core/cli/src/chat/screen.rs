//! An answer on the terminal, as it arrives.

use std::ops::Range;

use gannet_core::api::Event;
use gannet_core::{SearchHit, SearchResult};
use serde_json::Value;

use super::flow::Flow;
use crate::output;
use crate::render::{
    self, ACCENT, Clock, DIM, GOOD, WARNING, answer_lines, safe, safe_line, status_line,
    with_citations,
};

/// Columns before the text of an answer.
const INDENT: &str = "  ";

/// Prints an answer as it arrives: first quoted sentences, then the text of a
/// model.
pub struct Screen {
    flow: Flow,
    state: State,
    /// The quoted sentences on the screen, if any.
    shown: String,
    /// Quoted sentences that wait for the result, which says what to highlight.
    held: Option<String>,
    holds: bool,
}

/// What the screen shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Nothing,
    Entries,
    Model,
}

impl Screen {
    /// A screen for one answer. Where a model may be asked, the quoted
    /// sentences are shown while it works; else the result follows at once.
    pub fn new(may_ask_model: bool) -> Self {
        Self {
            flow: Flow::new(render::width(), INDENT),
            state: State::Nothing,
            shown: String::new(),
            held: None,
            holds: !may_ask_model,
        }
    }

    /// Shows an event.
    pub fn show(&mut self, event: &Event) {
        match event {
            Event::Stage { stage, details } => self.stage(stage, details),
            Event::Answer { text } if self.holds => self.held = Some(text.clone()),
            Event::Answer { text } => self.answer(text, &[]),
            Event::Token { text } => self.token(text),
            _ => {}
        }
    }

    /// Shows the rest of the answer and its status, then the entries and the
    /// diagnostics.
    pub fn end(mut self, result: &SearchResult, clock: &Clock) {
        self.end_text();
        let answer = result.answer.as_deref().unwrap_or_default();
        if self.held.take().is_some() || self.state == State::Nothing {
            self.answer(answer, &result.answer_highlights);
        }
        if !answer.trim().is_empty() {
            let status = status_line(result.answer_status, result.answer_confidence);
            outln!("\n  {status}");
        }
        print_sources(result, clock);
        render::print_notes(&result.diagnostics);
    }

    /// Ends the line when the answer is canceled.
    pub fn break_off(mut self) {
        self.show_held();
        self.end_text();
    }

    fn show_held(&mut self) {
        if let Some(held) = self.held.take() {
            self.answer(&held, &[]);
        }
    }

    fn stage(&mut self, stage: &str, details: &Value) {
        let text = |key: &str| details[key].as_str().unwrap_or_default().to_owned();
        let line = match stage {
            "thought" => text("text"),
            "tool_call" => format!("{} {}", text("tool_name"), details["tool_args"]),
            _ => return,
        };
        self.show_held();
        self.end_text();
        let line = render::wrapped(&safe(&line), INDENT, INDENT);
        outln!("{DIM}{line}{DIM:#}");
    }

    /// The whole answer, which replaces what was shown before.
    fn answer(&mut self, text: &str, highlights: &[Range<usize>]) {
        self.end_text();
        if text.trim().is_empty() {
            self.state = State::Nothing;
            return;
        }
        if self.state == State::Entries && self.shown == text {
            return;
        }
        if self.state == State::Model {
            outln!("\n{WARNING}The model failed; quoted from the entries:{WARNING:#}");
        }
        outln!();
        for line in answer_lines(text, highlights, None) {
            outln!("{line}");
        }
        self.state = State::Entries;
        text.clone_into(&mut self.shown);
    }

    fn token(&mut self, text: &str) {
        self.show_held();
        if self.state != State::Model {
            let heading = match self.state {
                State::Entries => "\nAnswer of the model:\n",
                _ => "",
            };
            outln!("{DIM}{heading}{DIM:#}");
            self.state = State::Model;
        }
        let shown = self.flow.push(&safe(text));
        out!("{}", with_citations(&shown));
        output::flush();
    }

    fn end_text(&mut self) {
        let rest = self.flow.finish();
        out!("{}", with_citations(&rest));
    }
}

/// Lists the entries of an answer, cited ones marked.
pub fn print_sources(result: &SearchResult, clock: &Clock) {
    if result.entries.is_empty() {
        outln!("\n{DIM}  no entries{DIM:#}\n");
        return;
    }
    outln!();
    for hit in &result.entries {
        outln!("{}", source(hit, &result.citations, clock));
    }
    outln!();
}

fn source(hit: &SearchHit, citations: &[String], clock: &Clock) -> String {
    let entry = &hit.entry;
    let when = clock.minute(entry.timestamp);
    let title: String = render::title(entry).chars().take(70).collect();
    let mark = match citations.contains(&entry.entry_id) {
        true => format!(" {DIM}·{DIM:#} {GOOD}cited{GOOD:#}"),
        false => String::new(),
    };
    format!(
        "{DIM}{:>4}{DIM:#}  {ACCENT}{}{ACCENT:#} {DIM}{when}{DIM:#} {title}{mark}",
        hit.rank,
        safe_line(&entry.entry_id),
    )
}
