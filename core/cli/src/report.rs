//! An error as it stands on the terminal: what is wrong, the line of the
//! configuration that is meant, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use gannet_core::config::{Origin, without_passwords};

use crate::render::width;

/// One error, for a person.
pub struct Report {
    message: String,
    help: Option<String>,
    line: Option<Line>,
}

/// A place in a text, which is shown with the place underlined.
struct Line {
    source: String,
    text: String,
    span: std::ops::Range<usize>,
}

impl Report {
    /// What is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            line: None,
        }
    }

    /// What to do about it.
    pub fn with_help(self, help: Option<&str>) -> Self {
        Self {
            help: help.map(str::to_owned),
            ..self
        }
    }

    /// Shows the line that is meant, or names where the value comes from.
    pub fn at(mut self, origin: &Origin) -> Self {
        match &origin.place {
            Some(place) if place.text.get(place.span.clone()).is_some() => {
                self.line = Some(Line {
                    source: origin.source.to_string(),
                    text: without_passwords(&place.text),
                    span: place.span.clone(),
                });
            }
            _ => self.message = format!("{} ({})", self.message, origin.source),
        }
        self
    }

    /// The report with colours, which `anstream` takes out where there is no
    /// terminal.
    pub fn rendered(&self) -> String {
        let mut group = Group::with_title(Level::ERROR.primary_title(&self.message));
        if let Some(line) = &self.line {
            let mark = AnnotationKind::Primary.span(line.span.clone());
            let snippet = Snippet::source(&line.text).path(&line.source);
            group = group.element(snippet.annotation(mark));
        }
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help));
        }
        Renderer::styled().term_width(width()).render(&[group])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use gannet_core::config::{Place, Source};

    fn plain(report: &Report) -> String {
        anstream::adapter::strip_str(&report.rendered()).to_string()
    }

    fn origin(text: &str, meant: &str) -> Origin {
        let start = text.find(meant).unwrap();
        Origin {
            source: Source::File("config.yml".into()),
            place: Some(Place {
                line: 1,
                column: 1,
                span: start..start + meant.len(),
                text: text.into(),
            }),
        }
    }

    #[test]
    fn the_meant_words_are_underlined_in_their_line() {
        let text = "search_modules:\n  keywort: {}\n";
        let report = Report::new("unknown key `search_modules.keywort`")
            .with_help(Some("did you mean `keyword`?"))
            .at(&origin(text, "keywort"));
        insta::assert_snapshot!(plain(&report), @r"
        error: unknown key `search_modules.keywort`
         --> config.yml:2:3
          |
        2 |   keywort: {}
          |   ^^^^^^^
          |
          = help: did you mean `keyword`?
        ");
    }

    #[test]
    fn a_password_in_the_line_is_not_shown() {
        let text = "store:\n  uri: postgres://me:secret@db/logbook\n  kind: postgress\n";
        let report = Report::new("wrong").at(&origin(text, "postgress"));
        let shown = plain(&report);
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_secret_in_the_line_is_not_shown_whatever_its_key_is_named() {
        for key in ["api_key", "authorization", "passphrase", "PWD", "cookie"] {
            let text = format!("settings: {{ {key}: hunter2, knd: a }}\n");
            let shown = plain(&Report::new("wrong").at(&origin(&text, "knd")));
            assert!(shown.contains(key), "{shown}");
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }

    #[test]
    fn a_value_without_a_place_is_named_by_its_source() {
        let origin = Origin {
            source: Source::BuiltIn,
            place: None,
        };
        let shown = plain(&Report::new("wrong").at(&origin));
        assert_eq!(shown, format!("error: wrong ({})", Source::BuiltIn));
    }
}
