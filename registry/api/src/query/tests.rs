//! What texts are read as.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use crate::Level;

fn read(text: &str) -> ParsedQuery {
    parse(text, QuerySyntax::Operators, &QueryOptions::default())
}

/// The query in its canonical form.
fn shown(text: &str) -> String {
    read(text).to_string()
}

fn plain(text: &str) -> String {
    parse(text, QuerySyntax::Plain, &QueryOptions::default()).to_string()
}

fn word(text: &str) -> Node {
    Node::Word(text.to_owned())
}

#[test]
fn words_side_by_side_are_all_wanted() {
    assert_eq!(
        read("beam loss").root,
        Some(Node::All(vec![word("beam"), word("loss")]))
    );
    assert_eq!(read("beam").root, Some(word("beam")));
    assert!(read("beam loss").diagnostics.is_empty());
}

#[test]
fn a_blank_text_asks_for_nothing() {
    for text in ["", "  \t\n", "\u{0}", "?!", "--", "()"] {
        assert!(read(text).is_empty(), "{text:?}");
        assert!(
            parse(text, QuerySyntax::Plain, &QueryOptions::default()).is_empty(),
            "{text:?}"
        );
    }
}

#[test]
fn not_and_a_leading_dash_exclude() {
    let expected = Node::All(vec![word("beam"), Node::Not(Box::new(word("injection")))]);
    for text in [
        "beam NOT injection",
        "beam -injection",
        "beam NOT NOT NOT injection",
        "beam NOT (NOT (-injection))",
    ] {
        assert_eq!(read(text).root, Some(expected.clone()), "{text}");
    }
    assert_eq!(
        shown("-\"beam loss\" -(a OR b)"),
        "NOT \"beam loss\" NOT (a OR b)"
    );
}

#[test]
fn and_binds_closer_than_or_and_makes_its_whole_row_strict() {
    assert_eq!(
        read("a b OR c AND d e").root,
        Some(Node::Or(vec![
            Node::All(vec![word("a"), word("b")]),
            Node::And(vec![word("c"), word("d"), word("e")]),
        ]))
    );
}

#[test]
fn parentheses_group_and_needless_ones_vanish() {
    assert_eq!(
        shown("(vacuum OR pressure) leak"),
        "(vacuum OR pressure) leak"
    );
    assert_eq!(shown("a AND (b c)"), "a AND (b c)");
    assert_eq!(shown("((a)) (b c)"), "a b c");
    assert_eq!(shown("a OR (b OR (c))"), "a OR b OR c");
}

#[test]
fn only_upper_case_operators_count() {
    assert_eq!(
        shown("did it trip or not and why"),
        "did it trip or not and why"
    );
    assert!(matches!(read("trip or not").root, Some(Node::All(_))));
}

#[test]
fn operators_without_operands_are_words_with_a_note() {
    for (text, expected) in [
        ("beam AND", "beam and"),
        ("OR beam", "or beam"),
        ("NOT", "not"),
        ("a AND OR b", "a and or b"),
        ("a OR AND NOT", "a or and not"),
        ("(a AND) b", "a and b"),
        ("AND OR \"beam loss\"", "and or \"beam loss\""),
    ] {
        let query = read(text);
        assert_eq!(query.to_string(), expected, "{text}");
        assert!(!query.diagnostics.is_empty(), "{text}");
        assert!(
            query
                .diagnostics
                .iter()
                .all(|note| note.level == Level::Info)
        );
    }
    assert_eq!(shown("a AND NOT b"), "a AND NOT b");
    assert_eq!(shown("a OR -b"), "a OR NOT b");
}

#[test]
fn parentheses_without_partners_are_left_out_with_a_note() {
    for text in ["(beam loss", "beam loss)", ")beam( loss", "beam () loss"] {
        let query = read(text);
        assert_eq!(query.to_string(), "beam loss", "{text}");
        assert!(!query.diagnostics.is_empty(), "{text}");
    }
}

#[test]
fn parentheses_nest_to_a_limit() {
    let nested = |depth: usize| format!("{}a OR b{} c", "(".repeat(depth), ")".repeat(depth));
    assert!(read(&nested(MAX_NESTING)).diagnostics.is_empty());
    let deep = read(&nested(MAX_NESTING + 1));
    assert!(deep.diagnostics[0].message.contains("deep"));
    let options = QueryOptions {
        max_chars: usize::MAX,
        ..QueryOptions::default()
    };
    let abyss = parse(&nested(15_000), QuerySyntax::Operators, &options);
    assert!(abyss.root.is_some());
}

