//! What reads like a secret, and how it is kept from being shown or written.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Map, Value};

/// Stands where something was taken out.
const REDACTED: &str = "[REDACTED]";
/// From so many characters on a secret is taken out wherever it stands.
const LONG_SECRET: usize = 4;

/// The value with secrets taken out: texts under a key that names one, and
/// what reads like one in any text. Ids are kept, however long.
pub fn redacted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, member)| {
                let member = match member.is_string() && names_a_secret(&key) {
                    true => Value::from(REDACTED),
                    false => redacted(member),
                };
                (key, member)
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(members) => members.into_iter().map(redacted).collect(),
        Value::String(text) => Value::String(redacted_text(&text)),
        other => other,
    }
}

/// A configuration without secrets that are written where a reference to one
/// belongs. References are shown, unless they are none themselves; addresses
/// hide their passwords themselves.
pub(crate) fn without_secrets(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(key, member)| {
                let text = member.as_str();
                let is_hidden = text.map_or(key == "env", |text| is_secret(&key, text));
                let member = match is_hidden {
                    true => Value::from(REDACTED),
                    false => without_secrets(member),
                };
                (key, member)
            });
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(members) => members.into_iter().map(without_secrets).collect(),
        Value::String(text) if KEYS.is_match(&text) => Value::from(REDACTED),
        Value::String(text) if is_web_address(&text) => {
            let shown = NAMED.replace_all(&text, format!("${{name}}{REDACTED}"));
            Value::from(shown.into_owned())
        }
        other => other,
    }
}

fn is_web_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn is_variable(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// What the key of a secret has in its name, with or without a separator.
const NAMES: [&str; 15] = [
    "api_key",
    "access_key",
    "account_key",
    "encryption_key",
    "private_key",
    "signing_key",
    "authorization",
    "cookie",
    "credential",
    "passphrase",
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
];
/// The same, as a whole word of the name: others end with it, such as `bypass`.
const WORD: &str = "pass";

/// Whether a text under this key of a configuration must not be shown.
pub(crate) fn is_secret(key: &str, text: &str) -> bool {
    names_a_secret(key) || key == "env" && !is_variable(text)
}

/// Whether a text under this key is a secret.
pub(crate) fn names_a_secret(key: &str) -> bool {
    let has_word = words(key).any(|word| word.eq_ignore_ascii_case(WORD));
    let key = bare(key);
    has_word || NAMES.iter().any(|name| key.contains(&bare(name)))
}

/// Whether a key ends with the name of a secret: what it holds is the secret,
/// and not a number of tokens or the like.
pub(crate) fn ends_as_a_secret(key: &str) -> bool {
    let last = words(key).next_back();
    let ends_with_word = last.is_some_and(|word| word.eq_ignore_ascii_case(WORD));
    let key = bare(key);
    ends_with_word || NAMES.iter().any(|name| key.ends_with(&bare(name)))
}

fn words(key: &str) -> impl DoubleEndedIterator<Item = &str> {
    key.split(|c: char| "-_.".contains(c))
}

/// In small letters, without separators.
fn bare(name: &str) -> String {
    name.to_lowercase().replace(['-', '_'], "")
}

/// A text in which a mask stands for each secret that is one by its form.
pub(crate) fn masked_keys(text: &str, mask: impl Fn(&str) -> String) -> Cow<'_, str> {
    KEYS.replace_all(text, |found: &Captures<'_>| mask(&found[0]))
}

/// A text without what is a secret by its form, wherever it stands: for errors
/// and diagnostics, which may repeat what a server said.
pub(crate) fn without_keys(text: &str) -> Cow<'_, str> {
    match KEYS.replace_all(text, REDACTED) {
        Cow::Borrowed(text) => ADDRESSES.replace_all(text, REDACTED),
        Cow::Owned(text) => Cow::Owned(ADDRESSES.replace_all(&text, REDACTED).into_owned()),
    }
}

/// A text without a secret that is known. One of few characters is taken out as
/// a word of its own only: its letters are in many words.
pub(crate) fn without_secret(text: &str, secret: &str) -> String {
    if secret.is_empty() {
        return text.to_owned();
    }
    if secret.chars().count() >= LONG_SECRET {
        return text.replace(secret, REDACTED);
    }
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for (start, _) in text.match_indices(secret) {
        let (before, after) = (&text[..start], &text[start + secret.len()..]);
        let is_in_word =
            before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        if !is_in_word {
            kept.push_str(&text[end..start]);
            kept.push_str(REDACTED);
            end = start + secret.len();
        }
    }
    kept.push_str(&text[end..]);
    kept
}

fn redacted_text(text: &str) -> String {
    let named = NAMED.replace_all(text, format!("${{name}}{REDACTED}"));
    without_keys(&named).into_owned()
}

/// Keys of model servers, clouds and code hosts, tokens, private keys: what is
/// one by its form.
static KEYS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&[
        r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_\-]{16,}",
        r"\bgh[pousr]_[A-Za-z0-9]{16,}",
        r"\b(?:github_pat|glpat|xox[abprs]|hf)[_\-][A-Za-z0-9_\-]{16,}",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bAIza[A-Za-z0-9_\-]{20,}",
        // The API keys of Gannet itself.
        r"\bgnt_[0-9a-f]{12}_[0-9a-f]{16,}",
        r"\beyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+",
        r"(?i:\bbearer)\s+[A-Za-z0-9._~+/\-]*[0-9._~+/\-=][A-Za-z0-9._~+/\-=]*",
        // Letters alone are a word, unless there are more than words have.
        r"(?i:\bbearer)\s+[A-Za-z]{20,}",
        r"(?i:\bbasic)\s+[A-Za-z0-9+/]{8,}=*",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
    ])
});

