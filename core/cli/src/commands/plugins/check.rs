//! `gannet plugins check`: would this dylib be loaded, and does it conform?
//!
//! The gates are looked at here. What runs code of the plugin runs in a child
//! process, so that whatever it does ends the child and not this.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use gannet_core::examination::{Examination, examine};
use gannet_core::registry::loading::Inspection;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::process::Command;

use super::inspect::{inspection, print_gates};
use crate::arguments::{Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{DIM, ERROR, GOOD, HEADING, print_json};

/// How long the child may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What a check came to.
#[derive(Serialize)]
struct Checked {
    /// What the gates say.
    inspection: Inspection,
    /// What the child printed; null when it was not asked.
    examination: Value,
    /// Why the file does not pass, if it does not.
    reason: Option<String>,
}

/// Checks a dylib: every gate, then its conformance in a child process.
pub async fn check(common: &Common, file: &Path) -> Result<Exit, Failure> {
    let checked = checked(inspection(file)?, file).await?;
    match common.format {
        Format::Table => print(&checked),
        format => print_json(&checked, format)?,
    }
    match checked.reason {
        None => Ok(Exit::Done),
        Some(reason) => Err(Failure::plugin(format!("{}: {reason}", file.display()))),
    }
}

/// The child: loads the file, examines its plugins, writes what came of it.
pub async fn check_here(file: &Path, report: &Path) -> Result<Exit, Failure> {
    let examination: Examination = examine(file).await;
    std::fs::write(report, serde_json::to_vec(&examination)?)?;
    Ok(Exit::Done)
}

async fn checked(inspection: Inspection, file: &Path) -> Result<Checked, Failure> {
    if !inspection.passed() {
        return Ok(Checked {
            inspection,
            examination: Value::Null,
            reason: Some("a gate is shut".to_owned()),
        });
    }
    let examination = examine_in_child(file).await?;
    let reason = match (&examination["refused"], &examination["passed"]) {
        (Value::String(reason), _) => Some(reason.clone()),
        (_, Value::Bool(true)) => None,
        _ => Some("it does not conform".to_owned()),
    };
    Ok(Checked {
        inspection,
        examination,
        reason,
    })
}

/// The report comes by a file: what a plugin prints is not taken for it.
async fn examine_in_child(file: &Path) -> Result<Value, Failure> {
    let report = tempfile::NamedTempFile::new()?;
    let mut child = Command::new(std::env::current_exe()?)
        .args(["plugins", "check", "--here"])
        .arg(report.path())
        .arg(file)
        .env("RUST_LOG", "error")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let Ok(status) = tokio::time::timeout(LIMIT, child.wait()).await else {
        let reason = format!("it was not done after {} seconds", LIMIT.as_secs());
        return Ok(refusal(&reason));
    };
    let status = status?;
    let written = std::fs::read(report.path())?;
    match (status.success(), written.is_empty()) {
        (true, false) => Ok(serde_json::from_slice(&written)?),
        _ => Ok(refusal(&ended(status))),
    }
}

fn refusal(reason: &str) -> Value {
    json!({ "passed": false, "refused": reason, "reports": [] })
}

/// How a process ended that should not have.
fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it ended the process that loaded it (signal {signal})");
    }
    format!("it ended the process that loaded it ({status})")
}

fn print(checked: &Checked) {
    print_gates(&checked.inspection.gates);
    for report in list(&checked.examination["reports"]) {
        outln!("{HEADING}{}{HEADING:#}", text(&report["plugin"]));
        list(&report["checks"]).iter().for_each(print_check);
    }
    if checked.reason.is_none() {
        outln!("{GOOD}it can be loaded, and its plugins conform{GOOD:#}");
    }
}

fn print_check(check: &Value) {
    let (style, word) = match text(&check["outcome"]) {
        "passed" => (GOOD, "passed "),
        "skipped" => (DIM, "skipped"),
        _ => (ERROR, "FAILED "),
    };
    let reason = text(&check["reason"]);
    let colon = if reason.is_empty() { "" } else { ": " };
    outln!(
        "  {style}{word}{style:#} {}{colon}{reason}",
        text(&check["name"])
    );
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
