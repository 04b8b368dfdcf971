//! The service on its socket: connections are taken, served within limits of
//! time, and brought to their end when the service stops.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use gannet_core::{Gannet, Stop};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;

use crate::ServerError;
use crate::auth::Authenticator;
use crate::exposure::check_exposure;
use crate::guard::Peer;
use crate::router::{router, routes};
use crate::state::App;

/// How long to wait after a connection could not be taken, as when there are
/// too many open files.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// What is said on the command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct BindOptions {
    /// Listen on an address that other machines can reach, without
    /// authentication.
    pub insecure: bool,
}

/// The service, listening and not yet answering.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    gannet: Gannet,
    authenticator: Authenticator,
}

impl Server {
    /// Listens on the address of `server.host` and `server.port`.
    ///
    /// # Errors
    /// [`ServerError::Bind`] for an address that is in use or not of this
    /// machine, [`ServerError::Exposed`] for one that other machines can reach
    /// where no authentication is configured, [`ServerError::Auth`] for
    /// settings of authentication that do not fit together.
    pub async fn bind(gannet: Gannet, options: BindOptions) -> Result<Self, ServerError> {
        let config = &gannet.config().server;
        let name = format!("{}:{}", config.host, config.port);
        let failed = |source| ServerError::Bind {
            address: name.clone(),
            source,
        };
        let host = (config.host.trim_matches(['[', ']']), config.port);
        let addresses: Vec<SocketAddr> = lookup_host(host).await.map_err(failed)?.collect();
        check_exposure(&gannet, &config.host, &addresses, options.insecure)?;
        let listener = TcpListener::bind(&addresses[..]).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            authenticator: Authenticator::of(&gannet.config().server, gannet.store_path())?,
            gannet,
        })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until it is asked to stop. Requests under way then
    /// have `server.shutdown_timeout_seconds`; streams end with an event.
    pub async fn run(self, stop: Stop) {
        let (routes, document) = routes();
        let app = App::new(self.gannet, self.authenticator, document, stop.clone());
        let connections = Connections {
            router: router(routes, app.clone()),
            read_timeout: Duration::from_secs(app.config().read_timeout_seconds),
            open: Arc::new(Semaphore::new(app.config().max_connections)),
            graceful: GracefulShutdown::new(),
        };
        let background = app.background.run(&app.gannet, &stop);
        let serving = async {
            tokio::select! {
                () = connections.accept(&self.listener) => {}
                () = stop.raised() => {}
            }
            drop(self.listener);
            app.mcp.close();
            let limit = Duration::from_secs(app.config().shutdown_timeout_seconds);
            let ended = tokio::time::timeout(limit, connections.graceful.shutdown()).await;
            if ended.is_err() {
                tracing::warn!("some requests did not end in time and were cut off");
            }
        };
        tokio::join!(background, serving);
    }
}

/// What connections are served with.
struct Connections {
    router: Router,
    read_timeout: Duration,
    open: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Connections {
    /// Takes connections for ever. Those that are too many wait in the queue
    /// of the operating system.
    async fn accept(&self, listener: &TcpListener) {
        loop {
            let Ok(permit) = self.open.clone().acquire_owned().await else {
                return;
            };
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let connection = self.serve(stream, peer);
                    tokio::spawn(async move {
                        connection.await;
                        drop(permit);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
            }
        }
    }

    /// One connection. The head of each request must arrive in time, which
    /// also closes connections that are idle.
    fn serve(&self, stream: TcpStream, peer: SocketAddr) -> impl Future<Output = ()> + use<> {
        let router = TowerToHyperService::new(self.router.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer(peer));
            router.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.read_timeout)
            .serve_connection(TokioIo::new(stream), service);
        let connection = self.graceful.watch(connection);
        async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %peer, "a connection ended with an error");
            }
        }
    }
}
