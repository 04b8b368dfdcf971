//! A program and its child processes, as a process group.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

/// The running groups. Their leaders have not been waited for, so their process
/// ids cannot be reused.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Kills every running program and its child processes. Call it when a signal
/// ends the host, where nothing is dropped: the programs are in their own
/// process groups, which Ctrl-C and signals to the host do not reach. Call it
/// last before the exit, because programs that start later are not killed.
pub fn end_all() {
    for leader in running().iter() {
        kill(*leader);
    }
}

/// A program and its child processes, which are killed on drop. It must be
/// dropped before its leader is waited for.
pub(crate) struct Group {
    leader: i32,
    /// Receives a signal for each child of the host that exits.
    ends: Signals,
}

impl Group {
    /// Starts a program as the leader of a new group.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<(Child, Self)> {
        let ends = signal(SignalKind::child())?;
        // Locked while the program starts, so that `end_all` does not miss it.
        let mut running = running();
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let missing = || std::io::Error::other("the program has no process id");
        let leader = number.ok_or_else(missing)?;
        running.insert(leader);
        Ok((child, Self { leader, ends }))
    }

    /// Waits until the leader has exited, without reaping it.
    pub(crate) async fn exited(&mut self) {
        while self.is_running() {
            self.ends.recv().await;
        }
    }

    fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Pid::from_raw(self.leader)
            .is_some_and(|leader| matches!(waitid(WaitId::Pid(leader), options), Ok(None)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        kill(self.leader);
        running().remove(&self.leader);
    }
}

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kill(leader: i32) {
    if let Some(group) = Pid::from_raw(leader) {
        // The group may have exited already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
