//! A module that uses tasks, timers, sockets and an HTTP client of its own,
//! and asks the host.

use std::time::Duration;

use gannet_plugin::prelude::{Context, Descriptor, Error, Hit, Result, SearchModule, SearchRequest, Setup, settings};
use gannet_plugin::search::TextSearch;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

gannet_plugin::export_plugin! {
    runtime: tokio,
    search_modules: [Apart],
}

/// Fetches the question over HTTP from itself, and asks the host for it.
pub struct Apart(Settings);

/// What the configuration can set.
#[settings]
pub struct Settings {
    /// Words that are asked for beside the question.
    pub words: Vec<String>,
}

impl SearchModule for Apart {
    const NAME: &'static str = "apart";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let what = "Fetches the question over HTTP from itself.";
        Descriptor::search_module(Self::NAME, "Apart", what)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        // Fails outside of a runtime.
        tokio::spawn(std::future::ready(()));
        Ok(Self(settings))
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let mut words = vec![request.query];
        words.extend(self.0.words.clone());
        let fetched = over_http(words.join(" ")).await?;
        tokio::time::sleep(Duration::from_millis(1)).await;
        let context = context.clone();
        let asked = async move {
            let search = TextSearch::new(fetched, request.limit);
            context.text_search(search).await
        };
        tokio::spawn(asked).await.map_err(failed)?
    }
}

/// Serves a text once, and fetches it.
async fn over_http(text: String) -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let server = tokio::spawn(serve_once(listener, text));
    let response = reqwest::get(format!("http://{address}/"))
        .await
        .map_err(failed)?;
    let fetched = response.text().await.map_err(failed)?;
    server.await.map_err(failed)?.map_err(failed)?;
    Ok(fetched)
}

async fn serve_once(listener: TcpListener, text: String) -> std::io::Result<()> {
    let (mut client, _) = listener.accept().await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let length = text.len();
    let answer =
        format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}");
    client.write_all(answer.as_bytes()).await
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(error.to_string())
}
