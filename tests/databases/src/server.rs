//! The server: the one in `GANNET_TEST_POSTGRES`, or one that
//! `tests/postgres` brings up and that stops when it is idle.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Seconds without a client after which the server stops.
const IDLE: &str = "60";

/// The server's URL without a database; `None`, and a printed line, when
/// there is no server. With `GANNET_REQUIRE_POSTGRES` that is a failure.
pub fn server() -> Option<&'static str> {
    static SERVER: OnceLock<Option<String>> = OnceLock::new();
    SERVER.get_or_init(find).as_deref()
}

fn find() -> Option<String> {
    let url = match std::env::var("GANNET_TEST_POSTGRES") {
        Ok(url) => url,
        Err(_) => match bring_up() {
            Ok(url) => url,
            Err(reason) if std::env::var_os("GANNET_REQUIRE_POSTGRES").is_some() => {
                panic!("PostgreSQL cannot be had: {reason}")
            }
            Err(reason) => {
                println!("skipped: PostgreSQL cannot be had: {reason}");
                return None;
            }
        },
    };
    let (server, _database) = url.rsplit_once('/').unwrap();
    Some(server.to_owned())
}

fn bring_up() -> Result<String, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../postgres");
    let output = Command::new(script)
        .arg("up")
        .arg(folder())
        .arg(IDLE)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(text(&output.stderr)),
    }
}

/// `tmp/postgres` in cargo's target folder, so that all test programs share
/// one server: they lie in `target/PROFILE/deps`.
fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let target = program.ancestors().nth(3).unwrap();
    target.join("tmp/postgres")
}
