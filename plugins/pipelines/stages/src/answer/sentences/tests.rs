use proptest::prelude::*;

use super::super::quoted;
use super::super::quoted::{html_break, on_one_line};
use super::*;

#[test]
fn bullets_and_wrapped_lines_make_whole_sentences() {
    let text = "Found this morning:\n- pump B off since the storm of last night, restarted by hand \
                at\n  06:10. It runs.\n* pump C on\n• valve V3 shut";
    assert_eq!(
        sentences(text),
        [
            "Found this morning:",
            "pump B off since the storm of last night, restarted by hand at 06:10.",
            "It runs.",
            "pump C on",
            "valve V3 shut",
        ]
    );
}

#[test]
fn a_long_line_without_an_end_goes_on_in_the_next() {
    let text = "The vacuum controller of the second insertion device straight of\nSR04 was \
                exchanged.\nDone.\nBeam back.";
    assert_eq!(
        sentences(text),
        [
            "The vacuum controller of the second insertion device straight of SR04 was exchanged.",
            "Done.",
            "Beam back.",
        ]
    );
}

#[test]
fn a_blank_line_ends_a_wrapped_line() {
    let text = "The vacuum controller of the second insertion device straight\n\nNext steps";
    assert_eq!(sentences(text).len(), 2);
}

#[test]
fn stars_around_an_update_are_left_out_and_what_follows_is_its_own() {
    let text = "Pump off.\n* * * UPDATE ON 3/4 FROM LEE TO DOE * * *\nthe pump runs again.\n\
                *****\nall is well.\n** RETRACTION **\nIt never stopped.";
    assert_eq!(
        sentences(text),
        [
            "Pump off.",
            "UPDATE ON 3/4 FROM LEE TO DOE",
            "the pump runs again.",
            "all is well.",
            "RETRACTION",
            "It never stopped.",
        ]
    );
}

#[test]
fn a_heading_in_capitals_does_not_run_on_into_the_text() {
    let text = "LOSS OF OFFSITE POWER AND AUTOMATIC REACTOR TRIP OF UNIT 2 ON LOW FLOW\nThe grid \
                failed.";
    assert_eq!(sentences(text)[1], "The grid failed.");
}

#[test]
fn a_rule_ends_what_stands_above_it() {
    assert_eq!(
        sentences("Header\n======\nsmall text"),
        ["Header", "small text"]
    );
}

#[test]
fn each_row_of_a_table_is_one() {
    let text = "These pumps were looked at by the day shift, in the order of their place\n\
                | pump | state. Seen |\n|------|------|\n| P1 | off. Cold |\n| P2 | on<br>hot |\n\
                and nothing else.";
    let found = split_sentences(text);
    let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "These pumps were looked at by the day shift, in the order of their place",
            "| pump | state. Seen |",
            "| P1 | off. Cold |",
            "| P2 | on<br>hot |",
            "and nothing else.",
        ]
    );
    assert_eq!(
        quoted(text, &found[3].range),
        "pump: P2; state. Seen: on hot"
    );
}

#[test]
fn chinese_sentences_end_without_a_blank() {
    let text = "泵停了。他说：“漏水了。”为什么！？（见日志。）压力为3.5巴";
    assert_eq!(
        sentences(text),
        [
            "泵停了。",
            "他说：“漏水了。”",
            "为什么！？",
            "（见日志。）",
            "压力为3.5巴"
        ]
    );
    assert_eq!(
        sentences("「直りました。」次へ。"),
        ["「直りました。」", "次へ。"]
    );
}

#[test]
fn line_breaks_of_html_end_lines_and_nothing_else_is_lost() {
    for html in ["<br>", "<br/>", "<br />", "<BR>", " <br/> "] {
        let text = format!("Pump off{html}Valve shut");
        assert_eq!(sentences(&text), ["Pump off", "Valve shut"], "{html}");
    }
    assert_eq!(sentences("a <broken\n<br line"), ["a <broken", "<br line"]);
    assert_eq!(sentences("p < 3<b>bar</b>"), ["p < 3<b>bar</b>"]);
}

