//! What a facility says to the chat models that work for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What a facility says to the chat models that work for it: a few lines of
/// its own for the prompts that are built in, and whole prompts in their
/// place.
///
/// A prompt has a name (`rag.system`) and placeholders in braces
/// (`{question}`). Nothing in it is code, and what is put in a placeholder's
/// place is never read as a placeholder again.
///
/// ```
/// use gannet_api::Prompts;
///
/// let mut prompts = Prompts::default();
/// let built_in = "Question: {question}";
/// let values = [("question", "what is {question}?")];
/// assert_eq!(prompts.render("demo.user", built_in, &values), "Question: what is {question}?");
///
/// prompts.files.insert("demo.user".to_owned(), "Frage: {question}".to_owned());
/// assert_eq!(prompts.render("demo.user", built_in, &values), "Frage: what is {question}?");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Prompts {
    /// What the facility is and how it speaks: its machines, its shifts, its
    /// abbreviations.
    pub facility: String,
    /// How answers are to be written there.
    pub guidelines: String,
    /// Prompts that stand in the place of built-in ones, by name.
    pub files: BTreeMap<String, String>,
}

impl Prompts {
    /// The prompt of this name with its placeholders filled: the facility's
    /// own, or else the one that is built in. A placeholder that has no value
    /// stays as it is.
    pub fn render(&self, name: &str, built_in: &str, values: &[(&str, &str)]) -> String {
        let template = self.files.get(name).map_or(built_in, String::as_str);
        let mut text = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let (before, at) = rest.split_at(open);
            text.push_str(before);
            let filled = values.iter().find_map(|(placeholder, value)| {
                let after = at[1..].strip_prefix(placeholder)?.strip_prefix('}')?;
                Some((*value, after))
            });
            match filled {
                Some((value, after)) => {
                    text.push_str(value);
                    rest = after;
                }
                None => {
                    text.push('{');
                    rest = &at[1..];
                }
            }
        }
        text.push_str(rest);
        text
    }

    /// Whether the facility's own prompt of this name, if there is one, has
    /// the placeholders without which it is of no use.
    ///
    /// # Errors
    /// [`Error::Configuration`] that names the placeholder that is missing.
    pub fn check(&self, name: &str, required: &[&str]) -> Result<()> {
        let Some(template) = self.files.get(name) else {
            return Ok(());
        };
        let is_missing = |placeholder: &&&str| !template.contains(&format!("{{{placeholder}}}"));
        match required.iter().find(is_missing) {
            None => Ok(()),
            Some(placeholder) => Err(Error::configuration(
                format!("prompts: {name}.md"),
                format!("it has no `{{{placeholder}}}`; add it where that text belongs"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn braces_that_are_no_placeholder_stay() {
        let prompts = Prompts::default();
        let text = prompts.render("x", r#"{"a": {b}} {c {b}"#, &[("b", "1")]);
        assert_eq!(text, r#"{"a": 1} {c 1"#);
    }

    #[test]
    fn a_prompt_without_its_placeholder_is_refused_by_name() {
        let mut prompts = Prompts::default();
        prompts
            .files
            .insert("rag.user".to_owned(), "Answer.".to_owned());
        let refused = prompts
            .check("rag.user", &["question"])
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("rag.user") && refused.contains("{question}"),
            "{refused}"
        );
        assert!(prompts.check("rag.system", &["question"]).is_ok());
    }
}
