//! MCP over a pair of streams, such as the standard ones: one client, one JSON-RPC message per line.

use std::fs::File;

use gannet_core::Stop;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use super::McpServer;

/// Why a session over the standard streams ended with an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The first messages were not those of an MCP client.
    #[error("the MCP session did not start: {0}")]
    Start(#[from] Box<ServerInitializeError>),
    /// The task of the session ended early.
    #[error("the MCP session broke off: {0}")]
    BrokenOff(#[from] tokio::task::JoinError),
}

/// Serves one client that writes to the standard input, until the client
/// closes its end or `stop` is raised. It reads `output`: the standard output,
/// or a duplicate of it where something else may print meanwhile.
///
/// # Errors
/// [`StdioError`].
pub async fn serve_stdio(server: McpServer, output: File, stop: &Stop) -> Result<(), StdioError> {
    let (input, _) = rmcp::transport::stdio();
    let output = tokio::fs::File::from_std(output);
    serve_streams(server, (input, output), stop).await
}

/// Serves one client on these streams, the first to read from, until the
/// client closes its end or `stop` is raised.
///
/// # Errors
/// [`StdioError`].
pub async fn serve_streams<R, W>(
    server: McpServer,
    streams: (R, W),
    stop: &Stop,
) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let offered = server.clone();
    let backend = offered.offer().backend.clone();
    let enhancing = backend.background.run(|| backend.gannet.clone(), stop);
    let session = run_session(server, streams, stop);
    let ended = tokio::select! {
        ended = session => ended,
        // Ends when `stop` is raised; the session then ends by itself.
        ended = async { enhancing.await; std::future::pending().await } => ended,
    };
    backend.logs.flush().await;
    ended
}

async fn run_session<R, W>(
    server: McpServer,
    streams: (R, W),
    stop: &Stop,
) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let started = tokio::select! {
        started = server.serve(streams) => started,
        () = stop.raised() => return Ok(()),
    };
    let session = match started {
        Ok(session) => session,
        // The client left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    let end = session.cancellation_token();
    tokio::select! {
        reason = session.waiting() => {
            tracing::debug!(reason = ?reason?, "the MCP session ended");
        }
        () = stop.raised() => end.cancel(),
    }
    Ok(())
}
