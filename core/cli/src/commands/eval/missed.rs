//! A question that is not answered right, as `--show` prints it.

use gannet_core::eval::NotRight;

use crate::render::{DIM, HEADING, safe, safe_line};

/// How much of an answer is shown, in characters.
const SHOWN_CHARS: usize = 300;

/// Prints it on standard error.
pub fn show(missed: &NotRight) {
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
