#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::dotenv::read_dotenv;
use super::error::ConfigErrorKind;
use super::key_path::KeyPath;
use super::model::Config;
use super::schema::Node;
use super::yaml::{MAX_BYTES, parse, parse_inline, write_inline};

const REFERENCE: &str = include_str!("../../../../config.yml");

#[test]
fn the_reference_and_the_types_have_the_same_defaults() {
    let mut reference = Config::default();
    reference.search_modules.clear();
    reference.pipelines.clear();
    reference.enhancement_modules.clear();
    reference.ingestion.adapters.clear();
    reference.ingestion.sources.clear();
    reference.deliveries.clear();
    reference.digests.clear();
    reference.searches.clear();
    reference.providers.clear();
    let types: Config = serde_json::from_value(json!({})).unwrap();
    assert_eq!(reference, types);
}

#[test]
fn every_key_is_in_the_reference_with_a_comment_above() {
    let document = parse(REFERENCE).unwrap();
    let lines: Vec<&str> = REFERENCE.lines().collect();
    let mut without_comment = Vec::new();
    for ways in ways_to_keys(
        Node::root().unwrap(),
        &Value::Object(document.value),
        &KeyPath::default(),
    ) {
        let is_commented = |path: &KeyPath| {
            let line = document.places.of_key(path).unwrap().line;
            lines[line - 2].trim_start().starts_with('#')
        };
        if !ways.iter().any(is_commented) {
            without_comment.push(ways);
        }
    }
    assert_eq!(without_comment, Vec::<Vec<KeyPath>>::new());
}

/// For each key of the schema, all places where the value has it. A key of
/// instances counts once for all of them.
fn ways_to_keys(node: Node, value: &Value, path: &KeyPath) -> Vec<Vec<KeyPath>> {
    let mut all = Vec::new();
    for key in node.keys() {
        let path = path.child(key);
        let value = value
            .get(key)
            .unwrap_or_else(|| panic!("`{path}` is not in config.yml"));
        all.push(vec![path.clone()]);
        let below = node.child(key).unwrap();
        // Empty: what can stand below it is one way to write it.
        if value.is_null() {
            continue;
        }
        if !below.takes_instances() {
            all.extend(ways_to_keys(below, value, &path));
            continue;
        }
        let instances = value.as_object().unwrap();
        assert!(!instances.is_empty(), "`{path}` has no example");
        let mut of_instances: Vec<Vec<KeyPath>> = Vec::new();
        for (name, instance) in instances {
            all.push(vec![path.child(name)]);
            let ways = ways_to_keys(below.child(name).unwrap(), instance, &path.child(name));
            of_instances.resize(ways.len(), Vec::new());
            for (place, way) in of_instances.iter_mut().zip(ways) {
                place.extend(way);
            }
        }
        all.extend(of_instances);
    }
    all
}

#[test]
fn places_are_counted_in_characters_and_kept_in_bytes() {
    let text = "größe: {µ: 1}\nlist: [a, {b: ü}]\n";
    let document = parse(text).unwrap();
    let key = document
        .places
        .of_key(&KeyPath::from_dotted("größe.µ"))
        .unwrap();
    assert_eq!((key.line, key.column), (1, 9));
    assert_eq!(&key.text[key.span], "µ");
    let value = document
        .places
        .of_value(&KeyPath::from_dotted("list.1.b"))
        .unwrap();
    assert_eq!((value.line, value.column), (2, 15));
    assert_eq!(&value.text[value.span], "ü");
}

#[test]
fn what_stands_behind_an_alias_is_placed_at_the_alias() {
    let document = parse("a: &x {b: 1}\nc: *x\n").unwrap();
    let place = document
        .places
        .of_value(&KeyPath::from_dotted("c.b"))
        .unwrap();
    assert_eq!((place.line, place.column), (2, 4));
}

#[test]
fn a_bomb_of_aliases_is_refused_before_it_grows() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        text.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
    }
    let refusal = parse(&text).err().unwrap();
    assert_eq!(refusal.kind, ConfigErrorKind::TooLarge);
    assert_eq!(
        refusal.message,
        "more than 50000 values, aliases counted in full"
    );
    assert_eq!(refusal.place.unwrap().line, 5);
}

#[test]
fn an_alias_within_its_own_anchor_is_refused() {
    assert!(parse("a: &a [*a]\n").is_err());
    assert!(parse("a: &a {b: {c: *a}}\n").is_err());
}

