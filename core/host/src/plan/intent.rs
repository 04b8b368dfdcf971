//! What kind of answer a question asks for.

use std::ops::Range;

use gannet_api::{Intent, TimeOrder};

use super::words::Word;

/// Words that a `…` in a phrase may stand for.
const GAP: usize = 6;

/// A text with more words is no question: a pasted report holds every phrase.
const LONGEST_QUESTION: usize = 40;

/// The phrases that decide an intent.
#[derive(Debug)]
pub(super) struct IntentRule {
    intent: Intent,
    phrases: Vec<Vec<Part>>,
    without: Vec<Vec<Part>>,
}

/// One part of a phrase, as a data file writes it.
#[derive(Debug, PartialEq)]
enum Part {
    /// `^`: the beginning of the question.
    Start,
    /// `…`: up to [`GAP`] words.
    Gap,
    /// `*s`: a word that ends so.
    Ending(String),
    /// A word.
    Word(String),
}

/// An intent and the words that decided it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FoundIntent {
    pub(super) intent: Intent,
    /// The words of the phrase, runs of the text in order.
    pub(super) spans: Vec<Range<usize>>,
}

impl IntentRule {
    /// A rule from phrases as a data file writes them.
    pub(super) fn of(intent: Intent, phrases: &[String], without: &[String]) -> Self {
        let read = |phrases: &[String]| phrases.iter().map(|phrase| parts(phrase)).collect();
        Self {
            intent,
            phrases: read(phrases),
            without: read(without),
        }
    }

    /// Whether a word is a part of a phrase.
    pub(super) fn uses(&self, word: &str) -> bool {
        let mut parts = self.phrases.iter().flatten();
        parts.any(|part| matches!(part, Part::Word(one) if one == word))
    }

    /// Whether a word is a part of a phrase that decides this intent.
    pub(super) fn asks(&self, intent: Intent, word: &str) -> bool {
        self.intent == intent && self.uses(word)
    }

    /// The words of the first phrase that matches, as places.
    fn find(&self, words: &[Word<'_>], taken: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let is_excluded = |places: &[usize]| {
            let mut without = self
                .without
                .iter()
                .filter_map(|phrase| find(phrase, words, 0));
            without.any(|excluded| places.iter().any(|place| excluded.contains(place)))
        };
        self.phrases.iter().find_map(|phrase| {
            let mut from = 0;
            while let Some(places) = find(phrase, words, from) {
                if !places.iter().any(|place| taken(*place)) && !is_excluded(&places) {
                    return Some(places);
                }
                from = places.first()? + 1;
            }
            None
        })
    }
}

