//! `gannet plugins check`: would this dylib be loaded, and does it conform?
//!
//! The gates are looked at here. What runs code of the plugin runs in a child
//! process, so that whatever it does ends the child and not this.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use gannet_core::examination::{Examination, examine};
use gannet_core::registry::loading::Inspection;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
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

/// Where the child's report goes to, and what tells it from one that a plugin
/// wrote. The parent gives it by the standard input, which the child has read
/// to its end before any code of the plugin runs.
#[derive(Serialize, Deserialize)]
struct Errand {
    report: PathBuf,
    nonce: String,
}

/// The child's report.
#[derive(Serialize, Deserialize)]
struct Signed<T> {
    nonce: String,
    examination: T,
}

/// The child: loads the file, examines its plugins, writes what came of it.
pub async fn check_here(file: &Path) -> Result<Exit, Failure> {
    let Errand { report, nonce } = serde_json::from_reader(std::io::stdin())?;
    let examination: Examination = examine(file).await;
    let signed = Signed { nonce, examination };
    std::fs::write(report, serde_json::to_vec(&signed)?)?;
    Ok(Exit::Done)
}

async fn checked(inspection: Inspection, file: &Path) -> Result<Checked, Failure> {
    if !inspection.passed() {
        return Ok(Checked {
            inspection,
            examination: Value::Null,
            reason: Some("a load check failed".to_owned()),
        });
    }
    let examination = examine_in_child(file).await?;
    let reason = match (&examination["refused"], &examination["passed"]) {
        (Value::String(reason), _) => Some(reason.clone()),
        (_, Value::Bool(true)) => None,
        _ => Some("a conformance test failed".to_owned()),
    };
    Ok(Checked {
        inspection,
        examination,
        reason,
    })
}

/// The report comes by a file: what a plugin prints is not taken for it. Nor is
/// a file that the plugin writes: neither where it lies nor its nonce are known
/// to who looks at the arguments, the environment or the open files.
async fn examine_in_child(file: &Path) -> Result<Value, Failure> {
    let report = tempfile::NamedTempFile::new()?;
    let errand = Errand {
        report: report.path().to_owned(),
        nonce: nonce(),
    };
    let mut child = Command::new(std::env::current_exe()?)
        .args(["plugins", "check", "--here"])
        .arg(file)
        .env("RUST_LOG", "error")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // Of a child that ended before it read this, the status tells why.
        let _ = stdin.write_all(&serde_json::to_vec(&errand)?).await;
    }
    let Ok(status) = tokio::time::timeout(LIMIT, child.wait()).await else {
        let reason = format!("timed out after {} seconds", LIMIT.as_secs());
        return Ok(refusal(&reason));
    };
    let status = status?;
    let written = std::fs::read(report.path())?;
    let signed = serde_json::from_slice::<Signed<Value>>(&written).ok();
    match signed.filter(|signed| status.success() && signed.nonce == errand.nonce) {
        Some(signed) => Ok(signed.examination),
        None => Ok(refusal(&ended(status))),
    }
}

/// 128 bits that nobody can guess: the standard library's hash of a constant,
/// by keys that the system gave.
fn nonce() -> String {
    let word = || RandomState::new().hash_one("report");
    format!("{:016x}{:016x}", word(), word())
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
        outln!("{GOOD}ok{GOOD:#} the file can be loaded, and its plugins conform");
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
