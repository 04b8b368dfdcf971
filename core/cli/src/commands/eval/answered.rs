//! The answers of a mode: what `--answers` writes and `--show` prints.

use gannet_core::eval::{AnswerLine, NotRight, write_answers};

use crate::arguments::EvalArguments;
use crate::failure::Failure;
use crate::render::{DIM, HEADING, safe, safe_line};

/// How much of an answer is shown, in characters.
const SHOWN_CHARS: usize = 300;

/// Writes the answers and shows the questions that are not answered right, if
/// asked to.
pub fn save_and_show(
    answers: &[AnswerLine],
    not_right: &[NotRight],
    wanted: &EvalArguments,
) -> Result<(), Failure> {
    if let Some(path) = &wanted.answers {
        write_answers(answers, path)?;
    }
    if wanted.show {
        not_right.iter().for_each(show);
    }
    Ok(())
}

/// Prints one on standard error.
fn show(missed: &NotRight) {
    let answer = &missed.answer;
    errln!(
        "{HEADING}{}{HEADING:#}  {}",
        safe_line(&answer.id),
        safe_line(&missed.text)
    );
    errln!(
        "{DIM}    gold {}, cited {}, status {}{DIM:#}",
        ids(&missed.gold),
        ids(&answer.citations),
        if answer.status.is_empty() {
            "none"
        } else {
            &answer.status
        },
    );
    let text: String = answer.answer.chars().take(SHOWN_CHARS).collect();
    errln!("    {}", safe(&text.replace('\n', "\n    ")));
}

fn ids(ids: &[String]) -> String {
    match ids.is_empty() {
        true => "none".to_owned(),
        false => safe_line(&ids.join(" ")).into_owned(),
    }
}
