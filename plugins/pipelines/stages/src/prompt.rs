//! Prompts: what is said to a chat model, in a pipeline's own words or in
//! those of the facility.

use gannet_plugin::prelude::{Error, Result, Setup};

/// A prompt that is built into a pipeline.
///
/// A facility puts another in its place by a file of the same name, or of the
/// name that the pipeline has in the configuration: `night.system.md` stands
/// before `rag.system.md` for the pipeline `night`, which is a `rag`.
#[derive(Debug, Clone, Copy)]
pub struct BuiltInPrompt {
    /// The pipeline's own name.
    pub plugin: &'static str,
    /// The prompt's name after the dot: `system` of `rag.system`.
    pub part: &'static str,
    /// Its words, with placeholders in braces.
    pub text: &'static str,
    /// Placeholders without which it is of no use.
    pub required: &'static [&'static str],
}

impl BuiltInPrompt {
    /// The prompt with its placeholders filled, `{facility}` and
    /// `{guidelines}` among them: each a paragraph with its heading, or
    /// nothing where the facility says nothing.
    pub fn render(&self, setup: &Setup, values: &[(&str, &str)]) -> String {
        let own = format!("{}.{}", setup.instance, self.part);
        let name = match setup.prompts.files.contains_key(&own) {
            true => own,
            false => format!("{}.{}", self.plugin, self.part),
        };
        let facility = under("About this facility:", &setup.prompts.facility);
        let guidelines = under("How answers are written here:", &setup.prompts.guidelines);
        let mut all = vec![
            ("facility", facility.as_str()),
            ("guidelines", guidelines.as_str()),
        ];
        all.extend_from_slice(values);
        let text = setup.prompts.render(&name, self.text, &all);
        text.trim_end().to_owned()
    }
}

/// Whether the facility's prompts for a pipeline are prompts that it has, with
/// the placeholders that they need.
///
/// # Errors
/// A configuration error that names the file, and what it lacks or what there
/// is: a mistyped name would change nothing.
pub fn check_prompts(prompts: &[BuiltInPrompt], setup: &Setup) -> Result<()> {
    for name in setup.prompts.files.keys() {
        let Some((owner, part)) = name.split_once('.') else {
            continue;
        };
        let is_ours = owner == setup.instance || prompts.iter().any(|one| one.plugin == owner);
        if !is_ours {
            continue;
        }
        let Some(prompt) = prompts.iter().find(|prompt| prompt.part == part) else {
            let parts: Vec<&str> = prompts.iter().map(|prompt| prompt.part).collect();
            let message = format!(
                "`{owner}` has no prompt `{part}`; it has {}",
                parts.join(", ")
            );
            return Err(Error::configuration(format!("prompts: {name}.md"), message));
        };
        setup.prompts.check(name, prompt.required)?;
    }
    Ok(())
}

/// A text of the facility with its heading and an empty line after it;
/// nothing at all when there is no text.
fn under(heading: &str, text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!("{heading}\n{text}\n\n"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const PROMPTS: [BuiltInPrompt; 2] = [
        BuiltInPrompt {
            plugin: "rag",
            part: "system",
            text: "Answer. {facility}{guidelines}{nonce}\n",
            required: &["nonce"],
        },
        BuiltInPrompt {
            plugin: "rag",
            part: "user",
            text: "{question}\n",
            required: &["question"],
        },
    ];

    fn setup(files: &[(&str, &str)]) -> Setup {
        let mut setup = Setup::default().with_instance("night");
        let files = files.iter();
        setup.prompts.files = files
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        setup
    }

    #[test]
    fn the_facility_has_its_say_or_leaves_no_heading() {
        let mut setup = setup(&[]);
        let nonce = [("nonce", "5f2a")];
        assert_eq!(PROMPTS[0].render(&setup, &nonce), "Answer. 5f2a");
        setup.prompts.facility = "A ring of 12 sectors.\n".to_owned();
        setup.prompts.guidelines = "Metric units.".to_owned();
        assert_eq!(
            PROMPTS[0].render(&setup, &nonce),
            "Answer. About this facility:\nA ring of 12 sectors.\n\n\
             How answers are written here:\nMetric units.\n\n5f2a"
        );
    }

    #[test]
    fn an_instance_has_its_own_prompts_before_those_of_the_plugin() {
        let values = [("question", "why?")];
        let both = setup(&[("rag.user", "P {question}"), ("night.user", "I {question}")]);
        assert_eq!(PROMPTS[1].render(&both, &values), "I why?");
        let one = setup(&[("rag.user", "P {question}")]);
        assert_eq!(PROMPTS[1].render(&one, &values), "P why?");
    }

    #[test]
    fn a_prompt_that_is_none_or_lacks_what_it_needs_is_refused() {
        for (name, text, told) in [
            ("rag.user", "Answer.", "{question}"),
            ("night.system", "Be kind.", "{nonce}"),
            ("rag.sistem", "{nonce}", "it has system, user"),
        ] {
            let refused = check_prompts(&PROMPTS, &setup(&[(name, text)])).unwrap_err();
            let refused = refused.to_string();
            assert!(
                refused.contains(name) && refused.contains(told),
                "{refused}"
            );
        }
        assert!(check_prompts(&PROMPTS, &setup(&[("other.user", "")])).is_ok());
    }
}
