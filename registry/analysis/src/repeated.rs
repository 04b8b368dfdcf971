//! Words that a query says several times.

use std::collections::HashMap;

use super::Wanted;

/// Each word and sequence once. One that is said `n` times weighs 1 + ln n: a
/// question that repeats a word is about it, but not n times as much.
pub(super) fn weigh_repeated(parts: Vec<Wanted>) -> Vec<Wanted> {
    let mut places: HashMap<(bool, Vec<String>), usize> = HashMap::new();
    let mut distinct: Vec<(Wanted, u16)> = Vec::with_capacity(parts.len());
    for part in parts {
        let key = match &part {
            Wanted::Word(forms) => Some((false, forms.clone())),
            Wanted::Sequence(terms) => Some((true, terms.clone())),
            _ => None,
        };
        let place = key.map(|key| *places.entry(key).or_insert(distinct.len()));
        match place.and_then(|place| distinct.get_mut(place)) {
            Some((_, times)) => *times = times.saturating_add(1),
            None => distinct.push((part, 1)),
        }
    }
    distinct
        .into_iter()
        .map(|(part, times)| match times {
            1 => part,
            _ => Wanted::Repeated(Box::new(part), 1.0 + f32::from(times).ln()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(term: &str) -> Wanted {
        Wanted::Word(vec![term.to_owned()])
    }

    #[test]
    fn a_repeated_word_stands_once_with_a_weight_below_its_count() {
        let sequence = Wanted::Sequence(vec!["rf".to_owned(), "2".to_owned()]);
        let parts = ["time", "share", "time", "time"].map(word).to_vec();
        let parts = [parts, vec![sequence.clone(), sequence.clone()]].concat();
        let time = Wanted::Repeated(Box::new(word("time")), 1.0 + 3.0_f32.ln());
        let sequence = Wanted::Repeated(Box::new(sequence), 1.0 + 2.0_f32.ln());
        assert_eq!(weigh_repeated(parts), [time, word("share"), sequence]);
    }
}
