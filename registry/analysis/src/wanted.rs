//! What a query wants of an entry, whichever store looks for it.

mod words;

use gannet_api::query::{Node, is_stop_word, is_unspaced};
use gannet_api::{Diagnostic, FilterClause, fold};
use regex::Regex;
use tantivy::tokenizer::TextAnalyzer;

use super::repeated::weigh_repeated;
use super::spelling::Spelling;
use super::{Marks, glob_pattern, query_analyser, whole_name};
use words::Soft;

/// What a query wants of an entry. Words are terms of the running text.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// A word, in one of these forms.
    Word(Vec<String>),
    /// Words one after the other.
    Sequence(Vec<String>),
    /// A name of a family, by its place in [`Reader::families`].
    Family(usize),
    /// A field with a value.
    Filter(FilterClause),
    /// All of them.
    All(Vec<Wanted>),
    /// One of them at least.
    Any(Vec<Wanted>),
    /// Anything but this.
    Not(Box<Wanted>),
    /// A word or a sequence whose score counts so many times: one that the
    /// query says several times, or another writing of a word.
    Repeated(Box<Wanted>, f32),
}

/// Names that begin alike, and whose rest is like a pattern. Both folded.
#[derive(Debug, Clone)]
pub struct Family {
    /// What they begin with.
    pub prefix: String,
    /// What the whole name is matched with; `None` when the beginning is all.
    pub pattern: Option<Regex>,
    /// As it stands in the query.
    pub written: String,
}

/// How strictly a tree is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// As it stands.
    Strict,
    /// Of words side by side, any will do.
    Relaxed,
}

/// Reads one query; collects on the way what a result wants to say.
pub struct Reader<'a> {
    spelling: &'a Spelling,
    analyser: TextAnalyzer,
    is_excluding: bool,
    /// The families of names that were asked for.
    pub families: Vec<Family>,
    /// What was read otherwise than it is written.
    pub diagnostics: Vec<Diagnostic>,
    /// What is to be marked in the texts.
    pub marks: Marks,
    /// Whether the relaxed reading finds more than the strict one.
    pub can_relax: bool,
}

impl<'a> Reader<'a> {
    /// Reads with the words of the query as they are spelt in the texts.
    pub fn new(spelling: &'a Spelling) -> Self {
        Self {
            spelling,
            analyser: query_analyser(),
            is_excluding: false,
            families: Vec::new(),
            diagnostics: Vec::new(),
            marks: Marks::default(),
            can_relax: false,
        }
    }

    /// What a tree wants; `None` when nothing of it can be searched for.
    pub fn read(&mut self, node: &Node, reading: Reading) -> Option<Wanted> {
        match node {
            Node::All(parts) => self.all(parts, reading, true),
            Node::And(parts) => self.all(parts, reading, false),
            Node::Or(parts) => self.any(parts, reading),
            Node::Not(part) => Some(Wanted::Not(Box::new(self.excluded(part)?))),
            Node::Field(clause) => Some(Wanted::Filter(clause.clone())),
            word => self.all(std::slice::from_ref(word), reading, true),
        }
    }

    /// What a tree wants where any word will do: the plain mode.
    pub fn read_any_word(&mut self, node: &Node) -> Option<Wanted> {
        let words = match node {
            Node::Or(words) | Node::All(words) | Node::And(words) => words.as_slice(),
            word => std::slice::from_ref(word),
        };
        self.any(words, Reading::Relaxed)
    }

    /// Parts of which all must hold. Stop words and strictness give way in a
    /// row of words, not in an explicit AND.
    fn all(&mut self, parts: &[Node], reading: Reading, gives_way: bool) -> Option<Wanted> {
        let mut hard: Vec<Wanted> = Vec::new();
        let mut soft: Vec<Soft> = Vec::new();
        let drops_stop_words = gives_way && has_content(parts);
        let mut parts = parts;
        while let [part, rest @ ..] = parts {
            parts = rest;
            if let (true, [next, others @ ..]) = (gives_way, rest)
                && let Some(measure) = self.measure(part, next)
            {
                soft.push(measure);
                parts = others;
                continue;
            }
            match part {
                Node::Word(word) if drops_stop_words && is_stop_word(word) => {}
                Node::Not(_) | Node::Field(_) => hard.extend(self.read(part, reading)),
                part => soft.extend(self.soft(part, reading)),
            }
        }
        let gives_way = gives_way && (soft.len() > 1 || soft.iter().any(|one| one.is_unspaced));
        self.can_relax |= gives_way;
        if gives_way && reading == Reading::Relaxed {
            let any = soft.into_iter().flat_map(|part| part.loose).collect();
            hard.extend(joined(weigh_repeated(any), Wanted::Any));
        } else {
            let all = soft.into_iter().map(|part| part.strict).collect();
            hard.extend(weigh_repeated(all));
        }
        joined(hard, Wanted::All)
    }

