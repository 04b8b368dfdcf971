//! Reads a vocabulary from a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gannet_api::query::is_stop_word;
use serde_json::{Map, Value};

use super::{Concept, ConceptKind, normalized};
use crate::config::parse_data;

/// Bytes of a file at most.
const LARGEST: u64 = 4 << 20;

/// Why a vocabulary cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// What is wrong in it, all of it.
    #[error("{}: {}", path.display(), faults.join("; "))]
    Faults {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        faults: Vec<String>,
    },
}

/// The concepts of a file, and what is odd about them.
///
/// # Errors
/// [`VocabularyError`] with everything that is wrong.
pub fn read_vocabulary(path: &Path) -> Result<(Vec<Concept>, Vec<String>), VocabularyError> {
    let failed = |source| VocabularyError::File {
        path: path.to_owned(),
        source,
    };
    let faults = |faults| VocabularyError::Faults {
        path: path.to_owned(),
        faults,
    };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST {
        return Err(faults(vec![format!(
            "it has {size} bytes; {LARGEST} are allowed"
        )]));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let value = parse_data(&text).map_err(|error| faults(vec![error]))?;
    concepts_of(&value).map_err(faults)
}

/// The concepts of a document, and what is odd about them.
///
/// # Errors
/// Everything that is wrong.
pub(super) fn concepts_of(value: &Value) -> Result<(Vec<Concept>, Vec<String>), Vec<String>> {
    let document = value.as_object();
    let concepts = document.and_then(|document| document.get("concepts")?.as_array());
    let (Some(document), Some(concepts)) = (document, concepts) else {
        return Err(vec![
            "it must be a mapping with a list `concepts`".to_owned(),
        ]);
    };
    let mut reader = Reader::default();
    let unknown = document.keys().filter(|key| *key != "concepts");
    for key in unknown {
        reader
            .faults
            .push(format!("unknown key `{key}`; only `concepts` is allowed"));
    }
    for (place, concept) in concepts.iter().enumerate() {
        reader.read(place, concept);
    }
    if concepts.is_empty() {
        reader.faults.push("`concepts` is empty".to_owned());
    }
    match reader.faults.is_empty() {
        true => {
            let warnings = warnings(&reader.concepts);
            Ok((reader.concepts, warnings))
        }
        false => Err(reader.faults),
    }
}

#[derive(Default)]
struct Reader {
    concepts: Vec<Concept>,
    /// The places of canonical words, by their normalized form.
    places: BTreeMap<String, usize>,
    faults: Vec<String>,
}

impl Reader {
    fn read(&mut self, place: usize, value: &Value) {
        let Some(members) = value.as_object() else {
            self.faults
                .push(format!("concepts[{place}] must be a mapping"));
            return;
        };
        let unknown = |key: &&String| !["canonical", "kind", "forms"].contains(&key.as_str());
        for key in members.keys().filter(unknown) {
            self.faults
                .push(format!("concepts[{place}]: unknown key `{key}`"));
        }
        match concept(members) {
            Err(fault) => self.faults.push(format!("concepts[{place}]: {fault}")),
            Ok(concept) => self.add(place, concept),
        }
    }

    fn add(&mut self, place: usize, concept: Concept) {
        let canonical = normalized(&concept.canonical);
        if let Some(earlier) = self.places.insert(canonical.clone(), place) {
            self.faults.push(format!(
                "concepts[{place}]: `{canonical}` is defined by concepts[{earlier}] already"
            ));
        }
        let same = concept
            .forms
            .iter()
            .find(|form| normalized(form) == canonical);
        if let Some(form) = same {
            self.faults.push(format!(
                "concepts[{place}]: the form `{form}` is the same as the canonical words"
            ));
        }
        self.concepts.push(concept);
    }
}

fn concept(members: &Map<String, Value>) -> Result<Concept, String> {
    let canonical = members.get("canonical").and_then(text);
    let canonical = canonical.ok_or("`canonical` must be a string with the words of entries")?;
    let kind = match members.get("kind").and_then(Value::as_str) {
        Some("acronym") => ConceptKind::Acronym,
        Some("shorthand") => ConceptKind::Shorthand,
        _ => {
            return Err(format!(
                "`{canonical}`: `kind` must be acronym or shorthand"
            ));
        }
    };
    let forms = members.get("forms").and_then(Value::as_array);
    let forms: Option<Vec<String>> = forms.and_then(|forms| forms.iter().map(text).collect());
    match forms {
        Some(forms) if !forms.is_empty() => Ok(Concept {
            canonical,
            kind,
            forms,
        }),
        _ => Err(format!("`{canonical}`: `forms` must be a list of strings")),
    }
}

/// Words; YAML reads some short forms as numbers.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!normalized(&text).is_empty()).then_some(text)
}

fn warnings(concepts: &[Concept]) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut by_form: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for concept in concepts {
        let canonical = normalized(&concept.canonical);
        if canonical.split(' ').all(is_stop_word) {
            warnings.push(format!(
                "`{canonical}` has only words that searches drop, so that it finds nothing"
            ));
        }
        for form in &concept.forms {
            by_form
                .entry(normalized(form))
                .or_default()
                .push(canonical.clone());
        }
    }
    let several = by_form
        .into_iter()
        .filter(|(_, concepts)| concepts.len() > 1);
    warnings.extend(several.map(|(form, concepts)| {
        format!(
            "`{form}` is a form of {}; it finds all of them",
            concepts.join(", ")
        )
    }));
    warnings
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_test_cases::cases;

    use super::*;

    #[test]
    fn documents_are_read_or_refused_as_ariels() {
        for case in cases("ariel.jsonl", "vocab_load") {
            let expected = &case["expected"];
            let read = match case["input"]["yaml"].as_str() {
                Some(yaml) => concepts_of(&parse_data(yaml).unwrap()),
                None => {
                    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                        .join("../../../shared/cases/ariel-data/vocabulary.yml");
                    Ok(read_vocabulary(&path).unwrap())
                }
            };
            assert_eq!(expected["loaded"], read.is_ok(), "{case}");
            match read {
                Ok((concepts, warnings)) => {
                    assert_eq!(expected["concepts"], concepts.len(), "{case}");
                    let theirs = expected["warnings"].as_array().unwrap();
                    assert_eq!(theirs.len(), warnings.len(), "{case}: {warnings:?}");
                }
                Err(faults) => {
                    let theirs = expected["errors"].as_array().unwrap();
                    assert_eq!(theirs.len(), faults.len(), "{case}: {faults:?}");
                }
            }
        }
    }

    #[test]
    fn the_starter_vocabulary_has_no_faults_and_nothing_odd() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/vocabulary.yml");
        let (concepts, warnings) = read_vocabulary(&path).unwrap();
        assert!(concepts.len() > 30);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let yaml = "concepts:\n  - 5\n  - {canonical: a b, kind: word, forms: [ab]}\n  - {canonical: c d, kind: acronym, forms: []}\n  - {canonical: e f, kind: acronym, forms: [ef], note: x}\n";
        let faults = concepts_of(&parse_data(yaml).unwrap()).unwrap_err();
        assert_eq!(faults.len(), 4, "{faults:?}");
    }
}
