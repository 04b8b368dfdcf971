//! Names of countries and of their states, for fields whose values are codes
//! of ISO 3166.

use std::sync::LazyLock;

use gannet_api::{EntityKind, FilterField, fold};
use rust_iso3166::ALL;
use rust_iso3166::iso3166_2::SUBDIVISION_COUNTRY_MAP;

use super::lexicon::KnownField;

/// The part of a field's entries that have a code, at least.
const CODED_PART: f64 = 0.8;
/// Distinct codes of a field at least: few short values are codes by chance.
const FEWEST_CODES: usize = 5;
/// Letters and digits of a code at most.
const LONGEST_CODE: usize = 3;

/// A value that is a code, and what it stands for.
pub(super) struct RegionName {
    pub(super) field: FilterField,
    /// The code, folded.
    pub(super) value: String,
    pub(super) name: &'static str,
}

/// The names of the codes that fields of places have. The codes of several
/// countries are alike: those of the country that most entries fit are meant.
pub(super) fn region_names(fields: &[KnownField]) -> Vec<RegionName> {
    let places = fields.iter().filter(|field| {
        let short = field.values.iter().filter(|(value, _)| is_short(value));
        EntityKind::of_field(&field.field) == EntityKind::Place && short.count() >= FEWEST_CODES
    });
    places.flat_map(names_of).collect()
}

fn is_short(value: &str) -> bool {
    (2..=LONGEST_CODE).contains(&value.len())
}

fn names_of(field: &KnownField) -> Vec<RegionName> {
    let mut best: (u64, Vec<RegionName>) = (0, Vec::new());
    for codes in CODE_LISTS.iter() {
        let found = named(field, codes);
        if found.0 > best.0 {
            best = found;
        }
    }
    let entries: u64 = field.values.iter().map(|(_, entries)| entries).sum();
    let is_coded = best.0 as f64 >= CODED_PART * entries as f64;
    match is_coded && best.1.len() >= FEWEST_CODES {
        true => best.1,
        false => Vec::new(),
    }
}

/// A folded code and what it stands for.
type Code = (String, &'static str);

/// Lists of codes: the states of each country, then the countries.
static CODE_LISTS: LazyLock<Vec<Vec<Code>>> = LazyLock::new(|| {
    let mut countries: Vec<&str> = SUBDIVISION_COUNTRY_MAP.keys().copied().collect();
    countries.sort_unstable();
    let states = countries.into_iter().filter_map(|country| {
        let states = SUBDIVISION_COUNTRY_MAP.get(country)?.iter();
        Some(
            states
                .map(|one| (fold(one.region_code), one.name))
                .collect(),
        )
    });
    let mut lists: Vec<Vec<_>> = states.collect();
    lists.push(ALL.iter().map(|one| (fold(one.alpha2), one.name)).collect());
    lists.push(ALL.iter().map(|one| (fold(one.alpha3), one.name)).collect());
    lists
});

/// How many entries have a code of a list, and the names of those codes.
fn named(field: &KnownField, codes: &[Code]) -> (u64, Vec<RegionName>) {
    let mut entries = 0;
    let mut names = Vec::new();
    for (value, count) in field.values.iter().filter(|(value, _)| is_short(value)) {
        let code = codes.iter().find(|(code, _)| code == value);
        if let Some((_, name)) = code {
            entries += count;
            names.push(RegionName {
                field: field.field.clone(),
                value: value.clone(),
                name,
            });
        }
    }
    (entries, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, values: &[&str]) -> KnownField {
        KnownField {
            field: FilterField::from_name(name),
            values: values.iter().map(|one| ((*one).to_owned(), 10)).collect(),
        }
    }

    fn names(field: KnownField) -> Vec<&'static str> {
        let names = region_names(&[field]).into_iter();
        names.map(|one| one.name).collect()
    }

    #[test]
    fn codes_of_states_have_the_names_of_the_country_that_fits() {
        let states = field("meta.state", &["oh", "pa", "va", "fl", "xx", "ny"]);
        let expected = ["Ohio", "Pennsylvania", "Virginia", "Florida", "New York"];
        assert_eq!(names(states), expected);
    }

    #[test]
    fn codes_of_countries_have_their_names() {
        let countries = field("meta.site_country", &["de", "fr", "it", "ch", "se", "jp"]);
        assert!(names(countries).contains(&"Germany"));
    }

    #[test]
    fn short_values_that_are_no_codes_and_other_fields_have_none() {
        assert!(names(field("meta.room", &["r1", "r2", "r3", "r4", "r5"])).is_empty());
        assert!(names(field("meta.mode", &["oh", "pa", "va", "fl", "ny"])).is_empty());
        assert!(names(field("meta.state", &["oh", "on"])).is_empty());
    }
}
