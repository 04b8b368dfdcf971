//! The arguments of `gannet serve`.

use clap::Args;

#[derive(Args)]
pub struct ServeArguments {
    /// Listen on this address (the same as `server.host`)
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<String>,
    /// Listen on this port; 0 for any free port (the same as `server.port`)
    #[arg(long, short, value_name = "PORT")]
    pub port: Option<u16>,
    /// Listen on an address that other machines can reach, without authentication
    #[arg(long)]
    pub insecure: bool,
}
