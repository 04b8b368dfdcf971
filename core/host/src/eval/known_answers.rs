//! Questions with known answers, as a file has them.

use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use super::EvalError;
use super::judgements::read_questions_of;

/// A question and what a right answer holds.
#[derive(Debug, Clone)]
pub struct QaQuestion {
    /// Its id, unique in the file.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// The kind of question; results are counted per category.
    pub category: String,
    /// Ids of the entries that answer it; empty when it has no answer.
    pub gold: Vec<String>,
    /// The facts that a right answer states.
    pub facts: Vec<KnownFact>,
    /// Whether the corpus does not answer it: a right answer is then none.
    pub unanswerable: bool,
}

/// One fact: alternative patterns, of which an answer matches at least one.
#[derive(Debug, Clone)]
pub struct KnownFact(Vec<Regex>);

impl KnownFact {
    /// Whether one of the patterns occurs in the text.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(text))
    }
}

/// A line of the file.
#[derive(Deserialize)]
struct QaLine {
    id: String,
    text: String,
    category: String,
    #[serde(default)]
    gold: Vec<String>,
    #[serde(default)]
    answers: Vec<Vec<String>>,
    #[serde(default)]
    unanswerable: bool,
}

impl QaQuestion {
    /// Reads a file of questions: one JSON object per line with `id`, `text`,
    /// `category`, `gold`, `answers` and `unanswerable`.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is not a question, repeats an
    /// id, has an answer but no gold entry or no pattern, or has a pattern
    /// that is not accepted; a file without questions.
    pub fn read(path: &Path) -> Result<Vec<Self>, EvalError> {
        read_questions_of(path, parse, |question: &Self| &question.id)
    }
}

fn parse(line: &str) -> Result<QaQuestion, String> {
    let line: QaLine =
        serde_json::from_str(line).map_err(|error| format!("not a question: {error}"))?;
    if line.unanswerable {
        return Ok(QaQuestion {
            id: line.id,
            text: line.text,
            category: line.category,
            gold: Vec::new(),
            facts: Vec::new(),
            unanswerable: true,
        });
    }
    if line.gold.is_empty() || line.answers.is_empty() {
        return Err("expected `gold` and `answers`, or `unanswerable`: true".to_owned());
    }
    let facts = line.answers.iter().map(|fact| compile(fact));
    Ok(QaQuestion {
        facts: facts.collect::<Result<_, _>>()?,
        id: line.id,
        text: line.text,
        category: line.category,
        gold: line.gold,
        unanswerable: false,
    })
}

/// The files are written with Python's `re` in mind. What they use is the same
/// here, except look-around and back-references.
fn compile(alternatives: &[String]) -> Result<KnownFact, String> {
    let compiled = alternatives.iter().map(|pattern| {
        let regex = RegexBuilder::new(pattern).case_insensitive(true).build();
        regex.map_err(|error| {
            format!(
                "the pattern `{pattern}` is not accepted (look-around and back-references are \
                 not supported): {error}"
            )
        })
    });
    Ok(KnownFact(compiled.collect::<Result<_, _>>()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<QaQuestion>, EvalError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qa.jsonl");
        std::fs::write(&path, text).unwrap();
        QaQuestion::read(&path)
    }

    const GOOD: &str = r#"{"id":"a","text":"Why?","category":"cause","gold":["E1"],"answers":[["water leak","\\bleak(s|ed)\\b"],["Pittsburgh\\ Steelers"]],"unanswerable":false,"note":""}"#;

    #[test]
    fn patterns_are_alternatives_and_match_in_any_case() {
        let questions = read_text(GOOD).unwrap();
        let facts = &questions[0].facts;
        assert!(facts[0].is_in("It LEAKED."));
        assert!(facts[0].is_in("a Water Leak"));
        assert!(!facts[0].is_in("leaky"));
        assert!(facts[1].is_in("the pittsburgh steelers"));
    }

    #[test]
    fn a_pattern_that_is_not_accepted_is_named_with_its_line() {
        let look_ahead = GOOD.replace("water leak", "water(?! leak)");
        let error = read_text(&format!("\n{look_ahead}")).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("line 2: the pattern `water(?! leak)` is not accepted"));
        assert!(message.contains("look-around"), "{message}");
    }

    #[test]
    fn an_answerable_question_needs_gold_and_answers() {
        let without = r#"{"id":"a","text":"Why?","category":"cause","gold":[],"answers":[]}"#;
        let message = read_text(without).unwrap_err().to_string();
        assert!(
            message.contains("expected `gold` and `answers`"),
            "{message}"
        );
        let none = r#"{"id":"a","text":"Why?","category":"x","unanswerable":true}"#;
        assert!(read_text(none).unwrap()[0].unanswerable);
    }

    #[test]
    fn an_id_occurs_once_and_a_file_has_questions() {
        let twice = read_text(&format!("{GOOD}\n{GOOD}")).unwrap_err();
        assert!(twice.to_string().contains("occurs twice"), "{twice}");
        let empty = read_text("\n").unwrap_err();
        assert!(empty.to_string().contains("no questions"), "{empty}");
    }
}
