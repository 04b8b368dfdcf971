//! Texts of configuration files as they are shown: `*` stands for each
//! character of a secret.

use std::ops::Range;

use super::parameter_value::parameter_behind;
use crate::secrets::{ends_as_a_secret, is_secret, masked_keys, names_a_secret};

/// A text in which each secret has become as many `*`, so that places in it
/// stay what they are. For texts of configuration files that are shown.
pub fn without_passwords(text: &str) -> String {
    hide_passwords(text, &|secret: &str| "*".repeat(secret.len()))
}

/// Hides, in each line, what stands between the first `:` behind `://` and the
/// last `@`, since a password may hold any character; the text of a key that
/// names a secret, in its line and in those below; and what is a secret by its
/// form. References to secrets are shown.
pub(super) fn hide_passwords(text: &str, mask: &impl Fn(&str) -> String) -> String {
    let in_each_line = |found: &str| {
        let lines = found.split('\n').map(mask);
        lines.collect::<Vec<_>>().join("\n")
    };
    let text = masked_keys(text, in_each_line);
    let mut open: Option<OpenKey> = None;
    let lines = text.split('\n').map(|line| {
        open = open.take().and_then(|key| key.above(line));
        if line.trim().is_empty() {
            return line.to_owned();
        }
        if open.as_ref().is_some_and(|key| key.has_text) {
            let (indent, text) = line.split_at(indent_of(line));
            return format!("{indent}{}", mask(text));
        }
        open = OpenKey::of(line).or(open.take());
        hide_values(&hide_between(line, mask), mask)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The key of a secret whose text may go on in lines that are indented deeper.
struct OpenKey {
    indent: usize,
    /// Whether its text has begun. The lines below it may be the members of a
    /// reference otherwise.
    has_text: bool,
}

impl OpenKey {
    /// The key with which a line begins.
    fn of(line: &str) -> Option<Self> {
        let at = line.find(':')?;
        let key = key_before(line, at);
        let before = line[..at].trim_matches([' ', '\t', '-', '"', '\'']);
        let value = line[at + 1..].trim();
        if !names_a_secret(key) || before != key || value.starts_with(['{', '[']) {
            return None;
        }
        let is_empty = value.is_empty() || value.starts_with('#');
        (is_empty || is_hidden(key, value)).then(|| Self {
            indent: line.len() - line.trim_start_matches([' ', '\t', '-']).len(),
            has_text: !is_empty,
        })
    }

    /// The key while it is still above this line.
    fn above(self, line: &str) -> Option<Self> {
        let text = line.trim();
        if text.is_empty() {
            return Some(self);
        }
        if indent_of(line) <= self.indent {
            return None;
        }
        if self.has_text || text.starts_with('#') {
            return Some(self);
        }
        let has_members =
            text.starts_with(['{', '[', '-']) || text.contains(": ") || text.ends_with(':');
        (!has_members).then_some(Self {
            has_text: true,
            ..self
        })
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn hide_between(line: &str, mask: &impl Fn(&str) -> String) -> String {
    let Some(start) = line.find("://").map(|at| at + 3) else {
        return line.to_owned();
    };
    let Some(end) = line.rfind('@').filter(|end| *end > start) else {
        return line.to_owned();
    };
    if let Some(token) = token_of_web_address(line, start) {
        let masked = mask(&line[token.clone()]);
        return format!("{}{masked}{}", &line[..token.start], &line[token.end..]);
    }
    match line[start..end].split_once(':') {
        Some((user, password)) => {
            let masked = mask(password);
            format!("{}{user}:{masked}{}", &line[..start], &line[end..])
        }
        None => line.to_owned(),
    }
}

/// Where the user of `https://TOKEN@host` stands, which has no password beside
/// it: services take tokens so.
fn token_of_web_address(line: &str, start: usize) -> Option<Range<usize>> {
    let scheme = line[..start].trim_end_matches("://").to_ascii_lowercase();
    if !scheme.ends_with("http") && !scheme.ends_with("https") {
        return None;
    }
    let rest = &line[start..];
    let length = rest.find(['/', '?', '#', ' ', '"', '\'']);
    let authority = &rest[..length.unwrap_or(rest.len())];
    let (user, _) = authority.rsplit_once('@')?;
    (!user.contains(':')).then(|| start..start + user.len())
}

/// What follows `KEY:` and `KEY=` for each key that names a secret.
fn hide_values(line: &str, mask: &impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut shown = 0;
    while let Some(secret) = next_secret(line, shown) {
        out.push_str(&line[shown..secret.start]);
        out.push_str(&mask(&line[secret.clone()]));
        shown = secret.end;
    }
    out.push_str(&line[shown..]);
    out
}

/// The first secret from this place on.
fn next_secret(line: &str, from: usize) -> Option<Range<usize>> {
    let mut signs = line[from..].match_indices([':', '=']);
    signs.find_map(|(at, sign)| {
        let at = from + at;
        let key = key_before(line, at);
        let value = match sign {
            ":" if has_value_behind(line, at, key) => value_behind(line, at + 1),
            ":" => return None,
            _ => parameter_behind(line, at + 1),
        };
        is_hidden(key, &line[value.clone()]).then_some(value)
    })
}

/// The key that ends here, without its quotes.
fn key_before(line: &str, at: usize) -> &str {
    let before = line[..at].trim_end_matches([' ', '"', '\'']);
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    before
        .rsplit(|c: char| !is_part(c))
        .next()
        .unwrap_or_default()
}

/// Whether a `:` is that of a key, and not one within a text, such as the one
/// before a port.
fn has_value_behind(line: &str, at: usize, key: &str) -> bool {
    line[at + 1..].starts_with([' ', '\t', '"', '\''])
        || line[..at].ends_with(['"', '\''])
        || ends_as_a_secret(key)
}

/// The value behind the `:` of a key. It is empty for a mapping, whose keys
/// speak for themselves; that of a list is what stands in its brackets.
fn value_behind(line: &str, from: usize) -> Range<usize> {
    let value = line[from..].trim();
    let start = line.len() - line[from..].trim_start().len();
    let is_in_a_mapping = line[..from].contains(['{', '[']);
    let (skipped, length) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => (1, quoted_length(&value[1..], quote)),
        Some('[') => (1, value[1..].find(']').unwrap_or(value.len() - 1)),
        Some('{') | None => (0, 0),
        Some(_) if is_in_a_mapping => {
            let end = value.find([',', '}', ']']).unwrap_or(value.len());
            (0, value[..end].trim_end().len())
        }
        Some(_) => (0, value.len()),
    };
    start + skipped..start + skipped + length
}

/// Up to the quote that ends a text, or to the end of the line.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            // Two single quotes stand for one.
            '\'' if quote == '\'' && text[at + 1..].starts_with('\'') => escaped = true,
            _ if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether a text under a key is hidden. Numbers, `true` and `false` are shown
/// below keys such as `max_tokens`.
fn is_hidden(key: &str, text: &str) -> bool {
    let before_comment = text.split(" #").next().map(str::trim);
    let value = before_comment.filter(|value| !value.is_empty());
    let value = value.unwrap_or(text);
    if matches!(value, "" | "null" | "~") {
        return false;
    }
    let is_plain = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    is_secret(key, value) && (!is_plain || ends_as_a_secret(key))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_key_that_is_written_out_is_hidden_and_a_reference_is_shown() {
        for (text, shown) in [
            ("  api_key: sk-abc", "  api_key: ******"),
            ("{api_key: \"s3\", model: m}", "{api_key: \"**\", model: m}"),
            ("api_key: { env: KEY }", "api_key: { env: KEY }"),
            ("api_key: { env: s-3 }", "api_key: { env: *** }"),
            ("password: null  # unset", "password: null  # unset"),
            ("password: nullable", "password: ********"),
            ("headers: {x-token: abc}", "headers: {x-token: ***}"),
            ("url: https://abc@log/a@b", "url: https://***@log/a@b"),
            ("url: https://log/a@b", "url: https://log/a@b"),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn every_name_of_a_secret_hides_its_text() {
        for key in [
            "api_key",
            "apikey",
            "access-key",
            "Authorization",
            "passphrase",
            "password",
            "passwd",
            "client_secret",
            "private-key",
            "Signing_Key",
            "db_pwd",
            "PWD",
            "smtp.pass",
            "session_cookie",
            "credentials",
            "token",
            "x-token-id",
        ] {
            for (text, shown) in [
                (format!("{key}: hunter2"), format!("{key}: *******")),
                (
                    format!("  \"{key}\": hunter2"),
                    format!("  \"{key}\": *******"),
                ),
                (format!("{{{key}: hunter2}}"), format!("{{{key}: *******}}")),
                (
                    format!("uri?{key}=hunter2&a=b"),
                    format!("uri?{key}=*******&a=b"),
                ),
            ] {
                assert_eq!(without_passwords(&text), shown);
            }
        }
    }

    #[test]
    fn the_whole_text_of_a_secret_is_hidden() {
        for (text, shown) in [
            ("passphrase: two words, more", "passphrase: ***************"),
            ("passphrase: 'it''s, one'", "passphrase: '**********'"),
            (r#"passphrase: "a\"b" # c"#, r#"passphrase: "****" # c"#),
            ("{token: ab, secret: cd}", "{token: **, secret: **}"),
            ("token: [ab, cd]", "token: [******]"),
            (
                "uri: \"host=db password='a b' dbname=x\"",
                "uri: \"host=db password='***' dbname=x\"",
            ),
            (
                "uri: 'host=db password=''a b'' dbname=x'",
                "uri: 'host=db password=''***'' dbname=x'",
            ),
            (
                "list: authorization=Bearer ab",
                "list: authorization=*********",
            ),
            (
                "X-Key: sk-aaaaaaaaaaaaaaaaaaaa",
                "X-Key: ***********************",
            ),
        ] {
            assert_eq!(without_passwords(text), shown);
        }
    }

    #[test]
    fn the_lines_below_the_key_of_a_secret_are_hidden_too() {
        let text = "a:\n  passphrase: |\n    one\n\n    two: 2\n  model: m\n\
                    b:\n  - password: one\n      two\n    model: m\n\
                    token:\n  one\nsecret:\n  # here\n  env: NAME\n";
        let shown = "a:\n  passphrase: *\n    ***\n\n    ******\n  model: m\n\
                     b:\n  - password: ***\n      ***\n    model: m\n\
                     token:\n  ***\nsecret:\n  # here\n  env: NAME\n";
        assert_eq!(without_passwords(text), shown);
    }

    #[test]
    fn what_only_reads_like_a_secret_is_shown() {
        for text in [
            "max_tokens: 1024  # of an answer",
            "base_url: http://token-service:8000/v1",
            "`server.auth.token`: must be a mapping",
            "api_key: { file: /run/secrets/key }",
            "password: \"\"",
            "uri: \"host=db password='' dbname=x\"",
            "bandpass: wide",
            "filter: bypass=all compass=north",
        ] {
            assert_eq!(without_passwords(text), text);
        }
    }

    proptest! {
        #[test]
        fn hiding_moves_nothing_and_hides_any_password(password in "[^\n]{1,20}") {
            let text = format!("a: 1\nuri: postgres://u:{password}@h/d # note\nb: 2");
            let hidden = without_passwords(&text);
            prop_assert_eq!(hidden.len(), text.len());
            let line = hidden.lines().nth(1).unwrap();
            prop_assert!(line.starts_with("uri: postgres://u:*"));
            prop_assert!(line.ends_with("@h/d # note"));
            prop_assert!(line["uri: postgres://u:".len()..].trim_start_matches('*').starts_with('@'));
        }
    }
}
