//! What a client is told of failures on the way of an answer. An error of a
//! model server or of another service names the server and quotes what it
//! said; that is for the log, and for administrators.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gannet_core::Gannet;
use gannet_core::api::Diagnostic;

use crate::auth::Caller;

/// Categories whose text is an error of something behind the service, with the
/// sort of failure in words.
const OF_THE_INSIDE: [(&str, &str); 5] = [
    ("embedding", ""),
    ("provider", "a model server or another service failed"),
    ("store", "the store failed"),
    ("panic", "it panicked"),
    ("internal", "it failed"),
];
/// Categories whose text is cut only where it names a server or a file.
const LIMIT: (&str, &str) = ("timeout", "it took too long");
/// What a cut text ends with.
const SEE_LOG: &str = "the log has the reason";
/// What stands where no part of a text can be shown.
const NAMELESS: &str = "a part of the search failed";
/// The same for what is wrong with a plugin.
const NAMELESS_REASON: &str = "something behind it failed";

/// Decides what of a diagnostic is shown.
#[derive(Debug, Default)]
pub(crate) struct Disclosure {
    /// The hosts that the settings of plugins name, in lower case.
    hosts: Vec<String>,
    /// The last reason of each plugin that was cut, so that a page that asks
    /// again and again does not fill the log with it.
    logged: Mutex<BTreeMap<String, String>>,
}

impl Disclosure {
    pub fn of(gannet: &Gannet) -> Self {
        Self {
            hosts: gannet.named_hosts(),
            logged: Mutex::default(),
        }
    }

    /// Diagnostics as this caller may see them. What is cut is logged whole.
    pub fn shown(&self, caller: &Caller, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for diagnostic in &mut diagnostics {
            let Some(message) = self.cut(diagnostic) else {
                continue;
            };
            let source = &diagnostic.source;
            tracing::warn!(source, reason = diagnostic.message, "a part failed");
            if !caller.sees_failures() {
                diagnostic.message = message;
            }
        }
        diagnostics
    }

    /// What is wrong with a plugin, as this caller may see it. A plugin's words
    /// can quote a server anywhere after a colon. What is cut is logged whole,
    /// once.
    pub fn reason(&self, caller: &Caller, plugin: &str, reason: &str) -> String {
        let is_named = self.names_the_inside(reason);
        let (head, rest) = reason.split_once(": ").unwrap_or((reason, ""));
        if rest.is_empty() && !is_named {
            return reason.to_owned();
        }
        self.log_once(plugin, reason);
        if caller.sees_failures() {
            return reason.to_owned();
        }
        let is_clean = !self.names_the_inside(head);
        let head = if is_clean { head } else { NAMELESS_REASON };
        format!("{head}; {SEE_LOG}")
    }

    fn log_once(&self, plugin: &str, reason: &str) {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let last = logged.insert(plugin.to_owned(), reason.to_owned());
        if last.as_deref() != Some(reason) {
            tracing::warn!(plugin, reason, "a plugin is not well");
        }
    }

    /// The text without what is of the inside; `None` where it has nothing of it.
    fn cut(&self, diagnostic: &Diagnostic) -> Option<String> {
        let message = &diagnostic.message;
        let category = diagnostic.category.as_deref().unwrap_or_default();
        let known = OF_THE_INSIDE.iter().find(|(name, _)| *name == category);
        let is_named = self.names_the_inside(message);
        if known.is_none() && !is_named {
            return None;
        }
        let (head, rest) = message.split_once(": ").unwrap_or((message, ""));
        if rest.is_empty() && !is_named {
            return None;
        }
        let is_clean = !self.names_the_inside(head);
        let head = if is_clean { head } else { NAMELESS };
        let kind = known.or((LIMIT.0 == category).then_some(&LIMIT));
        Some(match kind.map_or("", |(_, kind)| kind) {
            "" => format!("{head}; {SEE_LOG}"),
            kind => format!("{head}: {kind}; {SEE_LOG}"),
        })
    }