#[test]
fn names_of_devices_are_one_word() {
    for name in [
        "SR01C:BPM1",
        "RF-2",
        "RF:2",
        "10^-9",
        "SR:C03-MG{PS:QF1}",
        "http://x/y?z=1",
        "t/s",
        "C++",
        "f(x)",
        "SR01C___BPM",
        "25%",
        "/usr/bin",
        "title:primes",
        "Erdős–Straus",
    ] {
        let query = read(&format!("{name} trip"));
        assert_eq!(
            query.root,
            Some(Node::All(vec![word(name), word("trip")])),
            "{name}"
        );
        assert!(query.diagnostics.is_empty(), "{name}");
    }
}

#[test]
fn the_punctuation_of_a_sentence_is_no_part_of_a_word() {
    assert_eq!(
        shown("What tripped, and where? SR01C_BPM?"),
        "What tripped and where SR01C_BPM"
    );
    assert_eq!(shown("logbook:Operations, trip"), "trip logbook:Operations");
}

#[test]
fn a_number_after_a_dash_is_excluded_with_a_note_how_to_find_it() {
    let query = read("level -40 dB");
    assert_eq!(query.to_string(), "level NOT 40 dB");
    assert!(query.diagnostics[0].message.contains("\"-40\""));
    assert_eq!(read("level - dB").to_string(), "level dB");
}

#[test]
fn what_is_left_out_takes_its_negation_along() {
    for text in [
        "-\".\" beam",
        "NOT -- beam",
        "-() beam",
        "-// beam",
        "-/./ beam",
    ] {
        assert_eq!(shown(text), "beam", "{text}");
    }
}

#[test]
fn a_field_value_may_be_quoted_and_the_name_in_any_case() {
    let query = read("Author:\"John Smith\" trip");
    assert_eq!(query.root, Some(word("trip")));
    assert_eq!(
        query.filter,
        crate::Filter::none().and(
            crate::FilterField::Author,
            crate::Condition::Contains("John Smith".into())
        )
    );
}

#[test]
fn fields_of_the_top_level_are_hard_and_others_stay_in_the_tree() {
    assert_eq!(read("trip AND author:smith").root, Some(word("trip")));
    assert_eq!(read("(author:smith trip)").filter.clauses.len(), 1);
    let either = read("author:smith OR author:jones");
    assert!(either.filter.is_empty());
    assert!(matches!(either.root, Some(Node::Or(ref parts)) if parts.len() == 2));
    assert!(matches!(read("-tag:test").root, Some(Node::Not(_))));
}

#[test]
fn a_repeated_field_widens_where_an_entry_has_one_value_and_narrows_elsewhere() {
    let query = read("logbook:a logbook:b tag:x tag:y author:john author:smith");
    assert_eq!(query.filter.clauses.len(), 5);
    assert_eq!(
        query.filter.clauses[0].condition,
        crate::Condition::AnyOf(vec!["a".into(), "b".into()])
    );
    assert_eq!(query.diagnostics.len(), 1);
}

#[test]
fn a_field_without_a_value_is_a_word() {
    assert_eq!(shown("author: smith"), "author: smith");
    assert_eq!(shown("author:(smith OR jones)"), "author: (smith OR jones)");
    assert_eq!(read("author: smith").diagnostics.len(), 1);
}

#[test]
fn a_date_that_is_none_is_text_with_a_warning_of_what_is_accepted() {
    for (text, expected) in [
        ("date:abcdefg", "abcdefg"),
        ("date:2024-01-99", "2024-01-99"),
        ("trip date:\"last week\"", "trip last week"),
    ] {
        let query = read(text);
        assert_eq!(query.to_string(), expected);
        assert_eq!(query.diagnostics[0].level, Level::Warning);
        assert!(query.diagnostics[0].message.contains("yesterday"));
    }
}

#[test]
fn bounds_of_time_are_read_as_other_search_boxes_have_them() {
    for (bound, date) in [
        ("before:2026-03-31", "date:<2026-03-31"),
        ("after:2026-03", "date:>2026-03"),
        ("since:2026-03-31", "date:>=2026-03-31"),
        ("from:2026-03-31", "date:>=2026-03-31"),
        ("until:2026-03-31", "date:<=2026-03-31"),
    ] {
        let query = read(&format!("trip {bound}"));
        assert_eq!(
            query.filter,
            read(&format!("trip {date}")).filter,
            "{bound}"
        );
        assert!(query.diagnostics.is_empty(), "{bound}");
    }
    for (bound, date) in [
        ("before:\"2026-01-03\"", "date:<2026-01-03"),
        (
            "(since:\"2026-01-03 14:30\")",
            "date:\">=2026-01-03 14:30\"",
        ),
        ("until:\"today\" leak", "date:<=today leak"),
    ] {
        assert_eq!(read(bound), read(date), "{bound}");
    }
    let quoted = read("trip from:\"Ann Smith\"");
    assert_eq!(quoted.to_string(), "trip from: \"Ann Smith\"");
    let message = &quoted.diagnostics[0].message;
    assert!(
        message.contains("accepted are `2024`, `2024-06`"),
        "{message}"
    );
    let sender = read("trip from:smith");
    assert!(sender.filter.is_empty());
    assert_eq!(sender.to_string(), "trip from:smith");
    assert!(sender.diagnostics[0].message.contains("takes a date"));
}

