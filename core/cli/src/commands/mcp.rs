//! `gannet mcp`: an MCP server on the standard streams.

use gannet_server::auth::AuditLog;
use gannet_server::mcp::{McpServer, serve_stdio};

use crate::arguments::Common;
use crate::failure::{Exit, Failure};
use crate::{session, signals};

/// Serves until the client closes its end, or a signal comes.
pub async fn run(common: &Common) -> Result<Exit, Failure> {
    let gannet = session::open_existing(common).await?;
    AuditLog::of(&gannet.config().server.audit_log).add_plugin_files(&gannet);
    let stop = signals::stop_after("this call");
    let served = serve_stdio(McpServer::new(gannet.clone()), &stop).await;
    gannet.close().await?;
    served?;
    Ok(Exit::unless(&stop))
}
