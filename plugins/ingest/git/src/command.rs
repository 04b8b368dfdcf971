//! How `git` is called.
//!
//! A repository brings its own configuration, and with it programs that git
//! would start. None of them is: each switch below turns one way off, and
//! `GIT_ALLOW_PROTOCOL` the ways of fetching that a partial clone has. Git
//! itself refuses a repository that belongs to another user.

use std::path::Path;
use std::process::{Command, Stdio};

use jiff::Timestamp;

use crate::Settings;

/// What is written of each commit: fields with NUL behind each, the first one
/// empty, so that a commit begins where an empty field stands; behind them the
/// changed files. A file for this adapter is written by
/// `git log -z --reverse --no-renames --name-status --decorate=full --encoding=UTF-8 --format=…`.
pub const FORMAT: &str = "tformat:%x00%H%x00%an%x00%ct%x00%D%x00%S%x00%B";

/// Settings that could start a program or reach a network.
const OFF: [&str; 6] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "protocol.allow=never",
    "log.showSignature=false",
];

/// Variables of git that are passed on to it: none of the repository.
const KEPT: [&str; 2] = ["GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES"];

/// The command that writes the commits of a repository, oldest first. Times
/// only keep git from reading more than it has to; both are themselves
/// included.
pub(crate) fn log(
    settings: &Settings,
    repository: &Path,
    (since, until): (Option<Timestamp>, Option<Timestamp>),
) -> Command {
    let mut command = confined(&settings.program, repository);
    command.args(["log", "-z", "--reverse", "--no-ext-diff", "--no-textconv"]);
    command.args(["--no-show-signature", "--no-renames", "--name-status"]);
    command.args(["--ignore-submodules=all", "--no-color", "--no-notes"]);
    command.args(["--decorate=full", "--encoding=UTF-8"]);
    command.arg(format!("--format={FORMAT}"));
    if let Some(since) = since {
        command.arg(format!("--since-as-filter={}", date(since.as_second())));
    }
    if let Some(until) = until {
        command.arg(format!("--until={}", date(until.as_second() + 1)));
    }
    if settings.all_branches {
        command.arg("--branches");
    }
    command.arg("--end-of-options").args(&settings.revisions);
    command.arg("--");
    command
}

/// Whether a repository lacks a part of its history, as one does that was cloned
/// with `--depth`; also where git does not say that it has all of it.
pub(crate) fn is_shallow(settings: &Settings, repository: &Path) -> bool {
    let mut command = confined(&settings.program, repository);
    command.args(["rev-parse", "--is-shallow-repository"]);
    let answer = command.output();
    !answer.is_ok_and(|answer| answer.stdout.trim_ascii() == b"false")
}

/// The program in a repository, with everything off that could start another
/// one.
fn confined(program: &str, repository: &Path) -> Command {
    let mut command = Command::new(program);
    for name in std::env::vars_os().map(|(name, _)| name) {
        let is_of_git = name.as_encoded_bytes().starts_with(b"GIT_");
        if is_of_git && !KEPT.iter().any(|kept| name == *kept) {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .arg("-C")
        .arg(repository)
        .args(["--no-pager", "--no-replace-objects", "--literal-pathspecs"]);
    for setting in OFF {
        command.args(["-c", setting]);
    }
    command
}

/// A time as git writes it into commits, which know none before 1970.
fn date(second: i64) -> String {
    format!("@{} +0000", second.max(0))
}
