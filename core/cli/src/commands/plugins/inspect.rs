//! `gannet plugins inspect`: a dylib from outside.

use std::path::Path;

use gannet_core::registry::loading::{Gate, Inspection, inspect as look_at};

use crate::arguments::{Common, Format};
use crate::failure::{Exit, Failure};
use crate::render::{ERROR, GOOD, HEADING, print_json, safe, table};

/// Shows what a file is and what each gate says. Runs nothing of it.
pub fn inspect(common: &Common, file: &Path) -> Result<Exit, Failure> {
    let inspection = inspection(file)?;
    match common.format {
        Format::Table => print(&inspection),
        format => print_json(&inspection, format)?,
    }
    Ok(Exit::Done)
}

/// A look at a file.
pub(super) fn inspection(file: &Path) -> Result<Inspection, Failure> {
    look_at(file).map_err(|error| Failure::plugin(format!("{}: {error}", file.display())))
}

fn print(inspection: &Inspection) {
    outln!("{HEADING}{}{HEADING:#}", inspection.path.display());
    let mut rows = vec![
        vec!["size".to_owned(), format!("{} bytes", inspection.size)],
        vec!["sha256".to_owned(), inspection.sha256.clone()],
    ];
    let target = inspection.format.iter().chain(&inspection.architecture);
    let target: Vec<&str> = target.map(String::as_str).collect();
    rows.push(vec!["target".to_owned(), target.join(" ")]);
    for manifest in &inspection.manifests {
        let text = format!(
            "{} {}, contract {}, runtime {}",
            manifest.name, manifest.version, manifest.contract, manifest.runtime
        );
        rows.push(vec!["plugin crate".to_owned(), text]);
        for (kind, name) in &manifest.exports {
            rows.push(vec![kind.label().to_owned(), safe(name).into_owned()]);
        }
    }
    outln!("{}", table(&[], rows));
    print_gates(&inspection.gates);
}

/// One line a gate.
pub(super) fn print_gates(gates: &[Gate]) {
    for gate in gates {
        let (style, word) = match gate.passed {
            true => (GOOD, "passed"),
            false => (ERROR, "shut  "),
        };
        outln!(
            "{style}{word}{style:#}  {}: {}",
            gate.gate,
            safe(&gate.text)
        );
    }
}
