//! What `gannet eval --qa` prints.

use gannet_core::eval::{AnswerCounts, AnswerReport, Calibration, CalibrationBin, GroundedAnswers};

use crate::arguments::{EvalArguments, Format};
use crate::failure::Failure;
use crate::render::{HEADING, print_json_list, table};

use super::answered;

/// Prints the counts of each mode; writes and shows the answers if asked to.
pub fn print(
    reports: &[AnswerReport],
    wanted: &EvalArguments,
    format: Format,
) -> Result<(), Failure> {
    for report in reports {
        answered::save_and_show(&report.answers, &report.not_right, wanted)?;
        if format == Format::Table {
            print_report(report);
        }
    }
    match format {
        Format::Table => Ok(()),
        format => print_json_list(reports, format),
    }
}

fn print_report(report: &AnswerReport) {
    outln!("{HEADING}{}{HEADING:#}", report.mode);
    let header = [
        "category",
        "n",
        "right",
        "cited",
        "grounded",
        "partial",
        "part",
        "wrong",
        "wrong entry",
        "abstained",
        "@1",
        "@3",
        "@10",
        "all@10",
        "chars",
    ];
    let categories = report.categories.iter();
    let answerable = categories
        .filter(|of| of.counts.right_abstentions + of.counts.false_answers < of.counts.n)
        .map(|of| row(&of.category, &of.counts));
    let total = row("answerable", &report.answerable);
    outln!("{}", table(&header, answerable.chain([total])));
    let without = &report.unanswerable;
    outln!(
        "unanswerable: n {}, right abstentions {}, false answers {} (grounded {}, partial {})",
        without.n,
        without.right_abstentions,
        without.false_answers,
        without.false_grounded,
        without.partial,
    );
    outln!("{}", grounded(&report.grounded, &report.answerable));
    outln!(
        "answers: mean {:.0} characters, longest {}; {:.1} ms p50, {:.1} ms p95; statuses: {}",
        report.mean_chars,
        report.max_chars,
        report.p50_ms,
        report.p95_ms,
        statuses(report),
    );
    if let Some(calibration) = &report.calibration {
        print_calibration(calibration);
    }
    outln!();
}

fn grounded(grounded: &GroundedAnswers, answerable: &AnswerCounts) -> String {
    format!(
        "grounded: {} answers, {} right (precision {}); {} of {} right answers are grounded \
         (coverage {})",
        grounded.answers,
        grounded.right,
        percent(grounded.precision),
        grounded.right,
        answerable.right,
        percent(grounded.coverage),
    )
}

fn print_calibration(calibration: &Calibration) {
    outln!(
        "calibration: expected calibration error {:.3} over {} answers with a confidence, {} \
         without abstentions",
        calibration.expected_calibration_error,
        calibration.n,
        decimal(calibration.expected_calibration_error_of_answers),
    );
    let header = ["confidence", "n", "abstained", "mean", "right"];
    outln!(
        "{}",
        table(&header, calibration.bins.iter().map(row_of_bin))
    );
}

fn row_of_bin(bin: &CalibrationBin) -> Vec<String> {
    vec![
        format!("{:.1} to {:.1}", bin.from, bin.to),
        bin.n.to_string(),
        bin.abstained.to_string(),
        decimal(bin.mean_confidence),
        decimal(bin.right),
    ]
}

/// `0.913`; a dash where there is no number.
fn decimal(number: Option<f64>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.3}"))
}

/// `91.3 %`; a dash where there is no number.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn row(name: &str, counts: &AnswerCounts) -> Vec<String> {
    let mut row = vec![name.to_owned()];
    let numbers = [
        counts.n,
        counts.right,
        counts.right_cited,
        counts.grounded_right,
        counts.partial,
        counts.part,
        counts.wrong,
        counts.wrong_entry,
        counts.abstained,
        counts.gold_at_1,
        counts.gold_at_3,
        counts.gold_at_10,
        counts.all_at_10,
    ];
    row.extend(numbers.map(|number| number.to_string()));
    row.push(format!("{:.0}", counts.mean_chars()));
    row
}

/// `grounded 60, insufficient 12`, of all questions.
fn statuses(report: &AnswerReport) -> String {
    let mut all = report.answerable.clone();
    all.add(&report.unanswerable);
    let named = all.statuses.iter();
    let named: Vec<String> = named.map(|(name, n)| format!("{name} {n}")).collect();
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_has_its_bounds_and_a_dash_where_nothing_is_in_it() {
        let bin = CalibrationBin {
            from: 0.9,
            to: 1.0,
            n: 12,
            abstained: 0,
            mean_confidence: Some(0.9412),
            right: Some(0.75),
        };
        let full = ["0.9 to 1.0", "12", "0", "0.941", "0.750"];
        assert_eq!(row_of_bin(&bin), full);
        let empty = CalibrationBin {
            n: 0,
            mean_confidence: None,
            right: None,
            ..bin
        };
        assert_eq!(row_of_bin(&empty), ["0.9 to 1.0", "0", "0", "-", "-"]);
    }

    #[test]
    fn the_line_of_grounded_answers_has_precision_and_coverage() {
        let grounded_answers = GroundedAnswers {
            answers: 40,
            right: 39,
            precision: Some(0.975),
            coverage: Some(0.5),
        };
        let answerable = AnswerCounts {
            right: 78,
            ..AnswerCounts::default()
        };
        assert_eq!(
            grounded(&grounded_answers, &answerable),
            "grounded: 40 answers, 39 right (precision 97.5 %); 39 of 78 right answers are \
             grounded (coverage 50.0 %)"
        );
    }
}
