//! Plugins that need tokio, for the tests of loading.

use std::time::Duration;

use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, NoSettings, Result, SearchModule, SearchRequest, Setup,
    settings,
};
use gannet_plugin::search::TextSearch;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

gannet_plugin::export_plugin! {
    runtime: tokio,
    search_modules: [Lasting, Using],
}

/// Is not done when nobody waits for it any more.
pub struct Lasting(Settings);

/// What the configuration can set.
#[settings]
#[derive(Copy)]
pub struct Settings {
    /// How a call lasts.
    pub way: Way,
    /// How long it blocks.
    pub milliseconds: u64,
}

/// How a call lasts.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It blocks its thread.
    #[default]
    Blocks,
    /// It waits for ever.
    Waits,
    /// It ends, and work of it goes on, on another thread.
    LeavesWork,
}

impl SearchModule for Lasting {
    const NAME: &'static str = "lasting";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Lasting", "Is not done when nobody waits.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        let duration = Duration::from_millis(self.0.milliseconds);
        match self.0.way {
            Way::Blocks => std::thread::sleep(duration),
            Way::Waits => std::future::pending().await,
            Way::LeavesWork => drop(tokio::task::spawn_blocking(move || {
                std::thread::sleep(duration);
            })),
        }
        Ok(Vec::new())
    }
}

/// Uses what tokio has: tasks, timers, sockets. Its task asks the host.
pub struct Using;

impl SearchModule for Using {
    const NAME: &'static str = "using";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Using", "Uses tasks, timers and sockets.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        // Fails outside of a runtime.
        tokio::spawn(std::future::ready(()));
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let sent = over_a_socket(&request.query).await.map_err(failed)?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        let context = context.clone();
        let asked = async move {
            let search = TextSearch::new(sent, request.limit);
            context.text_search(search).await
        };
        tokio::spawn(asked).await.map_err(failed)?
    }
}

async fn over_a_socket(text: &str) -> std::io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let mut sender = TcpStream::connect(listener.local_addr()?).await?;
    let (mut receiver, _) = listener.accept().await?;
    sender.write_all(text.as_bytes()).await?;
    drop(sender);
    let mut received = String::new();
    receiver.read_to_string(&mut received).await?;
    Ok(received)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(error.to_string())
}
