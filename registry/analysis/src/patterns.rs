//! Patterns on names.

use regex::Regex;

/// A glob as a pattern on whole names: `*` any characters, `?` one.
pub fn glob_pattern(glob: &str) -> Result<Regex, regex::Error> {
    let mut pattern = String::new();
    for character in glob.chars() {
        match character {
            '*' => pattern.push_str(".*"),
            '?' => pattern.push('.'),
            other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    whole_name(&pattern)
}

/// A regular expression on whole names, in any case.
pub fn whole_name(pattern: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(&format!("^(?:{pattern})$"))
        .case_insensitive(true)
        .size_limit(1 << 20)
        .build()
}
