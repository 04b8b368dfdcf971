//! What the program is built from: how many crates, and what each direct
//! dependency brings, as docs/dependencies.md says.
//!
//! `cargo test -p gannet-tests --test dependencies -- --nocapture` prints it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Crates of the default build, ours among them.
const MOST: usize = 400;

/// What `cargo tree` says of the program: each crate with those it needs.
struct Tree(BTreeMap<String, BTreeSet<String>>);

impl Tree {
    fn of_the_program() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let output = Command::new(env!("CARGO"))
            .args("tree --locked --offline -p gannet -e normal,build --prefix depth".split(' '))
            .args(["--target", "x86_64-unknown-linux-gnu"])
            .current_dir(root)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        Self::read(&String::from_utf8(output.stdout).unwrap())
    }

    /// Lines such as `2serde v1.0.229 (*)`, the depth before the name.
    fn read(lines: &str) -> Self {
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut above: Vec<String> = Vec::new();
        for line in lines.lines() {
            let start = line.find(|letter: char| !letter.is_ascii_digit()).unwrap();
            let mut words = line[start..].split(' ');
            let id = format!("{} {}", words.next().unwrap(), words.next().unwrap());
            above.truncate(line[..start].parse().unwrap());
            if let Some(parent) = above.last() {
                needs.entry(parent.clone()).or_default().insert(id.clone());
            }
            needs.entry(id.clone()).or_default();
            above.push(id);
        }
        Self(needs)
    }

    /// How many crates there are without these direct dependencies.
    fn size_without(&self, names: &[&str]) -> usize {
        let mut out = self.direct();
        out.retain(|id| names.contains(&name(id)));
        let mut reached = BTreeSet::new();
        let mut next: Vec<&str> = self.0.keys().map(String::as_str).collect();
        next.retain(|id| name(id) == "gannet");
        while let Some(id) = next.pop() {
            if !out.contains(id) && reached.insert(id) {
                next.extend(self.0[id].iter().map(String::as_str));
            }
        }
        reached.len()
    }

    /// What our own crates need by themselves.
    fn direct(&self) -> BTreeSet<&str> {
        let is_ours = |id: &str| name(id).starts_with("gannet");
        let ours = self.0.iter().filter(|(id, _)| is_ours(id));
        let needed = ours.flat_map(|(_, needs)| needs).map(String::as_str);
        needed.filter(|id| !is_ours(id)).collect()
    }
}

/// `serde` of `serde v1.0.229`.
fn name(id: &str) -> &str {
    id.split(' ').next().unwrap_or(id)
}

/// The rows of the tables: the crates of each, and how many they bring.
fn documented() -> Vec<(Vec<String>, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/dependencies.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let names = cells.next().unwrap().split(", ");
        let names = names.map(|name| name.trim_matches('`').to_owned());
        (names.collect(), cells.next().unwrap().to_owned())
    })
    .collect()
}

#[test]
fn the_program_is_built_from_few_crates() {
    let tree = Tree::of_the_program();
    let size = tree.size_without(&[]);
    assert!(size <= MOST, "{size} crates; {MOST} at most");
}

#[test]
fn the_page_of_dependencies_says_what_each_of_them_brings() {
    let tree = Tree::of_the_program();
    let all = tree.size_without(&[]);
    println!("{all} crates");
    let mut wrong = Vec::new();
    for (names, documented) in documented() {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let brings = match all - tree.size_without(&names) {
            0 => "–".to_owned(),
            count => count.to_string(),
        };
        println!("{brings:>3}  {}", names.join(", "));
        if brings != documented {
            wrong.push(format!("{}: {brings}, not {documented}", names.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_page_of_dependencies_names_every_direct_one() {
    let tree = Tree::of_the_program();
    let documented: BTreeSet<String> = documented().into_iter().flat_map(|row| row.0).collect();
    let direct = tree.direct().into_iter().map(name);
    let missing: Vec<&str> = direct.filter(|name| !documented.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