/// User and password of an address.
static ADDRESSES: LazyLock<Regex> = LazyLock::new(|| compiled(&[r"://[^\s/:@]*:[^\s/]*@"]));

/// What follows the name of a secret: `password: …`, `CLIENT_SECRET=…`,
/// `"token": "…"`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    let names = NAMES.map(|name| name.replace('_', r"[_\-]?")).join("|");
    let key =
        format!(r#"(?i)(?P<name>\b[A-Z0-9_\-]*(?:{names}|(?:\b|[_\-]){WORD})["']?\s*[:=]\s*)"#);
    let value = r#"(?:"[^"\n]*"|'[^'\n]*'|(?:bearer|basic)\s+\S+|\S+)"#;
    let form = key + value;
    compiled(&[form.as_str()])
});

#[allow(clippy::expect_used, reason = "constants, compiled by the tests")]
fn compiled(forms: &[&str]) -> Regex {
    Regex::new(&forms.join("|")).expect("a sound expression")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_reads_like_a_secret_is_taken_out() {
        for text in [
            "sk-aaaaaaaaaaaaaaaaaaaa",
            "sk_live_51Habcdefghijklmnop",
            "Bearer abc.def",
            "bearer QWERTYUIOPasdfghjklZXCV",
            "eyJhbGciOi.eyJzdWIi.c2lnbmF0dXJl",
            "github_pat_11ABCDEFG0abcdefghij",
            "hf_abcdefghijklmnopqrst",
            "AIzaSyA1234567890abcdefghijk",
            "gnt_0123456789ab_0123456789abcdef0123456789abcdef",
            "Basic dXNlcjpwYXNz",
        ] {
            assert_eq!(redacted(json!({ "q": text })), json!({ "q": REDACTED }));
        }
        for (text, kept) in [
            ("password: hunter2 was set", "password: [REDACTED] was set"),
            ("client_secret: abc", "client_secret: [REDACTED]"),
            (
                "AWS_SECRET_ACCESS_KEY=wJalr",
                "AWS_SECRET_ACCESS_KEY=[REDACTED]",
            ),
            (
                r#"{"password": "hunter two"}"#,
                r#"{"password": [REDACTED]}"#,
            ),
            ("Authorization: Basic dXNl", "Authorization: [REDACTED]"),
            ("pass=hunter2", "pass=[REDACTED]"),
            ("db_pass=hunter2 bypass=on", "db_pass=[REDACTED] bypass=on"),
            (
                "PWD='hunter 2'; cookie: a=b",
                "PWD=[REDACTED]; cookie: [REDACTED]",
            ),
            (
                "see postgres://ops:p@ss@db/log",
                "see postgres[REDACTED]db/log",
            ),
        ] {
            assert_eq!(redacted(json!(text)), json!(kept));
        }
        let member = redacted(json!({ "api_key": "abc" }));
        assert_eq!(member, json!({ "api_key": REDACTED }));
    }

    #[test]
    fn a_short_secret_is_taken_out_of_no_word() {
        for (text, secret, kept) in [
            (
                "closed before b, b=b",
                "b",
                "closed before [REDACTED], [REDACTED]=[REDACTED]",
            ),
            (
                "user ab, key `ab`, cab",
                "ab",
                "user [REDACTED], key `[REDACTED]`, cab",
            ),
            ("übe ü", "ü", "übe [REDACTED]"),
            ("xs3crety", "s3cret", "x[REDACTED]y"),
            ("closed", "", "closed"),
        ] {
            assert_eq!(without_secret(text, secret), kept);
        }
    }

    #[test]
    fn ids_and_ordinary_words_are_kept() {
        let kept = json!({
            "question": "who is the bearer of the task-force token ring logbook? pass the basic tests",
            "sources": [{ "entry_id": "research_6_research_hypothesis_h001_long" }],
            "max_tokens": 1024,
        });
        assert_eq!(redacted(kept.clone()), kept);
    }

    #[test]
    fn a_configuration_shows_references_and_no_secrets() {
        let shown = without_secrets(json!({
            "api_key": { "env": "CBORG_API_KEY" },
            "other": { "api_key": { "env": "sk-canary" }, "apikey": "x1" },
            "headers": { "Authorization": "hunter2", "X-Key": "sk-aaaaaaaaaaaaaaaaaaaa" },
            "max_tokens": 1024,
            "url": "https://log.example/search?limit=5&token=hunter2",
        }));
        assert_eq!(
            shown,
            json!({
                "api_key": { "env": "CBORG_API_KEY" },
                "other": { "api_key": { "env": REDACTED }, "apikey": REDACTED },
                "headers": { "Authorization": REDACTED, "X-Key": REDACTED },
                "max_tokens": 1024,
                "url": "https://log.example/search?limit=5&token=[REDACTED]",
            })
        );
    }
}
