//! Reads questions and judgements.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Questions and what is relevant to each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EvalSet {
    /// The questions that have judgements, in the order of the file.
    pub questions: Vec<Question>,
    /// Per question: the grade of each judged document; 0 is not relevant.
    pub grades: BTreeMap<String, HashMap<String, u32>>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Question {
    /// Its id, as the judgements name it.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Documents that are dropped from its ranking.
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// What can be wrong with a set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not as it should be.
    #[error("{}, line {line}: {reason}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// No question has a judgement.
    #[error(
        "no question of {} is judged in {}; check `--queries` and `--qrels`",
        queries.display(),
        qrels.display()
    )]
    NothingJudged {
        /// The file of questions.
        queries: PathBuf,
        /// The file of judgements.
        qrels: PathBuf,
    },
    /// A file of questions with known answers has none.
    #[error("{}: there are no questions in it", path.display())]
    NoQuestions {
        /// Which file.
        path: PathBuf,
    },
    /// A file of questions about sets has none for the documents.
    #[error(
        "{}: no question has the `collection` `{collection}`, the name of the folder of documents",
        path.display()
    )]
    NoneOfCollection {
        /// Which file.
        path: PathBuf,
        /// The name of the folder.
        collection: String,
    },
    /// The host failed.
    #[error(transparent)]
    Host(#[from] crate::HostError),
}

impl EvalSet {
    /// Reads both files.
    ///
    /// # Errors
    /// A file or a line that cannot be read, or no judged question at all.
    pub fn read(queries: &Path, qrels: &Path) -> Result<Self, EvalError> {
        let grades = read_grades(qrels)?;
        let mut questions = read_questions(queries)?;
        questions.retain(|question| grades.contains_key(&question.id));
        if questions.is_empty() {
            return Err(EvalError::NothingJudged {
                queries: queries.to_owned(),
                qrels: qrels.to_owned(),
            });
        }
        Ok(Self { questions, grades })
    }

    /// Writes both files.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, queries: &Path, qrels: &Path) -> Result<(), EvalError> {
        let lines = self.questions.iter().map(|question| {
            let line = serde_json::json!({ "id": question.id, "text": question.text });
            format!("{line}\n")
        });
        write(queries, &lines.collect::<String>())?;
        let mut judgements = "query-id\tcorpus-id\tscore\n".to_owned();
        for (question, grades) in &self.grades {
            let grades: BTreeMap<&String, &u32> = grades.iter().collect();
            for (document, grade) in grades {
                judgements.push_str(&format!("{question}\t{document}\t{grade}\n"));
            }
        }
        write(qrels, &judgements)
    }
}

fn read_questions(path: &Path) -> Result<Vec<Question>, EvalError> {
    let text = read(path)?;
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line)
                .map_err(|error| bad_line(path, index, format!("not a question: {error}")))
        })
        .collect()
}

fn read_grades(path: &Path) -> Result<BTreeMap<String, HashMap<String, u32>>, EvalError> {
    let text = read(path)?;
    let mut grades: BTreeMap<String, HashMap<String, u32>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let [question, document, grade] = fields[..] else {
            let reason = "expected question, document and grade, separated by tabs".to_owned();
            return Err(bad_line(path, index, reason));
        };
        let grade: i64 = grade
            .trim()
            .parse()
            .map_err(|_| bad_line(path, index, format!("grade `{grade}` is not an integer")))?;
        // trec_eval reads a negative grade as not relevant.
        let grade = u32::try_from(grade.max(0)).unwrap_or(u32::MAX);
        let of_question = grades.entry(question.to_owned()).or_default();
        of_question.insert(document.to_owned(), grade);
    }
    Ok(grades)
}

fn read(path: &Path) -> Result<String, EvalError> {
    fs::read_to_string(path).map_err(|source| EvalError::File {
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, text: &str) -> Result<(), EvalError> {
    fs::write(path, text).map_err(|source| EvalError::File {
        path: path.to_owned(),
        source,
    })
}

/// The questions of a file, one a line, each with its own id.
pub(super) fn read_questions_of<Q>(
    path: &Path,
    parse: fn(&str) -> Result<Q, String>,
    id: fn(&Q) -> &str,
) -> Result<Vec<Q>, EvalError> {
    let text = read(path)?;
    let mut ids = HashSet::new();
    let mut questions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let question = parse(line).map_err(|reason| bad_line(path, index, reason))?;
        if !ids.insert(id(&question).to_owned()) {
            let reason = format!("the id `{}` occurs twice", id(&question));
            return Err(bad_line(path, index, reason));
        }
        questions.push(question);
    }
    match questions.is_empty() {
        true => Err(EvalError::NoQuestions {
            path: path.to_owned(),
        }),
        false => Ok(questions),
    }
}

fn bad_line(path: &Path, index: usize, reason: String) -> EvalError {
    EvalError::Line {
        path: path.to_owned(),
        line: index + 1,
        reason,
    }
}