    /// Parts of which one must hold.
    fn any(&mut self, parts: &[Node], reading: Reading) -> Option<Wanted> {
        let drops_stop_words = has_content(parts);
        let mut wanted = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if let Some(next) = parts.get(at + 1).filter(|_| reading == Reading::Relaxed) {
                wanted.extend(self.other_measures(part, next));
            }
            if matches!(part, Node::Word(word) if drops_stop_words && is_stop_word(word)) {
                continue;
            }
            let Some(part) = self.soft(part, reading) else {
                continue;
            };
            match reading {
                Reading::Relaxed => wanted.extend(part.loose),
                Reading::Strict => wanted.push(part.strict),
            }
        }
        joined(weigh_repeated(wanted), Wanted::Any)
    }

    fn soft(&mut self, part: &Node, reading: Reading) -> Option<Soft> {
        match part {
            Node::All(_) | Node::And(_) | Node::Or(_) | Node::Not(_) | Node::Field(_) => {
                self.read(part, reading).map(Soft::one)
            }
            word => self.word_like(word),
        }
    }

    /// What must not hold: nothing in it is corrected or marked.
    fn excluded(&mut self, part: &Node) -> Option<Wanted> {
        let before = std::mem::replace(&mut self.is_excluding, true);
        let can_relax = self.can_relax;
        let wanted = self.read(part, Reading::Strict);
        self.is_excluding = before;
        self.can_relax = can_relax;
        wanted
    }

    /// A word, a phrase or a pattern; `None` when it has no letter or digit.
    fn word_like(&mut self, node: &Node) -> Option<Soft> {
        match node {
            Node::Word(word) => self.word(word),
            Node::Phrase(text) => self.phrase(text),
            Node::Prefix(text) | Node::Glob(text) if text.contains(is_unspaced) => {
                self.unspaced_pattern(text)
            }
            Node::Prefix(prefix) => {
                let prefix = fold(prefix);
                self.mark(|marks| marks.prefixes.push(prefix.clone()));
                let written = format!("{prefix}*");
                Some(self.family(prefix, None, written))
            }
            Node::Glob(glob) => {
                let glob = fold(glob);
                let start = glob.find(['*', '?']).unwrap_or(glob.len());
                let prefix = glob[..start].to_owned();
                self.pattern(prefix, glob_pattern(&glob), glob)
            }
            Node::Regex(pattern) => {
                self.pattern(String::new(), whole_name(pattern), format!("/{pattern}/"))
            }
            Node::Field(_) | Node::All(_) | Node::And(_) | Node::Or(_) | Node::Not(_) => None,
        }
    }

    fn pattern(
        &mut self,
        prefix: String,
        pattern: Result<Regex, regex::Error>,
        written: String,
    ) -> Option<Soft> {
        match pattern {
            Ok(pattern) => {
                self.mark(|marks| marks.patterns.push(pattern.clone()));
                Some(self.family(prefix, Some(pattern), written))
            }
            Err(error) => {
                let message =
                    format!("`{written}` is too large a pattern and was ignored: {error}");
                self.note(Diagnostic::warning("store.text", message));
                None
            }
        }
    }

    fn family(&mut self, prefix: String, pattern: Option<Regex>, written: String) -> Soft {
        let known = self
            .families
            .iter()
            .position(|family| family.written == written);
        let place = known.unwrap_or_else(|| {
            self.families.push(Family {
                prefix,
                pattern,
                written,
            });
            self.families.len() - 1
        });
        Soft::one(Wanted::Family(place))
    }

    /// A tree is read more than once: each thing is said once.
    fn note(&mut self, note: Diagnostic) {
        if !self.diagnostics.contains(&note) {
            self.diagnostics.push(note);
        }
    }

    fn mark(&mut self, add: impl FnOnce(&mut Marks)) {
        if !self.is_excluding {
            add(&mut self.marks);
        }
    }
}

/// That a pattern fits more names than were looked at.
pub fn pattern_cut(written: &str) -> Diagnostic {
    let message = format!(
        "`{written}` matches too many names: only the first ones were searched; write a longer \
         part of the name"
    );
    Diagnostic::warning("store.text", message).category("pattern_cut")
}

fn joined(mut parts: Vec<Wanted>, join: fn(Vec<Wanted>) -> Wanted) -> Option<Wanted> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(join(parts)),
    }
}

/// Whether anything in a tree makes a score.
pub fn has_words(node: &Node) -> bool {
    match node {
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => parts.iter().any(has_words),
        Node::Not(_) | Node::Field(_) => false,
        _ => true,
    }
}

/// The words of a plain question, all of them wanted.
pub fn with_all_words(root: &Node) -> Node {
    match root {
        Node::Or(words) => Node::All(words.clone()),
        other => other.clone(),
    }
}

fn has_content(parts: &[Node]) -> bool {
    parts.iter().any(|part| match part {
        Node::Word(word) => !is_stop_word(word),
        Node::Not(_) | Node::Field(_) => false,
        _ => true,
    })
}
