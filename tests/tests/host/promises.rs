//! docs/testing.md says where each promise is tested: every promise is there,
//! and so is every file and test that it names.

use std::collections::BTreeSet;

use gannet_tests::root;

/// The letters of the promises, and how many there are of each.
const PROMISES: [(char, usize); 4] = [('R', 10), ('C', 8), ('P', 5), ('S', 12)];

/// A promise as the page has it: its letter, and what it names in code marks.
struct Row {
    promise: String,
    named: Vec<String>,
}

/// The rows of the tables whose first cell is the letter of a promise.
fn rows() -> Vec<Row> {
    let page = std::fs::read_to_string(root().join("docs/testing.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let promise = cells.next()?.to_owned();
        let (letter, number) = promise.split_at_checked(1)?;
        number.parse::<usize>().ok()?;
        "RCPS".contains(letter).then_some(())?;
        let marked = line.split('`').skip(1).step_by(2);
        let named = marked.map(str::to_owned).collect();
        Some(Row { promise, named })
    });
    rows.collect()
}

#[test]
fn every_promise_has_its_row() {
    let found: Vec<String> = rows().into_iter().map(|row| row.promise).collect();
    let all = PROMISES.iter();
    let all = all.flat_map(|(letter, count)| (1..=*count).map(move |n| format!("{letter}{n}")));
    assert_eq!(found, all.collect::<Vec<_>>());
}

#[test]
fn every_test_that_is_named_is_there() {
    let mut missing = BTreeSet::new();
    let mut count = 0;
    for row in rows() {
        for named in row.named.iter().filter(|named| named.contains('/')) {
            count += 1;
            if !is_there(named) {
                missing.insert(format!("{}: {named}", row.promise));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(count > 50, "only {count} names were found");
}

#[test]
fn every_test_that_the_page_names_elsewhere_is_there_too() {
    let page = std::fs::read_to_string(root().join("docs/testing.md")).unwrap();
    let marked = page.split('`').skip(1).step_by(2);
    let named: Vec<&str> = marked.filter(|text| text.contains(".rs::")).collect();
    let missing: Vec<&&str> = named.iter().filter(|named| !is_there(named)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(named.len() > 80, "only {} names were found", named.len());
}

/// Whether a file is there, and behind `::` one of its functions.
fn is_there(named: &str) -> bool {
    let (path, test) = match named.split_once("::") {
        Some((path, test)) => (path, Some(test)),
        None => (named, None),
    };
    let path = root().join(path);
    match test {
        None => path.exists(),
        Some(test) => std::fs::read_to_string(path)
            .is_ok_and(|source| source.contains(&format!("fn {test}("))),
    }
}