#[test]
fn deep_nesting_is_refused() {
    let nested = |depth: usize| format!("a: {}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nested(63)).is_ok());
    let refusal = parse(&nested(64)).err().unwrap();
    assert_eq!(refusal.kind, ConfigErrorKind::TooLarge);
    assert_eq!(refusal.message, "nested deeper than 64 levels");
    assert!(parse(&nested(200_000)).is_err());
    assert!(parse(&"- ".repeat(200_000)).is_err());
    assert!(parse(&"a:\n".repeat(2000)).is_err());
}

#[test]
fn a_large_file_is_refused() {
    let text = "#".repeat(MAX_BYTES + 1);
    assert_eq!(parse(&text).err().unwrap().kind, ConfigErrorKind::TooLarge);
}

#[test]
fn what_a_configuration_has_no_use_for_is_refused() {
    for text in [
        "a: !tag x",
        "a: .nan",
        "[a]: 1",
        "a: 1\na: 2",
        "a: [",
        "- a",
        "a: 1\n---\nb: 2",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn nothing_and_a_byte_order_mark_are_fine() {
    for text in ["", "# only a comment\n", "\u{feff}", "---\n", "null"] {
        assert!(parse(text).unwrap().value.is_empty(), "{text:?}");
    }
    assert_eq!(parse("\u{feff}a: 1").unwrap().value["a"], 1);
}

/// `UPDATE=1` rewrites the docs.
#[test]
fn the_table_of_variables_is_the_one_of_the_docs() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/configuration.md"
    );
    let docs = std::fs::read_to_string(path).unwrap();
    let heading = "### Variables of other systems\n";
    let start = docs.find(heading).expect("the docs have the heading");
    let start = start + docs[start..].find("\n| ").unwrap() + 1;
    let end = start + docs[start..].find("\n\n").unwrap() + 1;
    let current = super::variables::variables_table();
    if std::env::var_os("UPDATE").is_some() {
        let updated = format!("{}{current}{}", &docs[..start], &docs[end..]);
        std::fs::write(path, updated).unwrap();
        return;
    }
    assert_eq!(docs[start..end], current, "run with UPDATE=1 to rewrite it");
}

#[test]
fn a_dotenv_file_is_read_line_by_line() {
    let text = "# comment\n\nA=1\r\nexport B = two # note\nC='# it''s'\nD=\"x\\n\\\"y\\\"\" # z\nno line\nE=\nF=a=b#c\nG=\"open\n";
    let file = read_dotenv(text);
    let read: Vec<(&str, &str)> = file
        .variables
        .iter()
        .map(|one| (one.name.as_str(), one.value.as_str()))
        .collect();
    let expected = [
        ("A", "1"),
        ("B", "two"),
        ("C", "# it"),
        ("D", "x\n\"y\""),
        ("E", ""),
        ("F", "a=b#c"),
    ];
    assert_eq!(read, expected);
    assert_eq!(file.unread, [7, 10]);
}

/// Texts with many of the characters that mean something in YAML.
fn yaml_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z]{1,3}",
        2 => Just(": ".to_owned()),
        2 => Just("\n".to_owned()),
        2 => " {1,4}",
        1 => Just("- ".to_owned()),
        3 => "[\\[\\]{},&*!|>'\"%@`#?:\\-\\t~.<]",
        1 => Just("&a ".to_owned()),
        1 => Just("*a".to_owned()),
        1 => Just("---\n".to_owned()),
        1 => "\\PC",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_panics(text in yaml_like()) {
        check_places(&text);
        parse_inline(&text);
        read_dotenv(&text);
    }

    #[test]
    fn no_unicode_panics(text in any::<String>()) {
        check_places(&text);
        parse_inline(&text);
        read_dotenv(&text);
    }

    #[test]
    fn a_line_reads_back_as_what_was_written(text in "\\PC{0,8}|[ -~\n]{0,8}|true|null|0x1|1e3|~|yes") {
        let list = json!([text, {"key": text}]);
        prop_assert_eq!(parse_inline(&write_inline(&list)), list);
        let text = Value::from(text);
        prop_assert_eq!(parse_inline(&write_inline(&text)), text);
    }
}

fn check_places(text: &str) {
    match parse(text) {
        Ok(document) => {
            for key in document.value.keys() {
                let place = document.places.of_key(&KeyPath::default().child(key));
                let place = place.expect("every key stands somewhere");
                assert!(place.text.get(place.span).is_some());
            }
        }
        Err(refusal) => {
            if let Some(place) = refusal.place {
                assert!(place.text.get(place.span).is_some());
            }
        }
    }
}
