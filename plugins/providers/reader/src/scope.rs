//! The features of sentences: how they are computed.

use std::collections::{HashMap, HashSet};

use gannet_model::flag;
use gannet_plugin::provider::ReadPassage;
use gannet_plugin::search::SpanSimilarity;

use crate::candidates::{Sentence, Text};
use crate::cues::{Ask, Cues, Stated};
use crate::entry_fit::EntryFit;
use crate::features::{SentenceFeatures, share};
use crate::numbered_names::{has_another, missing, names_in};
use crate::question::Question;

/// What all sentences are compared with.
pub(crate) struct Scope<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) passages: &'a [ReadPassage],
    pub(crate) texts: &'a [Text],
    /// In how many sentences each stem is.
    pub(crate) frequencies: &'a HashMap<String, usize>,
    /// For each entry, the similarity of each sentence and of the whole; empty
    /// where there are no token vectors.
    pub(crate) similarities: &'a [Vec<Option<SpanSimilarity>>],
    /// The weight and the focus of each word that has a vector.
    pub(crate) vector_words: Vec<(f64, bool)>,
    /// The time zone of days, an IANA name.
    pub(crate) timezone: &'a str,
}

/// Similarity of one span.
#[derive(Clone, Copy, Default)]
struct Similar {
    nearest: f32,
    least: f32,
    focus: f32,
    mean: f32,
}

