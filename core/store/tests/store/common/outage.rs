//! A server of a test's own, which can be killed and started again.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use gannet_store::PostgresOptions;

/// Seconds without a client after which the server stops, should the test
/// end without stopping it.
const IDLE: &str = "60";

pub struct OwnServer {
    folder: PathBuf,
    url: String,
}

impl OwnServer {
    /// `None`, and a printed line, when there is no server to be had.
    pub fn start(name: &str) -> Option<Self> {
        // Also says why there is none, and fails where there must be one.
        gannet_test_databases::server()?;
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        match script("up", &folder, &[IDLE]) {
            Ok(url) => Some(Self { folder, url }),
            Err(reason) => panic!("a second server cannot be had: {reason}"),
        }
    }

    /// A replica of it, which follows what is written; `None`, and a printed
    /// line, where the program that makes one is missing.
    pub fn replica(&self, name: &str) -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        match script("replica", &folder, &[&self.url, IDLE]) {
            Ok(url) => Some(Self { folder, url }),
            Err(reason) if reason.contains("pg_basebackup is missing") => {
                println!("skipped: {reason}");
                None
            }
            Err(reason) => panic!("a replica cannot be had: {reason}"),
        }
    }

    pub fn options(&self) -> PostgresOptions {
        PostgresOptions::at(&self.url)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Kills all of its processes at once.
    pub fn kill(&self) {
        script("kill", &self.folder, &[]).unwrap();
    }

    /// Starts it again on its data, at its port.
    pub fn start_again(&self) {
        script("start", &self.folder, &[IDLE]).unwrap();
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let stopped = script("down", &self.folder, &[]);
        if let Err(reason) = stopped {
            println!("the server in {} is left: {reason}", self.folder.display());
        }
    }
}

fn script(action: &str, folder: &PathBuf, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/postgres"))
        .arg(action)
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(text(&output.stderr))
}
