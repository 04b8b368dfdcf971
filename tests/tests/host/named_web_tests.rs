//! docs/testing.md and docs/reference/unified.md name tests of the page and of
//! unified search by what they show: each is there.

use std::fs;

use gannet_tests::root;

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// Whether a file of `tests/web` has a test of this name.
fn is_test_of(file: &str, test: &str) -> bool {
    let source = page(&format!("tests/web/{file}"));
    source.contains(&format!("\n  \"{test}\": "))
}

/// The tests that follow the name of their file in a cell: `FILE.mjs` one; another.
fn web_tests(cell: &str) -> Vec<(String, String)> {
    let mut parts = cell.split('`').skip(1);
    let mut tests = Vec::new();
    while let (Some(file), Some(names)) = (parts.next(), parts.next()) {
        let names = names.split(';').map(str::trim);
        let names = names.filter(|name| file.ends_with(".mjs") && !name.is_empty());
        tests.extend(names.map(|name| (file.to_owned(), name.to_owned())));
    }
    tests
}

/// The last cells of the rows between two lines of a page.
fn cells(page: &str, from: &str, to: &str) -> Vec<String> {
    let (_, rest) = page.split_once(from).unwrap();
    let (table, _) = rest.split_once(to).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    cells.skip(1).map(str::to_owned).collect()
}

#[test]
fn what_the_page_is_asked_to_do_has_its_tests_in_the_browser() {
    let cells = cells(
        &page("docs/testing.md"),
        "What the page is asked to do",
        "A test checks that each name",
    );
    let named: Vec<(String, String)> = cells
        .iter()
        .filter(|cell| !cell.contains("`safety.mjs`"))
        .flat_map(|cell| web_tests(cell))
        .collect();
    let missing: Vec<_> = named
        .iter()
        .filter(|(file, test)| !is_test_of(file, test))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named.len() > 25, "only {} names were found", named.len());
}

#[test]
fn each_point_of_unified_search_has_its_tests() {
    let page = page("docs/reference/unified.md");
    let (_, table) = page.split_once("| # | point | test |").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<&str> = rows.skip_while(|row| row.starts_with("|--")).collect();
    let places = [
        "plugins/pipelines/unified",
        "core/server",
        "tests/tests/host",
    ];
    let source: String = places
        .iter()
        .map(|place| sources(&root().join(place)))
        .collect();
    for (row, number) in rows.iter().zip(1..) {
        assert!(row.starts_with(&format!("| {number} |")), "{row}");
        let tests = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        let functions = named.iter().filter(|name| !name.contains(['.', '/']));
        let missing: Vec<_> = functions
            .filter(|name| !source.contains(&format!("fn {name}(")))
            .collect();
        assert!(missing.is_empty(), "{row}: {missing:?}");
        for part in tests.split("; W ").skip(1) {
            for (file, test) in web_tests(part) {
                assert!(is_test_of(&file, &test), "{row}: {test}");
            }
        }
        assert!(!named.is_empty(), "{row}");
    }
    assert_eq!(rows.len(), 50);
}

/// Every Rust file below a folder as one text.
fn sources(folder: &std::path::Path) -> String {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| match path.is_dir() {
        true => sources(&path),
        false if path.extension().is_some_and(|end| end == "rs") => {
            fs::read_to_string(path).unwrap()
        }
        false => String::new(),
    });
    texts.collect()
}
