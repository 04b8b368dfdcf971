//! The service on its socket: connections are taken, served within limits of
//! time, and brought to their end when the service stops.

use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

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
use crate::connection_share::ConnectionShare;
use crate::guard::Peer;
use crate::reload::{Epochs, Reloader};
use crate::retention;
use crate::unread_body::BodyRead;
use crate::watching;
use crate::write_timeout::WriteTimeout;

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
    epochs: Arc<Epochs>,
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
        let config = gannet.config().server.clone();
        let name = format!("{}:{}", config.host, config.port);
        let failed = |source| ServerError::Bind {
            address: name.clone(),
            source,
        };
        let host = (config.host.trim_matches(['[', ']']), config.port);
        let addresses: Vec<SocketAddr> = lookup_host(host).await.map_err(failed)?.collect();
        let epochs = Epochs::new(gannet, addresses.clone(), options)?;
        let listener = TcpListener::bind(&addresses[..]).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self {
            listener,
            address,
            epochs: Arc::new(epochs),
        })
    }

    /// The address that is listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What replaces the configuration while the service runs.
    pub fn reloader(&self) -> Reloader {
        Reloader::new(self.epochs.clone())
    }

    /// Answers requests until it is asked to stop. Requests under way then
    /// have `server.shutdown_timeout_seconds`; streams end with an event.
    pub async fn run(self, stop: Stop) {
        let epochs = self.epochs;
        let app = epochs.current.get().app.clone();
        let connections = Connections {
            epochs: epochs.clone(),
            open: Arc::new(Semaphore::new(app.config().max_connections)),
            share: Arc::default(),
            graceful: GracefulShutdown::new(),
        };
        drop(app);
        let gannet = || epochs.current.get().app.gannet.clone();
        let background = epochs.lasting.background.run(gannet, &stop);
        let watching = watching::run(epochs.clone(), &stop);
        let retention = retention::run(gannet, &epochs.lasting, &stop);
        let serving = async {
            tokio::select! {
                () = connections.accept(&self.listener) => {}
                () = stop.raised() => {}
            }
            epochs.lasting.stop.raise();
            drop(self.listener);
            epochs.mcp.close();
            let seconds = gannet().config().server.shutdown_timeout_seconds;
            let limit = Duration::from_secs(seconds);
            let ended = tokio::time::timeout(limit, connections.graceful.shutdown()).await;
            if ended.is_err() {
                tracing::warn!("some requests did not end in time and were cut off");
            }
            epochs.lasting.exports.flush().await;
        };
        // Requests do not wait for that: each instance starts before its first
        // call at the latest.
        let starting = gannet();
        let starting = tokio::spawn(async move { starting.start_plugins().await });
        tokio::join!(background, retention, watching, serving);
        starting.abort();
        epochs.lasting.logs.close().await;
    }
}

/// What connections are served with.
struct Connections {
    epochs: Arc<Epochs>,
    open: Arc<Semaphore>,
    share: Arc<ConnectionShare>,
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
                    let app = self.epochs.current.get().app.clone();
                    let most = app.config().max_connections_per_address;
                    let Some(held) = self.share.take(peer.ip(), most) else {
                        refuse(stream, peer);
                        continue;
                    };
                    let connection = self.serve(stream, peer);
                    tokio::spawn(async move {
                        connection.await;
                        drop((permit, held));
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
    /// also closes connections that are idle, and answers must be taken in time.
    fn serve(&self, stream: TcpStream, peer: SocketAddr) -> impl Future<Output = ()> + use<> {
        let epochs = self.epochs.clone();
        let seconds = epochs.current.get().app.config().read_timeout_seconds;
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (mut request, body_read) = BodyRead::of(request);
            request.extensions_mut().insert(Peer(peer));
            // Each request goes to the configuration of now and ends on it.
            let router = epochs.current.get().router.clone();
            let answer = TowerToHyperService::new(router).call(request);
            async move { Ok::<_, Infallible>(body_read.tell(answer.await?)) }
        });
        let limit = Duration::from_secs(seconds);
        let stream = WriteTimeout::new(stream, limit);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limit)
            .serve_connection(TokioIo::new(stream), service);
        let connection = self.graceful.watch(connection);
        async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %peer, "a connection ended with an error");
            }
        }
    }
}

/// Ends a connection of an address that holds too many. It is told so, where
/// that can be written at once: nothing is waited for.
fn refuse(stream: TcpStream, peer: SocketAddr) {
    const REFUSAL: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n\
        Content-Length: 0\r\nConnection: close\r\n\r\n";
    let told = stream.into_std();
    let told = told.and_then(|mut stream| stream.write(REFUSAL)).is_ok();
    tracing::debug!(%peer, told, "an address holds too many connections; see \
        `server.max_connections_per_address`");
}