/// The end of time that a question asks for beside a cause or a repair, by the
/// words that its intent left. `taken` says which words belong to a time.
pub(super) fn order_beside(
    rules: &[IntentRule],
    words: &[Word<'_>],
    intent: &FoundIntent,
    taken: impl Fn(usize) -> bool,
) -> Option<(TimeOrder, Vec<Range<usize>>)> {
    if !matches!(intent.intent, Intent::Cause | Intent::Fix) {
        return None;
    }
    let in_intent = |place: usize| {
        let word = &words[place].span;
        let mut spans = intent.spans.iter();
        spans.any(|span| span.start < word.end && word.start < span.end)
    };
    rules.iter().find_map(|rule| {
        let order = match rule.intent {
            Intent::Latest => TimeOrder::Newest,
            Intent::First => TimeOrder::Oldest,
            _ => return None,
        };
        let places = rule.find(words, |place| taken(place) || in_intent(place))?;
        Some((order, runs(&places, words)))
    })
}

/// The intent of a question. `taken` says which words belong to a time: the
/// "last" of "last week" asks for nothing.
pub(super) fn intent_of(
    rules: &[IntentRule],
    words: &[Word<'_>],
    taken: impl Fn(usize) -> bool,
) -> FoundIntent {
    if words.len() > LONGEST_QUESTION {
        return FoundIntent::default();
    }
    let found = rules.iter().find_map(|rule| {
        let places = rule.find(words, &taken)?;
        Some((rule.intent, places))
    });
    match found {
        None => FoundIntent::default(),
        Some((intent, places)) => FoundIntent {
            intent,
            spans: runs(&places, words),
        },
    }
}

fn parts(phrase: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let phrase = match phrase.strip_prefix('^') {
        Some(rest) => {
            parts.push(Part::Start);
            rest
        }
        None => phrase,
    };
    parts.extend(phrase.split_whitespace().map(|word| match word {
        "…" => Part::Gap,
        _ => match word.strip_prefix('*') {
            Some(ending) => Part::Ending(ending.to_owned()),
            None => Part::Word(word.to_owned()),
        },
    }));
    parts
}

/// The places of the words of a phrase, at `from` or later.
fn find(phrase: &[Part], words: &[Word<'_>], from: usize) -> Option<Vec<usize>> {
    if phrase.first() == Some(&Part::Start) {
        return match from {
            0 => match_at(&phrase[1..], words, 0),
            _ => None,
        };
    }
    (from..words.len()).find_map(|place| match_at(phrase, words, place))
}

fn match_at(phrase: &[Part], words: &[Word<'_>], place: usize) -> Option<Vec<usize>> {
    let Some((first, rest)) = phrase.split_first() else {
        return Some(Vec::new());
    };
    if *first == Part::Gap {
        return (0..=GAP).find_map(|skipped| match_at(rest, words, place + skipped));
    }
    if !is_met(first, words.get(place)?) {
        return None;
    }
    let mut places = match_at(rest, words, place + 1)?;
    places.insert(0, place);
    Some(places)
}

fn is_met(part: &Part, word: &Word<'_>) -> bool {
    match part {
        Part::Word(one) => *one == word.folded,
        Part::Ending(ending) => {
            let stem = word.folded.strip_suffix(ending.as_str());
            // "this" and "class" are no plurals.
            stem.is_some_and(|stem| stem.len() > 2 && !stem.ends_with(['s', 'i', 'u']))
        }
        Part::Start | Part::Gap => false,
    }
}

/// The spans of neighbouring places.
fn runs(places: &[usize], words: &[Word<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
    for &place in places {
        let Some(word) = words.get(place) else {
            continue;
        };
        match runs.last_mut() {
            Some((last, run)) if *last + 1 == place => {
                *last = place;
                run.end = word.span.end;
            }
            _ => runs.push((place, word.span.clone())),
        }
    }
    runs.into_iter().map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::language::Language;
    use crate::plan::words::words_of;

    fn intent(text: &str) -> (Intent, Vec<&str>) {
        let words = words_of(text, |_| false);
        let (language, _) = Language::of(&words);
        let found = intent_of(&language.intents, &words, |_| false);
        let spans = found.spans.into_iter();
        (found.intent, spans.map(|span| &text[span]).collect())
    }

    #[test]
    fn questions_have_the_intent_that_their_words_say() {
        for (text, expected) in [
            ("vacuum leak sector 4", Intent::Find),
            ("Why did the pump trip?", Intent::Cause),
            ("what work led to the loss of flow?", Intent::Cause),
            ("isolation in November, caused by what?", Intent::Cause),
            ("How was the stuck valve put right?", Intent::Fix),
            ("what was done about the leak", Intent::Fix),
            ("How many trips had RF-2?", Intent::Count),
            ("number of defective tubes", Intent::Count),
            ("what percentage of entries are by Voss?", Intent::Count),
            ("at what percentage of power did it run", Intent::Find),
            ("When was the last scram?", Intent::Latest),
            ("most recent report of a leak", Intent::Latest),
            ("HPCI last inoperable", Intent::Latest),
            ("when was the first drone seen", Intent::First),
            ("earliest report of corrosion", Intent::First),
            ("when did RF-2 trip", Intent::When),
            ("difference between RF-1 and RF-2", Intent::Compare),
            ("which reports tell of corrosion", Intent::List),
            ("list trips of RF-2", Intent::List),
            ("was the pump replaced?", Intent::YesNo),
            ("warum fiel die Pumpe aus?", Intent::Cause),
            ("wie oft ist die Pumpe ausgefallen?", Intent::Count),
            ("quand la pompe est-elle tombée?", Intent::When),
        ] {
            assert_eq!(intent(text).0, expected, "{text}");
        }
    }

    #[test]
    fn a_question_for_a_repair_can_ask_for_the_last_one() {
        let order = |text: &str| {
            let words = words_of(text, |_| false);
            let (language, _) = Language::of(&words);
            let found = intent_of(&language.intents, &words, |_| false);
            order_beside(&language.intents, &words, &found, |_| false).map(|(order, _)| order)
        };
        let newest = Some(TimeOrder::Newest);
        assert_eq!(order("when did RF-2 last trip, and what fixed it?"), newest);
        assert_eq!(order("what caused the most recent leak"), newest);
        assert_eq!(
            order("why did it trip for the first time?"),
            Some(TimeOrder::Oldest)
        );
        for text in [
            "why did RF-2 trip?",
            "when did RF-2 last trip?",
            "what caused the damage found in the last line",
        ] {
            assert_eq!(order(text), None, "{text}");
        }
    }

    #[test]
    fn an_idiom_with_such_a_word_decides_nothing() {
        assert_eq!(intent("first aid kit").0, Intent::Find);
        assert_eq!(intent("the last line of the log").0, Intent::Find);
        let day = "what pressure did the pump reach on the first day at full power?";
        assert_eq!(intent(day).0, Intent::Find);
        let reduced = "what did they reduce power for in the first place";
        assert_eq!(intent(reduced).0, Intent::Find);
        assert_eq!(intent("first aid at the first scram").0, Intent::First);
    }

    #[test]
    fn the_words_that_decided_are_named() {
        assert_eq!(
            intent("How many reports tell of leaks?").1,
            ["How many reports"]
        );
        assert_eq!(intent("How was it repaired?").1, ["How", "repaired"]);
    }

    #[test]
    fn a_long_text_asks_for_nothing() {
        let pasted = "why ".repeat(LONGEST_QUESTION + 1);
        assert_eq!(intent(&pasted).0, Intent::Find);
    }
}
