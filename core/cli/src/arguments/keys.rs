//! Arguments of `gannet keys`.

use clap::{Args, Subcommand};
use gannet_core::api::DEFAULT_TENANT;
use gannet_server::auth::Scope;

#[derive(Subcommand)]
pub enum KeysCommand {
    /// Create an API key and print it, once
    Create(CreateKeyArguments),
    /// List API keys
    List,
    /// Revoke an API key; it is refused from the next request on
    Revoke {
        /// Id of the key, as `gannet keys list` shows it
        id: String,
    },
}

#[derive(Args)]
pub struct CreateKeyArguments {
    /// What the key is for
    pub name: String,
    /// What its holder may do: search, ask, ingest, metrics or admin; may be repeated
    #[arg(long = "scope", value_name = "SCOPE", required = true)]
    pub scopes: Vec<Scope>,
    /// Whose entries its holder sees
    #[arg(long, default_value = DEFAULT_TENANT)]
    pub tenant: String,
    /// Days until it expires; default: never
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub expires_in_days: Option<u32>,
}