    fn names_the_inside(&self, text: &str) -> bool {
        self.names_a_host(text) || names_a_file(text)
    }

    fn names_a_host(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.hosts.iter().any(|host| has_word(&text, host))
    }
}

/// Whether a host name stands in a text by itself, not within a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Whether a text names a file by its whole path.
pub(crate) fn names_a_file(text: &str) -> bool {
    const QUOTES: [char; 6] = ['`', '"', '\'', '(', ')', ','];
    let mut words = text.split_whitespace();
    words.any(|word| {
        let path = word.trim_matches(QUOTES).trim_end_matches([':', '.']);
        path.starts_with('/') && path[1..].contains('/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(is_admin: bool) -> Caller {
        let scopes = is_admin.then_some(crate::auth::Scope::Admin);
        Caller {
            name: "key:a".to_owned(),
            scopes: scopes.into_iter().collect(),
            ..Caller::nobody()
        }
    }

    fn disclosure() -> Disclosure {
        Disclosure {
            hosts: vec!["models.lab.example".to_owned(), "log".to_owned()],
            ..Disclosure::default()
        }
    }

    fn shown(message: &str, category: &str) -> String {
        let disclosure = disclosure();
        let note = Diagnostic::warning("rag.generate", message).category(category);
        let mut shown = disclosure.shown(&caller(false), vec![note.clone()]);
        assert_eq!(disclosure.shown(&caller(true), vec![note.clone()]), [note]);
        shown.remove(0).message
    }

    #[test]
    fn an_error_of_a_server_is_told_without_its_address_and_its_answer() {
        for (message, category, expected) in [
            (
                "semantic was skipped, its embedder failed: ollama: models.lab.example/api returned \
                 401: canary",
                "embedding",
                "semantic was skipped, its embedder failed; the log has the reason",
            ),
            (
                "fell back to quoted sentences: cborg: models.lab.example/v1 returned 500: canary",
                "provider",
                "fell back to quoted sentences: a model server or another service failed; the log \
                 has the reason",
            ),
            (
                "fell back to quoted sentences: cborg: models.lab.example/v1 took longer than 3 ms",
                "timeout",
                "fell back to quoted sentences: it took too long; the log has the reason",
            ),
            (
                "models.lab.example: status 500: canary",
                "candidates",
                "a part of the search failed; the log has the reason",
            ),
            (
                "keyword failed: panicked: search module `keyword`: canary at src/lib.rs:5",
                "panic",
                "keyword failed: it panicked; the log has the reason",
            ),
            (
                "fell back to quoted sentences: /run/secrets/key cannot be read: canary",
                "unavailable",
                "fell back to quoted sentences; the log has the reason",
            ),
        ] {
            assert_eq!(shown(message, category), expected);
        }
    }

    #[test]
    fn what_is_wrong_with_a_plugin_is_told_without_its_servers() {
        let disclosure = disclosure();
        for (reason, expected) in [
            ("little ink", "little ink"),
            (
                "adapter `olog` could not start: it returned 401: canary",
                "adapter `olog` could not start; the log has the reason",
            ),
            (
                "models.lab.example is down",
                "something behind it failed; the log has the reason",
            ),
            (
                "/srv/secret/key cannot be read",
                "something behind it failed; the log has the reason",
            ),
        ] {
            assert_eq!(disclosure.reason(&caller(false), "one", reason), expected);
            assert_eq!(disclosure.reason(&caller(true), "one", reason), reason);
        }
    }

    #[test]
    fn what_has_nothing_of_the_inside_is_told_as_it_is() {
        for (message, category) in [
            ("`cavty` was searched as `cavity`", "spelling"),
            (
                "keyword failed: `limit` must be at least 1",
                "invalid_input",
            ),
            (
                "the matching entries were not counted: no time left",
                "timeout",
            ),
            (
                "the logbook `logs` has no entries: and/or nothing",
                "unknown_value",
            ),
            ("returned only invalid results", "provider"),
        ] {
            assert_eq!(shown(message, category), message);
        }
    }
}