impl Scope<'_> {
    /// The features of every sentence, entry by entry.
    pub(crate) fn features(&self) -> Vec<Vec<SentenceFeatures>> {
        let mut all: Vec<Vec<SentenceFeatures>> = (0..self.texts.len())
            .map(|entry| self.of_entry(entry))
            .collect();
        rank(&mut all, |f| f.coverage, |f, rank| f.coverage_rank = rank);
        rank(
            &mut all,
            |f| f.similarity,
            |f, rank| f.similarity_rank = rank,
        );
        rank(&mut all, |f| f.mean, |f, rank| f.mean_rank = rank);
        all
    }

    fn of_entry(&self, entry: usize) -> Vec<SentenceFeatures> {
        let text = &self.texts[entry];
        let in_capitals = mostly_capitals(&self.passages[entry].entry.raw_text);
        let fit = EntryFit::of(self, entry);
        let mut headings = 0.0;
        let mut all: Vec<SentenceFeatures> = Vec::with_capacity(text.sentences.len());
        for (at, sentence) in text.sentences.iter().enumerate() {
            let mut features = self.of_sentence(entry, at, &fit);
            features.headings_before = headings;
            let is_heading = !in_capitals && mostly_capitals(&sentence.text);
            features.heading = flag(is_heading);
            headings += features.heading;
            all.push(features);
        }
        add_neighbours(&mut all);
        add_distances(&mut all);
        all
    }

    fn of_sentence(&self, entry: usize, at: usize, fit: &EntryFit) -> SentenceFeatures {
        let (text, question) = (&self.texts[entry], self.question);
        let sentence = &text.sentences[at];
        let similar = self.similar(entry, at);
        let whole = self.similar(entry, text.sentences.len());
        let with = |other: Option<&Sentence>| {
            let other = other.map(|other| &other.stems);
            let holds = |stem: &String| {
                sentence.stems.contains(stem) || other.is_some_and(|other| other.contains(stem))
            };
            question.coverage_where(|term| holds(&term.stem)) as f32
        };
        let before = at.checked_sub(1).and_then(|at| text.sentences.get(at));
        let (first_score, score) = (self.passages[0].score, self.passages[entry].score);
        let beyond = question.coverage_where(|term| !text.title.contains(&term.stem));
        let held_beyond = question.coverage_where(|term| {
            !text.title.contains(&term.stem) && sentence.stems.contains(&term.stem)
        });
        let mut features = SentenceFeatures {
            coverage: question.coverage(&sentence.stems) as f32,
            coverage_typed: question.coverage_where(|term| sentence.words.contains(&term.typed))
                as f32,
            pairs: self.pairs(sentence),
            heaviest: flag(self.has_heaviest(sentence)),
            coverage_with_before: with(before),
            coverage_with_after: with(text.sentences.get(at + 1)),
            coverage_together: question.coverage_together(&sentence.stems_in_order) as f32,
            coverage_entry: question.coverage(&text.all) as f32,
            coverage_text: fit.coverage_text,
            coverage_beyond_title: share(held_beyond, beyond),
            terms: question.terms.len() as f32,
            focus: self.focus(sentence),
            similarity: similar.nearest,
            similarity_least: similar.least,
            mean: similar.mean,
            similarity_entry: whole.nearest,
            mean_entry: whole.mean,
            focus_similarity: similar.focus,
            place: at as f32,
            place_from_end: (text.sentences.len() - 1 - at) as f32,
            place_share: at as f32 / text.sentences.len() as f32,
            sentences: text.sentences.len() as f32,
            chars: sentence.text.chars().count() as f32,
            capitals: capitals(&sentence.text),
            row: flag(sentence.text.contains(": ") && sentence.text.contains("; ")),
            title_share: self.title_share(entry, sentence),
            entry_place: entry as f32,
            score_share: share(score, first_score),
            time_fit: fit.time_fit,
            misses_entity: fit.misses_entity,
            misses_name: fit.misses_name,
            missing_weight: fit.missing_weight,
            ..SentenceFeatures::default()
        };
        if !question.numbered.is_empty() {
            let names = names_in(&sentence.words);
            features.numbered = question.numbered.len() as f32;
            features.numbered_missing = missing(&question.numbered, &names) as f32;
            features.numbered_other = flag(has_another(&question.numbered, &names));
            features.numbered_missing_entry = fit.numbered_missing;
            features.numbered_other_entry = fit.numbered_other;
            features.numbered_other_title = fit.numbered_other_title;
        }
        self.add_new(&mut features, sentence, &text.title);
        self.add_asked(&mut features, sentence);
        features
    }

    fn similar(&self, entry: usize, span: usize) -> Similar {
        let spans = self.similarities.get(entry);
        let Some(Some(found)) = spans.and_then(|spans| spans.get(span)) else {
            return Similar::default();
        };
        let words = found.nearest.iter().zip(&self.vector_words);
        let (mut sum, mut weights, mut least, mut focus) = (0.0, 0.0, 1.0_f32, 0.0_f32);
        for (nearest, (weight, is_focus)) in words {
            sum += weight * f64::from(*nearest);
            weights += weight;
            least = least.min(*nearest);
            if *is_focus {
                focus = focus.max(*nearest);
            }
        }
        Similar {
            nearest: share(sum, weights),
            least,
            focus,
            mean: found.mean,
        }
    }

    /// The share of the question's neighbours that are neighbours here.
    fn pairs(&self, sentence: &Sentence) -> f32 {
        let pairs = self.question.terms.windows(2);
        let of = pairs.len();
        let held = pairs.filter(|pair| {
            let mut neighbours = sentence.words.windows(2);
            neighbours.any(|two| two[0] == pair[0].typed && two[1] == pair[1].typed)
        });
        share(held.count() as f64, of as f64)
    }

    fn title_share(&self, entry: usize, sentence: &Sentence) -> f32 {
        let title = &self.texts[entry].title;
        let held = title.intersection(&sentence.stems).count();
        share(held as f64, title.len() as f64)
    }

    fn has_heaviest(&self, sentence: &Sentence) -> bool {
        let terms = self.question.terms.iter();
        let heaviest = terms.max_by(|a, b| a.weight.total_cmp(&b.weight));
        heaviest.is_some_and(|term| sentence.stems.contains(&term.stem))
    }

    fn focus(&self, sentence: &Sentence) -> f32 {
        let focus = &self.question.focus;
        let held = focus.iter().filter(|stem| sentence.stems.contains(*stem));
        share(held.count() as f64, focus.len() as f64)
    }

    /// What the sentence says that the question and the title do not.
    fn add_new(
        &self,
        features: &mut SentenceFeatures,
        sentence: &Sentence,
        title: &HashSet<String>,
    ) {
        let sentences: usize = self.texts.iter().map(|text| text.sentences.len()).sum();
        let rarity = |stem: &String| {
            let with = self.frequencies.get(stem).copied().unwrap_or(1);
            1.0 / with as f64 + 1.0 / (sentences as f64 + 1.0)
        };
        let (mut new, mut all) = (0.0, 0.0);
        // In the order of the words: sums of floats depend on it.
        let mut seen = HashSet::new();
        for stem in &sentence.stems_in_order {
            if !seen.insert(stem) {
                continue;
            }
            all += rarity(stem);
            if !self.question.has(stem) && !title.contains(stem) {
                new += rarity(stem);
                features.new_words += 1.0;
            }
        }
        features.novelty = (new / (3.0 + all)) as f32;
        let unknown = |word: &&str| !self.question.all_words.contains(&word.to_lowercase());
        let inner: Vec<&str> = sentence
            .text
            .split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '/' | ':' | ','))
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
            .filter(|word| !word.is_empty())
            .collect();
        let numbers = inner
            .iter()
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        features.new_numbers = numbers.filter(|word| unknown(word)).count() as f32;
        let names = inner.iter().skip(1).filter(|word| is_name(word));
        features.new_names = names.filter(|word| unknown(word)).count() as f32;
    }

    /// What is asked for and what is stated.
    fn add_asked(&self, features: &mut SentenceFeatures, sentence: &Sentence) {
        let question = self.question;
        let Stated {
            cause,
            perhaps_cause,
            fix,
            outcome,
            number_word,
            unit_of_time,
            date_word,
            refers_back,
        } = Cues::of(question.plan.language.as_deref()).stated(&sentence.text);
        let has_number = features.new_numbers > 0.0 || number_word;
        let has_date = date_word && has_number || holds_date(&sentence.text);
        let has_name = features.new_names > 0.0;
        features.states_cause = flag(cause);
        features.perhaps_cause = flag(perhaps_cause);
        features.states_fix = flag(fix);
        features.states_outcome = flag(outcome);
        features.states_number = flag(has_number);
        features.states_duration = flag(has_number && unit_of_time);
        features.states_date = flag(has_date);
        features.states_name = flag(has_name);
        features.refers_back = flag(refers_back);
        features.counts_asked = flag(self.counts_asked(sentence));
        features.asks_nothing = flag(question.asks.is_empty());
        for (ask, asked, states) in [
            (Ask::Cause, &mut features.asks_cause, cause),
            (Ask::Fix, &mut features.asks_fix, fix),
            (Ask::Number, &mut features.asks_number, has_number),
            (
                Ask::Duration,
                &mut features.asks_duration,
                has_number && unit_of_time,
            ),
            (Ask::Date, &mut features.asks_date, has_date),
            (Ask::Name, &mut features.asks_name, has_name),
            (Ask::Place, &mut features.asks_place, has_name),
            (Ask::Outcome, &mut features.asks_outcome, outcome),
            (Ask::Manner, &mut features.asks_manner, false),
        ] {
            if question.asks_for(ask) {
                *asked = 1.0;
                features.states_asked = features.states_asked.max(flag(states));
            }
        }
    }

    /// Whether a number stands within three words before one that the question
    /// word is about: "12 cracked fuel rods".
    fn counts_asked(&self, sentence: &Sentence) -> bool {
        let words = &sentence.words;
        let is_number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        let mut numbers = (0..words.len()).filter(|at| is_number(&words[*at]));
        numbers.any(|at| {
            let mut after = words[at + 1..].iter().take(3);
            after.any(|word| self.question.focus.contains(&gannet_stages::stem(word)))
        })
    }
}

