//! `gannet mcp`: an MCP server on the standard streams.

use std::fs::File;
use std::io::{stderr, stdout};
use std::os::fd::AsFd;

use gannet_server::auth::AuditLog;
use gannet_server::mcp::{McpServer, serve_stdio};

use crate::arguments::Common;
use crate::failure::{Exit, Failure};
use crate::{session, signals};

/// Serves until the client closes its end, or a signal comes.
pub async fn run(common: &Common) -> Result<Exit, Failure> {
    // Before a plugin is loaded, which may print.
    let messages = take_stdout()?;
    let gannet = session::open_existing(common).await?;
    AuditLog::of(&gannet.config().server.audit_log).add_plugin_files(&gannet);
    let stop = signals::stop_after("this call");
    let served = serve_stdio(McpServer::new(gannet.clone()), messages, &stop).await;
    gannet.close().await?;
    served?;
    Ok(Exit::unless(&stop))
}

/// The standard output as a stream of its own for the messages of the protocol.
/// What is printed in this process from here on, by a plugin or a program that
/// it starts, goes to the standard error.
fn take_stdout() -> std::io::Result<File> {
    let messages = stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(stderr())?;
    Ok(File::from(messages))
}