#[test]
fn a_sentence_over_a_line_break_of_html_is_quoted_without_it() {
    let text = "The pump stopped at<br/>night. Reset.";
    let found = split_sentences(text);
    assert_eq!(found[0].text, "The pump stopped at night.");
    assert_eq!(
        &text[found[0].range.clone()],
        "The pump stopped at<br/>night."
    );
    assert_eq!(quoted(text, &found[0].range), found[0].text);
}

#[test]
fn a_sentence_without_an_end_is_cut() {
    let text = "pump and valve, ".repeat(60);
    let found = split_sentences(&text);
    assert!(found.len() > 1);
    assert!(
        found
            .iter()
            .all(|one| one.text.chars().count() <= SENTENCE_AT_MOST)
    );
}

#[test]
fn names_numbers_and_abbreviations_do_not_end_a_sentence() {
    for whole in [
        "Approx. 3.5 bar at SR01C.BPM2.X was seen by J. R. Lee at 3 p.m. on Monday.",
        "Called Maria T. Lee for pump No. 3.",
        "\"Really?!\" he asked.",
    ] {
        assert_eq!(sentences(whole), [whole]);
    }
    assert_eq!(sentences("It was at 21 deg C. Beam lost.").len(), 2);
    assert_eq!(sentences("There was no. Then yes.").len(), 2);
}

/// Lines as logbooks have them, and others.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[A-Za-z]{1,9}",
        "[0-9]{1,3}(\\.[0-9])?",
        "[.!?;:,]",
        Just("Dr.".to_owned()),
        Just("é。".to_owned()),
        Just("！”".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\n- ".to_owned()),
        Just("\n* * * ".to_owned()),
        Just(" * * *\n".to_owned()),
        Just("\n----\n".to_owned()),
        Just("\n| ".to_owned()),
        Just(" | ".to_owned()),
        Just(" |\n".to_owned()),
        Just("<br/>".to_owned()),
        Just("<br".to_owned()),
        Just("\"".to_owned()),
        Just("(".to_owned()),
        Just("a long line that is wrapped as it has more than sixty characters".to_owned()),
    ];
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.join(" "))
}

fn letters_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// The line that a byte is in, as sentences are made of it.
fn line_around(text: &str, at: usize) -> Option<&str> {
    lines(text).find(|line| {
        let start = offset_in(text, line);
        (start..start + line.len()).contains(&at)
    })
}

/// What has to hold of the sentences of any text.
fn check(text: &str) -> Result<(), TestCaseError> {
    let found = split_sentences(text);
    let mut end = 0;
    for sentence in &found {
        prop_assert!(
            sentence.range.start >= end,
            "{sentence:?} after {end} in {text:?}"
        );
        end = sentence.range.end;
        let part = text.get(sentence.range.clone());
        let part = part.ok_or_else(|| TestCaseError::fail(format!("{sentence:?} in {text:?}")))?;
        // What looks like a row behind a bullet or a quotation mark is none.
        if line_around(text, sentence.range.start).is_some_and(is_row) {
            let collapsed = part.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(&collapsed, &sentence.text, "{:?}", text);
        } else {
            prop_assert_eq!(&on_one_line(part), &sentence.text, "{:?}", text);
            prop_assert_eq!(&quoted(text, &sentence.range), &sentence.text);
        }
        prop_assert!(!letters_of(&sentence.text).is_empty());
    }
    let all: String = found.iter().map(|one| letters_of(&one.text)).collect();
    // A line break is left out, unless it is in a row.
    if !text.lines().any(|line| html_break(line).is_some()) {
        prop_assert_eq!(all, letters_of(text), "{:?}", text);
    }
    Ok(())
}

proptest! {
    #[test]
    fn each_sentence_is_its_range_on_one_line_and_no_letter_is_lost(text in texts()) {
        check(&text)?;
    }

    #[test]
    fn so_it_is_in_any_text(text in "\\PC{0,200}") {
        check(&text)?;
    }

    #[test]
    fn so_it_is_in_any_text_of_marks(text in "[-*#|:=_ \n\ta-cA-C.<br/>。]{0,80}") {
        check(&text)?;
    }
}
