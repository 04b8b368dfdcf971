//! Where each key of a YAML text stands, and whether the text stays within
//! the limits, found in one pass over its events before anything is built.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, Span};

use super::error::ConfigErrorKind;
use super::key_path::KeyPath;
use super::origin::Place;

/// Keys and values within each other at most.
const MAX_DEPTH: usize = 64;

/// Values in a text at most, every alias counted with all that it stands for.
const MAX_NODES: usize = 50_000;

/// The places of the keys and values of one text.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    text: Arc<str>,
    index: HashMap<KeyPath, Spans>,
}

#[derive(Debug, Clone, Copy)]
struct Spans {
    key: Option<Span>,
    /// Of a scalar. Of a mapping or list its beginning, and only where it has
    /// no key.
    value: Option<Span>,
}

/// Why a text is refused, and where.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) kind: ConfigErrorKind,
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
}

impl Places {
    /// Reads the events of a text.
    pub(crate) fn of(text: &Arc<str>) -> Result<Self, Refusal> {
        let mut walk = Walk::new(text);
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| Refusal {
                kind: ConfigErrorKind::Syntax,
                message: format!("not valid YAML: {}", error.info()),
                place: Some(place(text, Span::empty(*error.marker()))),
            })?;
            walk.visit(event, span)?;
        }
        Ok(Self {
            text: Arc::clone(text),
            index: walk.index,
        })
    }

    /// The place of a key's name. That of the nearest key above when it has
    /// none of its own, which is so below an alias.
    pub(crate) fn of_key(&self, path: &KeyPath) -> Option<Place> {
        self.nearest(path, |spans| spans.key.or(spans.value))
    }

    /// The place of a key's value; that of its name when the value is a
    /// mapping or a list.
    pub(crate) fn of_value(&self, path: &KeyPath) -> Option<Place> {
        self.nearest(path, |spans| spans.value.or(spans.key))
    }

    fn nearest(&self, path: &KeyPath, choose: impl Fn(&Spans) -> Option<Span>) -> Option<Place> {
        let mut path = Some(path.clone());
        while let Some(here) = path {
            if let Some(span) = self.index.get(&here).and_then(&choose) {
                return Some(place(&self.text, span));
            }
            path = here.parent();
        }
        None
    }
}

/// What surrounds the next event.
enum Frame {
    Mapping {
        path: KeyPath,
        key: Option<(String, Span)>,
    },
    List {
        path: KeyPath,
        next: usize,
    },
}

struct Walk<'t> {
    text: &'t Arc<str>,
    frames: Vec<(Frame, Anchor)>,
    nodes: usize,
    /// How many values each anchor stands for.
    anchors: HashMap<usize, usize>,
    index: HashMap<KeyPath, Spans>,
}

/// The anchor of a mapping or list (0 for none), and how many values there
/// were before it.
struct Anchor {
    id: usize,
    nodes_before: usize,
}

impl<'t> Walk<'t> {
    fn new(text: &'t Arc<str>) -> Self {
        Self {
            text,
            frames: Vec::new(),
            nodes: 0,
            anchors: HashMap::new(),
            index: HashMap::new(),
        }
    }

    fn visit(&mut self, event: Event<'_>, span: Span) -> Result<(), Refusal> {
        match event {
            Event::Scalar(text, _, anchor, _) => {
                if self.takes_key(&text, span) {
                    return Ok(());
                }
                self.anchors.insert(anchor, 1);
                self.place_value(span);
                self.count(1, span)
            }
            Event::Alias(anchor) => {
                self.refuse_as_key(span)?;
                let stands_for = self.anchors.get(&anchor).copied().unwrap_or(1);
                self.place_value(span);
                self.count(stands_for, span)
            }
            Event::MappingStart(anchor, _) => {
                let path = self.open(span)?;
                self.push(Frame::Mapping { path, key: None }, anchor);
                Ok(())
            }
            Event::SequenceStart(anchor, _) => {
                let path = self.open(span)?;
                self.push(Frame::List { path, next: 0 }, anchor);
                Ok(())
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.close();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Keeps a scalar as the key of the next value, where a key is due.
    fn takes_key(&mut self, text: &str, span: Span) -> bool {
        match self.frames.last_mut() {
            Some((Frame::Mapping { key, .. }, _)) if key.is_none() => {
                *key = Some((text.to_owned(), span));
                true
            }
            _ => false,
        }
    }

    fn refuse_as_key(&self, span: Span) -> Result<(), Refusal> {
        match self.frames.last() {
            Some((Frame::Mapping { key: None, .. }, _)) => {
                Err(self.refusal(ConfigErrorKind::Syntax, "a key must be a plain name", span))
            }
            _ => Ok(()),
        }
    }

    /// Begins a mapping or list and gives its path.
    fn open(&mut self, span: Span) -> Result<KeyPath, Refusal> {
        self.refuse_as_key(span)?;
        if self.frames.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(self.refusal(ConfigErrorKind::TooLarge, &message, span));
        }
        self.count(1, span)?;
        Ok(self.place_container(span))
    }

    fn push(&mut self, frame: Frame, id: usize) {
        let nodes_before = self.nodes;
        self.frames.push((frame, Anchor { id, nodes_before }));
    }

    fn close(&mut self) {
        if let Some((_, anchor)) = self.frames.pop() {
            let stands_for = self.nodes - anchor.nodes_before + 1;
            self.anchors.insert(anchor.id, stands_for);
        }
    }

    fn place_value(&mut self, span: Span) {
        let (path, key) = self.next_path();
        let value = Some(span);
        self.index.insert(path, Spans { key, value });
    }

    fn place_container(&mut self, span: Span) -> KeyPath {
        let (path, key) = self.next_path();
        let value = key.is_none().then(|| Span::empty(span.start));
        self.index.insert(path.clone(), Spans { key, value });
        path
    }

    /// The path of the value that begins here, and where its key stands.
    fn next_path(&mut self) -> (KeyPath, Option<Span>) {
        match self.frames.last_mut() {
            None => (KeyPath::default(), None),
            Some((Frame::Mapping { path, key }, _)) => match key.take() {
                Some((name, span)) => (path.child(&name), Some(span)),
                None => (path.clone(), None),
            },
            Some((Frame::List { path, next }, _)) => {
                *next += 1;
                (path.child(&(*next - 1).to_string()), None)
            }
        }
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), Refusal> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes <= MAX_NODES {
            return Ok(());
        }
        let message = format!("more than {MAX_NODES} values, aliases counted in full");
        Err(self.refusal(ConfigErrorKind::TooLarge, &message, span))
    }

    fn refusal(&self, kind: ConfigErrorKind, message: &str, span: Span) -> Refusal {
        Refusal {
            kind,
            message: message.to_owned(),
            place: Some(place(self.text, span)),
        }
    }
}

/// The parser counts characters; a place is in bytes.
fn place(text: &Arc<str>, span: Span) -> Place {
    let start = byte_offset(text, span.start.index());
    let end = byte_offset(text, span.end.index()).max(start);
    let visible = text
        .get(start..end)
        .map_or(0, |slice| slice.trim_end().len());
    Place {
        line: span.start.line().max(1),
        column: span.start.col() + 1,
        span: Range {
            start,
            end: start + visible,
        },
        text: Arc::clone(text),
    }
}

fn byte_offset(text: &str, characters: usize) -> usize {
    text.char_indices()
        .nth(characters)
        .map_or(text.len(), |(offset, _)| offset)
}
