//! How a report reads.

use super::*;

fn three_checks() -> Report {
    let descriptor = Descriptor::pipeline("titles", "Titles", "Lists titles.");
    let mut report = Report::of(&descriptor);
    report.add("name", Ok(()));
    report.add(
        "limit",
        Err("3 hits\nfor \u{202e}\u{1b}[31m".to_owned().into()),
    );
    report.add("parameters", report::does_not_apply("there are none"));
    report
}

#[test]
fn a_report_has_a_line_for_each_check_whatever_stands_in_it() {
    let text = three_checks().to_string();

    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "pipeline `titles` does not conform",
            "  passed   name",
            "  FAILED   limit: 3 hits for \\u{202e}\\u{1b}[31m",
            "  skipped  parameters: there are none",
        ]
    );
}

#[test]
fn a_report_is_json_with_the_outcome_beside_the_name() {
    let json = serde_json::to_value(three_checks()).unwrap();

    assert_eq!(json["kind"], "pipeline");
    assert_eq!(json["checks"][0]["outcome"], "passed");
    assert_eq!(json["checks"][2]["outcome"], "skipped");
    assert_eq!(json["checks"][2]["reason"], "there are none");
}

#[test]
fn a_long_reason_is_cut() {
    let mut report = three_checks();
    report.add("texts", Err("x".repeat(10_000).into()));

    assert!(report.to_string().len() < 2_000);
}

#[test]
fn providers_are_examined_by_descriptor_alone() {
    let descriptor = Descriptor::reranker("lengths", "Lengths", "Scores a text by its length.");
    let mut report = Report::of(&descriptor);
    descriptor::examine(&descriptor, &mut report);

    assert!(report.passed(), "{report}");
}
