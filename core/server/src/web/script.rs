//! The scripts of the interface as one file. They are written as modules; where
//! a browser loads each by itself, the page asks its first question 80 ms later.
//!
//! Each module becomes a function that gives what the module exports, after
//! those that it imports. So every import and every export is a line that begins
//! with that word, and no two modules import each other.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::LazyLock;

use super::files::{FILES, WebFile};

/// The module that begins.
const FIRST: &str = "app.js";

static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let mut joined = Joined::default();
    joined.add(FIRST);
    joined.text
});

/// All of them as a file.
pub(super) fn script() -> WebFile {
    WebFile {
        name: "gannet.js",
        media: "text/javascript; charset=utf-8",
        bytes: SCRIPT.as_bytes(),
    }
}

/// Modules, each once, in an order in which they can run.
#[derive(Default)]
struct Joined {
    added: HashSet<&'static str>,
    text: String,
}

impl Joined {
    fn add(&mut self, name: &'static str) {
        let file = FILES.iter().find(|file| file.name == name);
        let source = file.and_then(|file| std::str::from_utf8(file.bytes).ok());
        let Some(source) = source.filter(|_| self.added.insert(name)) else {
            return;
        };
        let mut body = String::new();
        for line in source.lines() {
            let line = match import(line) {
                Some((names, module)) => {
                    self.add(module);
                    format!("const {names} = {};", variable(module))
                }
                None => line.strip_prefix("export ").unwrap_or(line).to_owned(),
            };
            body.push_str(&line);
            body.push('\n');
        }
        let exports: Vec<&str> = source.lines().filter_map(exported).collect();
        let exports = exports.join(", ");
        let variable = variable(name);
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.text,
            "// {name}\nconst {variable} = (() => {{\n{body}return {{ {exports} }};\n}})();"
        );
    }
}

/// What a module is called in the file: no name within a module begins so.
fn variable(module: &str) -> String {
    format!("${}", module.trim_end_matches(".js"))
}

/// The names and the module of `import { a, b } from "./module.js";`.
fn import(line: &'static str) -> Option<(&'static str, &'static str)> {
    let (names, module) = line.strip_prefix("import ")?.split_once(" from \"./")?;
    Some((names, module.strip_suffix("\";")?))
}

/// The name of `export function name(…`, and of other declarations.
fn exported(line: &str) -> Option<&str> {
    let declared = line.strip_prefix("export ")?;
    let declared = declared.strip_prefix("async ").unwrap_or(declared);
    let (_, name) = declared.split_once(' ')?;
    name.split(['(', ' ', '=', '{']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_in_the_script_before_those_that_import_it() {
        let place = |name: &str| SCRIPT.find(&format!("// {name}\nconst "));
        let modules = FILES.iter().filter(|file| file.name.ends_with(".js"));
        for file in modules {
            let own = place(file.name);
            assert!(own.is_some(), "{}", file.name);
            let source = std::str::from_utf8(file.bytes).unwrap_or_default();
            for (_, module) in source.lines().filter_map(import) {
                assert!(place(module) < own, "{} imports {module}", file.name);
            }
        }
    }

    #[test]
    fn nothing_is_imported_or_exported_any_more() {
        let lines = SCRIPT.lines();
        let left = lines.filter(|line| line.starts_with("import ") || line.starts_with("export "));
        assert_eq!(left.collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn the_names_of_declarations_are_exported() {
        for (line, name) in [
            ("export function el(tag) {", Some("el")),
            ("export async function get(path) {", Some("get")),
            ("export const texts = {", Some("texts")),
            ("export class ApiError extends Error {", Some("ApiError")),
            ("  export function inner() {", None),
            ("function own() {", None),
        ] {
            assert_eq!(exported(line), name, "{line}");
        }
    }
}
