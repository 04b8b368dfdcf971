//! A service on a free port, and a client.

use std::net::SocketAddr;

use gannet_core::{Gannet, Stop};
use gannet_server::{BindOptions, Reloader, Server};
use gannet_test_model_server::ModelServer;
use gannet_tests::Host;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

pub struct Service {
    pub host: Host,
    pub address: SocketAddr,
    pub stop: Stop,
    pub running: JoinHandle<()>,
    pub reloader: Reloader,
    client: Client,
}

impl Service {
    /// With three entries.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// The same, with these settings.
    pub async fn with(settings: &[(&str, &str)]) -> Self {
        let mut all = vec![("server.port", "0")];
        all.extend(settings);
        let host = Host::with(&all).await;
        host.ingest_lines(&records()).await;
        Self::over(host).await
    }

    /// The same, with a scripted chat model.
    pub async fn with_model(model: &ModelServer, settings: &[(&str, &str)]) -> Self {
        let provider = format!(
            "{{plugin: openai, settings: {{base_url: \"{}/v1\", model: small}}}}",
            model.url()
        );
        let mut all = vec![
            ("providers.scripted", provider.as_str()),
            ("reasoning.provider", "scripted"),
        ];
        all.extend(settings);
        Self::with(&all).await
    }

    /// A service of this host.
    pub async fn over(host: Host) -> Self {
        let server = Server::bind(host.gannet.clone(), BindOptions::default());
        let server = server.await.unwrap();
        let (address, stop) = (server.address(), Stop::default());
        let reloader = server.reloader();
        let running = tokio::spawn(server.run(stop.clone()));
        Self {
            host,
            address,
            stop,
            running,
            reloader,
            client: Client::new(),
        }
    }

    pub fn gannet(&self) -> &Gannet {
        &self.host.gannet
    }

    /// The names of all modes.
    pub fn modes(&self) -> Vec<String> {
        let modes = self.gannet().modes().into_iter();
        modes.map(|mode| mode.name).collect()
    }

    /// Takes these settings, as if the file had been changed.
    pub async fn reload(&self, settings: &[(&str, &str)]) {
        let mut all = vec![("server.port", "0")];
        all.extend(settings);
        let config = gannet_tests::config(self.host.folder.path(), &all);
        self.reloader.reload(config).await.unwrap();
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("http://{}{path}", self.address))
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path).send().await.unwrap()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        let request = self.request(Method::POST, path).json(&body);
        Answer::of(request.send().await.unwrap()).await
    }

    /// What a raw request is answered with, until the server closes.
    pub async fn raw(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// An answer with its body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    pub async fn of(response: Response) -> Self {
        Self {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await.unwrap(),
        }
    }

    /// The body of an answer of this status.
    pub fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        serde_json::from_str(&self.text).unwrap()
    }

    /// The code of the problem, which is a whole one.
    pub fn problem(&self, status: u16) -> String {
        let problem = self.json(status);
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(problem["status"], status);
        assert_eq!(problem["request_id"], self.header("x-request-id"));
        assert!(problem["detail"].is_string() && problem["title"].is_string());
        problem["code"].as_str().unwrap().to_owned()
    }

    /// Type, parameter and code of an error in OpenAI's form, which is whole.
    pub fn openai_error(&self, status: u16) -> [Value; 3] {
        let body = self.json(status);
        assert_eq!(self.header("content-type"), "application/json");
        let error = body["error"].as_object().unwrap();
        let members: Vec<&str> = error.keys().map(String::as_str).collect();
        assert_eq!(members, ["message", "type", "param", "code"]);
        assert!(!error["message"].as_str().unwrap().is_empty());
        ["type", "param", "code"].map(|name| error[name].clone())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

pub fn records() -> Vec<Value> {
    let record = |id: &str, day: u32, author: &str, text: &str| {
        json!({
            "id": id,
            "timestamp": format!("2024-01-{day:02}T08:00:00Z"),
            "author": author,
            "source_system": "eLog",
            "text": text,
        })
    };
    vec![
        record(
            "A",
            3,
            "Lee",
            "The cavity tripped on reflected power. The klystron was reset.",
        ),
        record("B", 5, "Voss", "Leak at the flange of sector 7, tightened."),
        record(
            "C",
            7,
            "Lee",
            "The cavity tripped again because of a worn circulator.",
        ),
    ]
}

/// The members of a list by a key.
pub fn column(list: &Value, key: &str) -> Vec<String> {
    let members = list.as_array().unwrap().iter();
    members
        .map(|member| member[key].as_str().unwrap().to_owned())
        .collect()
}
