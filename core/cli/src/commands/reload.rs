//! `gannet reload`: the running service reads its configuration again.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::arguments::Common;
use crate::failure::{Exit, Failure};
use crate::running_service::{self, ServiceState};
use crate::session;

/// How long the service may take.
const LIMIT: Duration = Duration::from_secs(60);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(20);
/// Held by a reload, so that each sees its own outcome.
const TURN: &str = "reload.lock";

/// Has the service of the data folder read its configuration again.
pub async fn run(common: &Common) -> Result<Exit, Failure> {
    // What is wrong with it is best said here, with line and column.
    let loaded = session::configuration(common, &[])?;
    let folder = &loaded.config.store.path;
    if !folder.is_dir() {
        return Err(none_runs(folder));
    }
    let done = tokio::time::timeout(LIMIT, reload(folder)).await;
    let seconds = LIMIT.as_secs();
    let late = |_| Failure::store(format!("the service did not answer within {seconds} s"));
    let state = done.map_err(late)??;
    match state.error {
        None => {
            outln!("http://{} uses the new configuration", state.address);
            Ok(Exit::Done)
        }
        Some(error) => Err(Failure::plugin(format!(
            "http://{} goes on with the old configuration: {error}",
            state.address
        ))),
    }
}

async fn reload(folder: &Path) -> Result<ServiceState, Failure> {
    let _turn = loop {
        match running_service::lock(&folder.join(TURN))? {
            Some(turn) => break turn,
            None => tokio::time::sleep(PAUSE).await,
        }
    };
    let before = running_service::find(folder)?.ok_or_else(|| none_runs(folder))?;
    let pid = Pid::from_raw(before.pid).ok_or_else(|| none_runs(folder))?;
    kill_process(pid, Signal::HUP).map_err(std::io::Error::from)?;
    loop {
        let now = running_service::read(folder)?;
        if now.reloads > before.reloads {
            return Ok(now);
        }
        if running_service::find(folder)?.is_none() {
            return Err(none_runs(folder));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn none_runs(folder: &Path) -> Failure {
    Failure::store(format!(
        "no `gannet serve` runs on {}; name its folder with `--data`",
        folder.display()
    ))
}
