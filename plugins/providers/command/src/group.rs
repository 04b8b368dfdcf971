//! The processes of a program: it and all that it started.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as Signals, SignalKind, signal};

/// The groups that run. None of their leaders was waited for, so none of the
/// numbers is another program's.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Ends every program that runs, with all that it started. It is for whoever
/// ends the host by a signal, where nothing is dropped: a terminal's Ctrl-C
/// and a signal to the host do not reach the programs, which are in groups of
/// their own. Call it last before the exit: what starts later is not ended.
pub fn end_all() {
    for leader in running().iter() {
        kill(*leader);
    }
}

/// A program and all that it started. Dropped, it is ended. It must be dropped
/// before its leader is waited for.
pub(crate) struct Group {
    leader: i32,
    /// One for each child of the host that ends.
    ends: Signals,
}

impl Group {
    /// Starts a program as the leader of a group of its own.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<(Child, Self)> {
        let ends = signal(SignalKind::child())?;
        // Held meanwhile, so that `end_all` misses nothing that has started.
        let mut running = running();
        let child = command.process_group(0).kill_on_drop(true).spawn()?;
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        let missing = || std::io::Error::other("the program has no number");
        let leader = number.ok_or_else(missing)?;
        running.insert(leader);
        Ok((child, Self { leader, ends }))
    }

    /// Waits until the leader has exited, and leaves its number to it.
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
        // There is nothing to do about a group that is gone.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
