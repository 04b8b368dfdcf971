//! The things that the words of a question name.

use std::ops::Range;

use gannet_api::query::is_stop_word;
use gannet_api::{FilterField, PlanEntity, fold};

use super::language::Language;
use super::lexicon::{KnownValue, Lexicon, NamedValues};
use super::names::name_of;
use super::notes::quoted;
use super::words::Word;

/// Words of one or two letters name a value only in capitals.
const SHORT_WORD: usize = 2;

/// Words that stand before the number of anything: `unit 2` names no value of a
/// field, unless the field is one of units.
const BEFORE_NUMBERS: [&str; 7] = ["unit", "no", "nr", "number", "nummer", "block", "numéro"];

/// Values of the same words that get a note each, at most.
const NOTED_ONE_BY_ONE: usize = 4;

/// The things that were found and why.
#[derive(Debug, Default)]
pub(super) struct FoundEntities {
    pub(super) entities: Vec<PlanEntity>,
    pub(super) notes: Vec<String>,
}

/// The values and names in a text. `taken` says which words belong to a field
/// or a time.
pub(super) fn entities_of(
    text: &str,
    words: &[Word<'_>],
    language: &Language,
    lexicon: &Lexicon,
    taken: impl Fn(usize) -> bool,
) -> FoundEntities {
    let mut found = FoundEntities::default();
    // Values hold no genitives: the words are compared without them, and as
    // they stand where a name ends so.
    let folded: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    let mut place = 0;
    while place < words.len() {
        let named = match taken(place) {
            true => None,
            false => {
                let whole = lexicon.at(&folded, place, &language.plurals);
                let shortened = lexicon.shortened_at(words, place);
                // Of both the longer words, and of as long ones those of the value.
                shortened
                    .into_iter()
                    .chain(whole)
                    .max_by_key(|named| named.end)
            }
        };
        let named = named.filter(|named| is_named(named, &words[place..named.end], language));
        let named = named.filter(|named| !(place..named.end).any(&taken));
        let named = named.and_then(|named| {
            let words = &folded[place..named.end];
            with_distinctive_values(named, words)
        });
        match named {
            Some(named) => {
                let span = words[place].span.start..words[named.end - 1].span.end;
                found.add_values(&text[span.clone()], span, &named);
                place = named.end;
            }
            None => {
                if !taken(place) {
                    found.add_name(&words[place]);
                }
                place += 1;
            }
        }
    }
    found
}

/// Whether words of a question name a value: a word of questions and times
/// does not, nor a very short one in small letters.
fn is_named(named: &NamedValues<'_>, words: &[Word<'_>], language: &Language) -> bool {
    let [word] = words else {
        return words.iter().any(|word| !is_stop_word(&word.folded));
    };
    let is_short = word.folded.chars().count() <= SHORT_WORD;
    let is_capitals = word.text.chars().all(|letter| !letter.is_lowercase());
    let is_plain = |word: &str| !is_stop_word(word) && !language.is_structural(word);
    let stands_alone = is_plain(&word.folded) && named.form.is_none_or(is_plain);
    stands_alone && (!is_short || (is_capitals && named.is_whole))
}

/// The values without those of which the question may say no more than that it
/// is the second of something; `None` when there are no others.
pub(super) fn with_distinctive_values<'l>(
    mut named: NamedValues<'l>,
    folded: &[&str],
) -> Option<NamedValues<'l>> {
    if let [word, number] = folded
        && BEFORE_NUMBERS.contains(word)
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        named.values.retain(|value| match &value.field {
            FilterField::Metadata(key) => fold(key).contains(*word),
            _ => true,
        });
    }
    (!named.values.is_empty()).then_some(named)
}

impl FoundEntities {
    fn add_values(&mut self, words: &str, span: Range<usize>, named: &NamedValues<'_>) {
        let values = &named.values;
        match values.as_slice() {
            [first, ..] if values.len() > NOTED_ONE_BY_ONE => {
                let field = first.field.query_name();
                self.notes.push(format!(
                    "{} names {} values, such as {} of `{field}`",
                    quoted(words),
                    values.len(),
                    quoted(&first.value),
                ));
            }
            values => {
                let notes = values
                    .iter()
                    .map(|value| note(words, value, named.is_whole));
                self.notes.extend(notes);
            }
        }
        let entities = values.iter().map(|value| value.entity(span.clone()));
        self.entities.extend(entities);
    }

    fn add_name(&mut self, word: &Word<'_>) {
        if let Some(name) = name_of(word) {
            let form = match name.kind {
                gannet_api::EntityKind::Pv => "a process variable",
                _ => "a device",
            };
            self.notes
                .push(format!("{} has the form of {form}", quoted(word.text)));
            self.entities.push(name);
        }
    }
}

fn note(words: &str, value: &KnownValue, is_whole: bool) -> String {
    let field = match &value.field {
        FilterField::Metadata(key) => key.clone(),
        field => field.query_name(),
    };
    let entries = match value.entries {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    };
    match is_whole && fold(words) == value.value {
        true => format!("{} is a value of `{field}` ({entries})", quoted(words)),
        false => format!(
            "{} names the {field} `{}` ({entries})",
            quoted(words),
            value.value
        ),
    }
}
