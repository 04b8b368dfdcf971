//! What `gannet eval --sets` prints.

use gannet_core::eval::{SetCounts, SetKind, SetKindCounts, SetsReport};

use super::answered;
use crate::arguments::{EvalArguments, Format};
use crate::failure::Failure;
use crate::render::{HEADING, print_json_list, table};

/// Prints the counts of each mode; writes and shows the answers if asked to.
pub fn print(
    reports: &[SetsReport],
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

fn print_report(report: &SetsReport) {
    outln!("{HEADING}{}{HEADING:#}", report.mode);
    let header = [
        "conditions",
        "kind",
        "n",
        "right",
        "grounded",
        "grounded wrong",
    ];
    let rows = report.kinds.iter().map(kind_row);
    let totals = [
        row(conditions(true), "all", &report.field_only),
        row(conditions(false), "all", &report.with_topic),
    ];
    outln!("{}", table(&header, rows.chain(totals)));
    outln!("{:.1} ms p50, {:.1} ms p95", report.p50_ms, report.p95_ms);
    outln!();
}

fn kind_row(of: &SetKindCounts) -> Vec<String> {
    let kind = match of.kind {
        SetKind::Count => "count",
        SetKind::List => "list",
        SetKind::First => "first",
        SetKind::Last => "last",
        SetKind::LastN => "last n",
        SetKind::Rate => "rate",
        SetKind::By => "by",
    };
    row(conditions(of.field_only), kind, &of.counts)
}

fn conditions(field_only: bool) -> &'static str {
    match field_only {
        true => "fields only",
        false => "with topic",
    }
}

fn row(conditions: &str, kind: &str, counts: &SetCounts) -> Vec<String> {
    let mut row = vec![conditions.to_owned(), kind.to_owned()];
    let numbers = [
        counts.n,
        counts.right,
        counts.grounded,
        counts.grounded_wrong,
    ];
    row.extend(numbers.map(|number| number.to_string()));
    row
}
