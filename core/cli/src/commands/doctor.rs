//! `gannet doctor`: what is wrong, and what to do about it.

use gannet_core::store::{Finding, Health};
use gannet_core::{config, doctor};

use crate::arguments::{Common, DoctorArguments, Format};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, ERROR, GOOD, WARNING, number, print_json, print_json_list, safe};
use crate::session;

/// Width of the column of checks; longer names push their line.
const CHECK_WIDTH: usize = 14;

/// Shows every finding; ends with 1 when something does not work.
pub async fn run(common: &Common, wanted: &DoctorArguments) -> Result<Exit, Failure> {
    let options = session::load_options(common, &[])?;
    let findings = doctor::examine(&config::load(options), wanted.deep).await;
    match common.format {
        Format::Table if !wanted.json => print_findings(&findings),
        Format::Jsonl => print_json_list(&findings, Format::Jsonl)?,
        _ => print_json(&findings, Format::Json)?,
    }
    let is_failed = findings.iter().any(|one| one.health == Health::Fail);
    Ok(match is_failed {
        true => Exit::Unwell,
        false => Exit::Done,
    })
}

/// One finding a line, what to do below it: a statement can be copied.
pub fn print_findings(findings: &[Finding]) {
    for finding in findings {
        let (style, word) = match finding.health {
            Health::Ok => (GOOD, "ok  "),
            Health::Warn => (WARNING, "warn"),
            Health::Fail => (ERROR, "fail"),
        };
        let check = safe(&finding.check);
        let message = safe(&finding.message);
        outln!("{style}{word}{style:#}  {check:CHECK_WIDTH$}  {message}");
        if let Some(advice) = &finding.advice {
            outln!("      {DIM}→{DIM:#} {}", safe(advice));
        }
    }
    let count = |health| {
        let of_health = findings.iter().filter(|one| one.health == health);
        of_health.count() as u64
    };
    outln!(
        "{DIM}{}, {}, {} failed{DIM:#}",
        number::count(findings.len() as u64, "check", "checks"),
        number::count(count(Health::Warn), "warning", "warnings"),
        count(Health::Fail)
    );
}