fn add_neighbours(all: &mut [SentenceFeatures]) {
    let of: Vec<(f32, f32, f32)> = all
        .iter()
        .map(|f| (f.coverage, f.similarity, f.mean))
        .collect();
    for (at, features) in all.iter_mut().enumerate() {
        let before = at.checked_sub(1).and_then(|at| of.get(at).copied());
        let after = of.get(at + 1).copied().unwrap_or_default();
        let before = before.unwrap_or_default();
        (
            features.coverage_before,
            features.similarity_before,
            features.mean_before,
        ) = before;
        (
            features.coverage_after,
            features.similarity_after,
            features.mean_after,
        ) = after;
    }
}

/// The distances to the best sentence of the entry.
fn add_distances(all: &mut [SentenceFeatures]) {
    let most = |of: fn(&SentenceFeatures) -> f32| all.iter().map(of).fold(0.0, f32::max);
    let (coverage, similarity, mean) = (
        most(|f| f.coverage),
        most(|f| f.similarity),
        most(|f| f.mean),
    );
    for features in all {
        features.coverage_behind = coverage - features.coverage;
        features.similarity_behind = similarity - features.similarity;
        features.mean_behind = mean - features.mean;
    }
}

/// Notes 1 / place by a number among all sentences; those that are equal share
/// a place, and what is 0 has none.
fn rank(
    all: &mut [Vec<SentenceFeatures>],
    of: fn(&SentenceFeatures) -> f32,
    set: fn(&mut SentenceFeatures, f32),
) {
    let mut values: Vec<f32> = all.iter().flatten().map(of).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    for features in all.iter_mut().flatten() {
        let value = of(features);
        let place = values.partition_point(|other| *other > value);
        set(
            features,
            if value > 0.0 {
                1.0 / (place + 1) as f32
            } else {
                0.0
            },
        );
    }
}

/// A word of more than one letter that begins with a capital.
fn is_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().nth(1).is_some()
}

/// The share of capitals among the letters.
fn capitals(text: &str) -> f32 {
    let (mut large, mut letters) = (0_u32, 0_u32);
    for letter in text.chars().filter(|c| c.is_alphabetic()) {
        letters += 1;
        large += u32::from(letter.is_uppercase());
    }
    share(f64::from(large), f64::from(letters))
}

fn mostly_capitals(text: &str) -> bool {
    capitals(text) > 0.75
}

/// `1/15/2003`, `2003-01-15`, or a year.
fn holds_date(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !(c.is_ascii_digit() || c == '/' || c == '-'));
    words.any(|word| {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        let parts: Vec<&str> = word.split(['/', '-']).collect();
        let is_date = parts.len() >= 2 && parts.iter().all(|part| (1..=4).contains(&part.len()));
        is_year || is_date
    })
}
