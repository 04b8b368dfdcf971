//! What a panic of the program leaves behind: a few sentences on the terminal
//! and a report in a file, in the place of a backtrace.

use std::backtrace::Backtrace;
use std::io::Write;
use std::panic::PanicHookInfo;
use std::path::PathBuf;

/// Reports panics from now on. Builds for developers, and those who set
/// `RUST_BACKTRACE`, keep Rust's own message.
pub fn report_panics() {
    if cfg!(debug_assertions) || std::env::var_os("RUST_BACKTRACE").is_some() {
        return;
    }
    std::panic::set_hook(Box::new(|panic| tell(&report(panic))));
}

/// All that a developer needs, and nothing of the configuration or the store.
fn report(panic: &PanicHookInfo<'_>) -> String {
    let message = panic.payload_as_str().unwrap_or("unknown");
    let place = panic
        .location()
        .map_or("unknown".to_owned(), ToString::to_string);
    format!(
        "gannet {} on {} {}\n{message}\nat {place}\n\n{}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        Backtrace::force_capture()
    )
}

/// Without a word where even the standard error stream is gone.
fn tell(report: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = match written(report) {
        Ok(path) => writeln!(
            stderr,
            "gannet had a problem and crashed. A report was written to {}.\n\
             Please open an issue at {} and attach the report. Nothing is sent by itself.",
            path.display(),
            env!("CARGO_PKG_REPOSITORY")
        ),
        Err(error) => writeln!(
            stderr,
            "gannet had a problem and crashed; its report could not be written ({error}):\n\
             {report}"
        ),
    };
}

/// A new file that only its owner can read.
fn written(report: &str) -> std::io::Result<PathBuf> {
    let mut file = tempfile::Builder::new()
        .prefix("gannet-report-")
        .suffix(".txt")
        .tempfile()?;
    file.write_all(report.as_bytes())?;
    let (_, path) = file.keep()?;
    Ok(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_kept_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let path = written("gannet 0.1.0 on linux\n").unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "gannet 0.1.0 on linux\n"
        );
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::remove_file(path).unwrap();
    }
}
