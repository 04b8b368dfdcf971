//! A word of a query, in each of the ways in which it may be written.

use gannet_api::query::{Node, is_stop_word, is_unspaced};

use super::{Reader, Wanted, joined};
use crate::spelling::{BESIDE_THE_WORD, Row};
use crate::writings::{beside, measure, spaced_measure, with_other_micro};
use crate::{pieces_of, terms_of};

/// A part of a row of words: as something that must be there, and as some of
/// many that may.
pub(super) struct Soft {
    pub(super) strict: Wanted,
    pub(super) loose: Vec<Wanted>,
    /// Whether it gives way even where it stands alone: in text without
    /// spaces it may be a whole sentence.
    pub(super) is_unspaced: bool,
}

impl Soft {
    pub(super) fn one(wanted: Wanted) -> Self {
        Self {
            loose: vec![wanted.clone()],
            strict: wanted,
            is_unspaced: false,
        }
    }

    /// With other things, each of which is as good.
    fn or(self, others: Vec<Wanted>) -> Self {
        if others.is_empty() {
            return self;
        }
        let mut any = vec![self.strict];
        any.extend(others.iter().cloned());
        Self {
            strict: Wanted::Any(any),
            loose: self.loose.into_iter().chain(others).collect(),
            ..self
        }
    }
}

impl Reader<'_> {
    /// A number and its unit, two words of a row: both, or the two in other
    /// writings.
    pub(super) fn measure(&mut self, number: &Node, unit: &Node) -> Option<Soft> {
        let others = self.other_measures(number, unit);
        if others.is_empty() {
            return None;
        }
        let (number, unit) = (self.word_like(number)?, self.word_like(unit)?);
        let both = Soft {
            strict: Wanted::All(vec![number.strict, unit.strict]),
            loose: [number.loose, unit.loose].concat(),
            is_unspaced: false,
        };
        Some(both.or(others))
    }

    /// A number and its unit, two words of a row, as one word, and in both ways
    /// with the other signs for a millionth.
    pub(super) fn other_measures(&mut self, number: &Node, unit: &Node) -> Vec<Wanted> {
        let (Node::Word(number), Node::Word(unit)) = (number, unit) else {
            return Vec::new();
        };
        if self.is_excluding || is_stop_word(unit) {
            return Vec::new();
        }
        let Some(joined) = measure(number, unit) else {
            return Vec::new();
        };
        let mut others = with_other_micro(&joined);
        others.extend(
            others
                .iter()
                .filter_map(|other| spaced_measure(other))
                .collect::<Vec<_>>(),
        );
        others.push(joined);
        let others = others.iter();
        others.filter_map(|other| self.written_so(other)).collect()
    }

    /// What a text is as one word or as several side by side.
    fn written_so(&mut self, text: &str) -> Option<Wanted> {
        let terms = terms_of(&mut self.analyser, text);
        self.side_by_side(terms)
    }

    fn side_by_side(&mut self, terms: Vec<String>) -> Option<Wanted> {
        self.mark(|marks| marks.stems.extend(terms.iter().cloned()));
        match terms.len() {
            0 => None,
            1 => Some(Wanted::Word(terms)),
            _ => Some(Wanted::Sequence(terms)),
        }
    }

    /// A word in any of the ways in which it may be written.
    pub(super) fn word(&mut self, word: &str) -> Option<Soft> {
        let written = self.as_written(word)?;
        if self.is_excluding {
            return Some(written);
        }
        let micro = with_other_micro(word);
        let measures = micro.iter().map(String::as_str).chain([word]);
        let measures: Vec<String> = measures.filter_map(spaced_measure).collect();
        let measures = measures.iter();
        let mut others: Vec<Wanted> = measures
            .filter_map(|measure| self.written_so(measure))
            .collect();
        for other in beside(word) {
            let other = self.written_so(&other).map(Box::new);
            others.extend(other.map(|other| Wanted::Repeated(other, BESIDE_THE_WORD)));
        }
        if let [term] = terms_of(&mut self.analyser, word).as_slice() {
            let rows = self.spelling.rows(term).to_vec();
            for Row { terms, weight } in rows {
                let row = self.side_by_side(terms).map(Box::new);
                others.extend(row.map(|row| Wanted::Repeated(row, weight)));
            }
        }
        Some(written.or(others))
    }

    fn as_written(&mut self, word: &str) -> Option<Soft> {
        let terms = terms_of(&mut self.analyser, word);
        if let [one] = terms.as_slice() {
            let forms = self.forms(one);
            self.mark(|marks| marks.stems.extend(forms.iter().cloned()));
            return Some(Soft::one(Wanted::Word(forms)));
        }
        if terms.is_empty() {
            return None;
        }
        self.mark(|marks| marks.stems.extend(terms.iter().cloned()));
        if word.contains(is_unspaced) {
            return Some(Soft {
                strict: Wanted::Sequence(terms.clone()),
                loose: as_words(terms),
                is_unspaced: true,
            });
        }
        if pieces_of(word).is_none() {
            return Some(Soft::one(Wanted::Sequence(terms)));
        }
        Some(self.joined_words(terms))
    }

    /// `beam-loss`: side by side for certain; where any word will do, each.
    fn joined_words(&mut self, terms: Vec<String>) -> Soft {
        let each: Vec<Vec<String>> = terms.iter().map(|term| self.forms(term)).collect();
        let is_corrected = each
            .iter()
            .zip(&terms)
            .any(|(forms, term)| forms.as_slice() != std::slice::from_ref(term));
        let loose: Vec<Wanted> = each.into_iter().map(Wanted::Word).collect();
        Soft {
            strict: if is_corrected {
                Wanted::All(loose.clone())
            } else {
                Wanted::Sequence(terms)
            },
            loose,
            is_unspaced: false,
        }
    }

    /// The word itself, or what is searched for in its place.
    fn forms(&self, term: &str) -> Vec<String> {
        if self.is_excluding {
            return vec![term.to_owned()];
        }
        self.spelling.forms(term)
    }

    pub(super) fn phrase(&mut self, text: &str) -> Option<Soft> {
        self.written_so(text).map(Soft::one)
    }

    /// A pattern in text without spaces, which has no names that begin
    /// somewhere: the parts of it.
    pub(super) fn unspaced_pattern(&mut self, text: &str) -> Option<Soft> {
        let parts = text.split(['*', '?']).filter_map(|part| self.phrase(part));
        let parts: Vec<Wanted> = parts.map(|part| part.strict).collect();
        joined(parts, Wanted::All).map(Soft::one)
    }
}

/// The parts of a text without spaces, as words.
fn as_words(terms: Vec<String>) -> Vec<Wanted> {
    let words = terms.into_iter().map(|term| Wanted::Word(vec![term]));
    words.collect()
}
