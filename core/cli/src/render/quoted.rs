//! Paths in commands that are printed to be typed again.

use super::safe_line;

/// A path as a shell takes it: in quotation marks where it has characters that
/// a shell reads as something else.
pub fn quoted(path: &str) -> String {
    let is_plain = |one: char| one.is_alphanumeric() || "/._-+,=@%:\\".contains(one);
    let path = safe_line(path);
    match !path.is_empty() && path.chars().all(is_plain) {
        true => path.into_owned(),
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_as_something_else_is_in_quotation_marks() {
        for (path, expected) in [
            ("logs/März-2026.csv", "logs/März-2026.csv"),
            ("Pumps 1.tsv", "'Pumps 1.tsv'"),
            ("it's $HOME", r"'it'\''s $HOME'"),
            ("a#b;c", "'a#b;c'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(path), expected);
        }
    }
}
