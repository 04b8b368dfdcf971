//! The names of a new plugin: one is given, the others follow from it.

use super::ScaffoldError;

/// Longer names would break lines of the templates, and nobody types them.
const MAX_CHARS: usize = 40;

/// Names that the compiler, cargo or the templates need for something else.
const TAKEN: [&str; 70] = [
    // Words of the language.
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "union",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    // Crates that come with the compiler, and folders of cargo.
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
    // Crates that the templates use, and Gannet itself.
    "futures",
    "gannet",
    "gannet_plugin",
    "jiff",
    "pollster",
    "schemars",
    "serde",
    "serde_json",
    "result",
];

/// Types that the templates use.
const TYPES: [&str; 33] = [
    "Adapter",
    "Answer",
    "AnswerStatus",
    "Box",
    "Condition",
    "Context",
    "Descriptor",
    "Diagnostic",
    "Enhanced",
    "Enhancer",
    "Entry",
    "Error",
    "Example",
    "FetchRequest",
    "FilterField",
    "Found",
    "Hit",
    "Option",
    "Patch",
    "Pipeline",
    "Read",
    "Record",
    "Result",
    "SearchModule",
    "SearchRequest",
    "Settings",
    "Setup",
    "Some",
    "String",
    "TextSearch",
    "TimeZone",
    "Vec",
    "StreamExt",
];

/// What a plugin is called in each place.
#[derive(Debug, PartialEq)]
pub(super) struct Names {
    /// In `Cargo.toml`, as it was given: `night-shift`.
    pub(super) package: String,
    /// In the configuration, and as a library: `night_shift`.
    pub(super) plugin: String,
    /// Its type: `NightShift`.
    pub(super) type_name: String,
    /// For people: `Night shift`.
    pub(super) label: String,
}

impl Names {
    /// The names that follow from that of the crate.
    ///
    /// # Errors
    /// [`ScaffoldError::Name`] with a better one, where there is one.
    pub(super) fn of(name: &str) -> Result<Self, ScaffoldError> {
        if let Some(reason) = objection(name) {
            return Err(ScaffoldError::Name {
                name: name.escape_debug().to_string(),
                reason,
                suggestion: suggestion(name)
                    .map(|better| format!("; try `{better}`"))
                    .unwrap_or_default(),
            });
        }
        let words: Vec<&str> = name.split(['-', '_']).collect();
        Ok(Self {
            package: name.to_owned(),
            plugin: words.join("_"),
            type_name: type_name(&words),
            label: capitalised(&words.join(" ")),
        })
    }
}

fn objection(name: &str) -> Option<String> {
    let is_word = |word: &str| {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        !word.is_empty() && word.chars().all(is_allowed)
    };
    let starts_with_a_letter = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts_with_a_letter || !name.split(['-', '_']).all(is_word) {
        let rule = "use lower-case letters and digits, words joined by single hyphens or \
                    underscores, starting with a letter";
        return Some(rule.to_owned());
    }
    if name.len() > MAX_CHARS {
        return Some(format!("it is longer than {MAX_CHARS} characters"));
    }
    let library = name.replace('-', "_");
    if TAKEN.contains(&library.as_str()) {
        return Some("the language, cargo or a dependency has this name".to_owned());
    }
    None
}

/// The nearest name that would do.
fn suggestion(name: &str) -> Option<String> {
    let mut better = String::new();
    let mut previous_is_small = false;
    for c in name.chars() {
        // A new word of CamelCase.
        if c.is_uppercase() && previous_is_small {
            better.push('-');
        }
        previous_is_small = c.is_lowercase();
        match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => better.push(c),
            _ => better.push('-'),
        }
    }
    let words: Vec<&str> = better.split('-').filter(|word| !word.is_empty()).collect();
    let better = words.join("-");
    let mut better = better
        .trim_start_matches(|c: char| !c.is_ascii_lowercase())
        .to_owned();
    better.truncate(MAX_CHARS);
    let mut better = better.trim_end_matches('-').to_owned();
    if objection(&better).is_some() && !better.is_empty() {
        better.push_str("-plugin");
    }
    objection(&better).is_none().then_some(better)
}

fn type_name(words: &[&str]) -> String {
    let name: String = words.iter().map(|word| capitalised(word)).collect();
    if TYPES.contains(&name.as_str()) {
        return format!("{name}Plugin");
    }
    name
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}
