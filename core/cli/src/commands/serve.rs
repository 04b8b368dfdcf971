//! `gannet serve`: the HTTP service.

use gannet_server::{BindOptions, Server};

use crate::arguments::{Common, ServeArguments};
use crate::failure::{Exit, Failure};
use crate::{session, signals};

/// Serves until Ctrl-C or SIGTERM. Prints the address once it is listened on.
pub async fn run(common: &Common, wanted: &ServeArguments) -> Result<Exit, Failure> {
    let mut settings = Vec::new();
    if let Some(host) = &wanted.host {
        settings.push(("server.host", host.clone()));
    }
    if let Some(port) = wanted.port {
        settings.push(("server.port", port.to_string()));
    }
    let gannet = session::open_existing_with(common, &settings).await?;
    let options = BindOptions {
        insecure: wanted.insecure,
    };
    let server = Server::bind(gannet.clone(), options).await?;
    let stop = signals::stop_after("the running requests");
    outln!("listening on http://{}", server.address());
    server.run(stop.clone()).await;
    gannet.close().await?;
    Ok(Exit::unless(&stop))
}
