//! Whether an entry has what a query wants, and which terms it must have.

use std::collections::BTreeSet;

use gannet_api::Entry;

use super::entry_terms::EntryTerms;
use crate::{Family, Wanted};

/// Whether an entry has what is wanted.
pub(super) fn holds(
    wanted: &Wanted,
    families: &[Family],
    (entry, terms): (&Entry, &EntryTerms),
) -> bool {
    let part = |part: &Wanted| holds(part, families, (entry, terms));
    match wanted {
        Wanted::Word(forms) => forms.iter().any(|form| terms.has(form)),
        Wanted::Sequence(words) => terms.has_sequence(words),
        Wanted::Family(place) => families
            .get(*place)
            .is_some_and(|family| terms.has_name(|name| is_of(family, name))),
        Wanted::Filter(clause) => clause.matches(entry),
        Wanted::All(parts) => parts.iter().all(part),
        Wanted::Any(parts) => parts.iter().any(part),
        Wanted::Not(excluded) => !part(excluded),
        Wanted::Repeated(inner, _) => part(inner),
    }
}

fn is_of(family: &Family, name: &str) -> bool {
    let pattern = family.pattern.as_ref();
    name.starts_with(&family.prefix) && pattern.is_none_or(|pattern| pattern.is_match(name))
}

/// Terms of which every entry with what is wanted has one at least, those that
/// the fewest entries have; none where there are no such terms.
pub(super) fn required(wanted: &Wanted, rarity: &impl Fn(&str) -> u64) -> Option<Vec<String>> {
    let cost = |terms: &Vec<String>| terms.iter().map(|term| rarity(term)).sum::<u64>();
    match wanted {
        Wanted::Word(forms) => Some(forms.clone()),
        Wanted::Sequence(words) => {
            let rarest = words.iter().min_by_key(|word| rarity(word))?;
            Some(vec![rarest.clone()])
        }
        Wanted::All(parts) => {
            let covers = parts.iter().filter_map(|part| required(part, rarity));
            covers.min_by_key(cost)
        }
        Wanted::Any(parts) => {
            let covers: Option<Vec<Vec<String>>> =
                parts.iter().map(|part| required(part, rarity)).collect();
            let terms: BTreeSet<String> = covers?.into_iter().flatten().collect();
            Some(terms.into_iter().collect())
        }
        Wanted::Repeated(inner, _) => required(inner, rarity),
        Wanted::Family(_) | Wanted::Filter(_) | Wanted::Not(_) => None,
    }
}

/// The terms of what is wanted, excluded ones left out.
pub(super) fn collect_terms(wanted: &Wanted, terms: &mut BTreeSet<String>) {
    match wanted {
        Wanted::Word(words) | Wanted::Sequence(words) => terms.extend(words.iter().cloned()),
        Wanted::All(parts) | Wanted::Any(parts) => {
            for part in parts {
                collect_terms(part, terms);
            }
        }
        Wanted::Repeated(inner, _) => collect_terms(inner, terms),
        Wanted::Family(_) | Wanted::Filter(_) | Wanted::Not(_) => {}
    }
}
