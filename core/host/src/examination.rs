//! Loads one dylib by itself and examines its plugins.

use std::path::Path;

use gannet_registry::Registry;
use gannet_registry::conformance::{Report, Specimen, examine as examine_plugin};
use gannet_registry::contain::install;
use gannet_registry::loading::{DylibWish, FileReport, LoadingRules, PluginState};
use serde::Serialize;

use crate::dylibs::enter_host;

/// What came of an examination.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Examination {
    /// Whether it was loaded and every plugin conforms.
    pub passed: bool,
    /// Why it was not loaded.
    pub refused: Option<String>,
    /// What became of the file.
    pub file: Option<FileReport>,
    /// One report a plugin.
    pub reports: Vec<Report>,
}

/// Loads a dylib, whatever the configuration says of it, and runs the
/// conformance test on each of its plugins. This runs its code: do it in a
/// process that may end.
pub async fn examine(file: &Path) -> Examination {
    install();
    let registry = load(file);
    match registry.files().first().cloned() {
        Some(report) if report.state == PluginState::Loaded => examine_all(&registry, report).await,
        report => refused(report.and_then(|report| report.reason).unwrap_or_default()),
    }
}

fn load(file: &Path) -> Registry {
    let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let rules = LoadingRules {
        dirs: path.parent().map(Path::to_owned).into_iter().collect(),
        require_pin: false,
    };
    let wish = DylibWish::of(path.display().to_string());
    let mut registry = Registry::default();
    // Of one file that is not required and has no `config`, all that can go
    // wrong is in its report.
    let _ = registry.load(&[wish], &rules, &enter_host());
    registry
}

async fn examine_all(registry: &Registry, file: FileReport) -> Examination {
    let mut reports = Vec::new();
    for plugin in registry.iter() {
        reports.push(examine_plugin(&subject(plugin)).await);
    }
    Examination {
        passed: reports.iter().all(Report::passed),
        refused: None,
        file: Some(file),
        reports,
    }
}

fn subject(plugin: &gannet_registry::Registered) -> Specimen {
    let maker = plugin.clone();
    Specimen::new(plugin.descriptor.clone(), move |settings, setup| {
        maker.construct(settings, setup)
    })
}

fn refused(reason: String) -> Examination {
    Examination {
        passed: false,
        refused: Some(reason),
        file: None,
        reports: Vec::new(),
    }
}