#[test]
fn a_range_of_dates_that_runs_backwards_is_noted_with_both_ends() {
    let query = read("trip date:2024-03..2024-01");
    assert_eq!(query.filter, read("trip date:2024-01..2024-03").filter);
    let [note] = &query.diagnostics[..] else {
        panic!("{:?}", query.diagnostics);
    };
    assert_eq!(note.level, Level::Warning);
    let expected = "`2024-03` is after `2024-01`: the bounds were swapped";
    assert_eq!(note.message, expected);
}

#[test]
fn patterns_are_whole_tokens_and_stars_alone_are_not() {
    assert_eq!(
        read("/beam loss/?").root,
        Some(Node::Regex("beam loss".into()))
    );
    assert_eq!(shown("(/alpha/ OR SR0?C*)"), "/alpha/ OR SR0?C*");
    assert_eq!(shown("flow 5 / 6 / 7"), "flow 5 6 7");
    assert_eq!(shown("NOT /ab cd/ x"), "NOT (ab cd) x");
    assert_eq!(shown(&"abcd* ".repeat(20)).matches('*').count(), 16);
}

#[test]
fn a_quote_without_a_partner_goes_with_a_note() {
    let query = read("\"beam loss");
    assert_eq!(query.to_string(), "beam loss");
    assert_eq!(query.diagnostics.len(), 1);
    assert_eq!(shown("a\"b\"c"), "a \"b\" c");
    assert_eq!(shown("“RF trip” today"), "\"RF trip\" today");
}

#[test]
fn notes_are_few_however_bad_the_text() {
    let bad: String = (0..15)
        .map(|number| format!("a{number}:* ^{number}* "))
        .collect();
    assert!(read(&bad).diagnostics.len() <= 21);
}

#[test]
fn a_word_that_would_be_read_as_something_else_is_shown_in_quotes() {
    for text in ["AND", "author:smith", "-beam", "a b", "klys*", "(a"] {
        assert_eq!(word(text).to_string(), format!("\"{text}\""));
    }
}

#[test]
fn plain_mode_keeps_the_words_that_count() {
    assert_eq!(
        plain("What caused the RF trip in sector 3? RF TRIP (again) -see author:smith AND \"x\""),
        "caused RF trip sector 3 RF TRIP again see author:smith x"
    );
    assert_eq!(
        plain("SR:C03-MG{PS:QF1}, 10^-9."),
        "SR:C03-MG{PS:QF1} 10^-9"
    );
}

#[test]
fn plain_mode_keeps_stop_words_when_there_is_nothing_else() {
    assert_eq!(plain("What is it?"), "What is it");
    assert!(matches!(
        parse("trip", QuerySyntax::Plain, &QueryOptions::default()).root,
        Some(Node::Or(words)) if words == [word("trip")]
    ));
}

#[test]
fn a_lone_slash_before_a_word_is_no_pattern() {
    assert_eq!(shown("/abc trip"), "abc trip");
    assert_eq!(shown("/BPM\\d+/, trip"), "/BPM\\d+/ trip");
    assert_eq!(shown("/usr/bin trip"), "/usr/bin trip");
}

#[test]
fn a_text_that_is_not_query_like_is_read_in_plain_mode_with_a_note() {
    let query = read("The \"C\" pump tripped\nAND the \"B\" pump");
    assert!(query.plain);
    assert_eq!(query.to_string(), "C pump tripped B pump");
    let [note] = &query.diagnostics[..] else {
        panic!("{:?}", query.diagnostics);
    };
    assert_eq!(note.level, Level::Info);
    assert!(note.message.contains("`AND`"), "{}", note.message);

    let quiet = read("the A pump tripped\nand then the B pump");
    assert!(quiet.plain && quiet.diagnostics.is_empty());
    let said_by_a_program = plain("\"C\" pump\nAND \"B\" pump");
    assert_eq!(said_by_a_program, "C pump B pump");
}
