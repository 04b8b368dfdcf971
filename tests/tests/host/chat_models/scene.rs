//! A host with three entries and a scripted model.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gannet_api::{Event, Events};
use gannet_core::{SearchInput, SearchResult};
use gannet_test_model_server::{Asked, ModelServer, Reply};
use gannet_tests::Host;
use regex::Regex;
use serde_json::{Value, json};

/// What is asked.
pub const QUESTION: &str = "why did the cavity trip?";

/// A host, its model, and what it told on the way.
pub struct Scene {
    pub host: Host,
    pub server: ModelServer,
    heard: Arc<Mutex<Vec<Event>>>,
}

impl Scene {
    /// With a model that gives these answers.
    pub async fn scripted(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(ModelServer::start(replies), &[]).await
    }

    /// With this model, and these settings.
    pub async fn with(server: ModelServer, more: &[(&str, &str)]) -> Self {
        let provider = format!(
            "{{plugin: openai, settings: {{base_url: \"{}/v1\", model: small}}}}",
            server.url()
        );
        let mut settings = vec![
            ("providers.scripted", provider.as_str()),
            ("reasoning.provider", "scripted"),
        ];
        settings.extend(more);
        let host = Host::with(&settings).await;
        ingest(&host).await;
        Self {
            host,
            server,
            heard: Arc::default(),
        }
    }

    /// Asks, and waits this long at most.
    pub async fn ask(&self, mode: &str, timeout: Duration) -> SearchResult {
        let heard = Arc::clone(&self.heard);
        let mut input = SearchInput::new(QUESTION);
        input.mode = Some(mode.to_owned());
        input.max_results = Some(3);
        input.timeout = Some(timeout);
        input.events = Events::to(move |event| heard.lock().unwrap().push(event));
        self.host.gannet.search(input).await.unwrap()
    }

    /// The names of what was told, in order, a run of the same once.
    pub fn told(&self) -> Vec<String> {
        let mut names: Vec<String> = self.heard.lock().unwrap().iter().map(name).collect();
        names.dedup();
        names
    }

    /// What the model was asked, one body a request, without what differs
    /// from run to run.
    pub fn bodies(&self) -> Vec<Value> {
        let asked = self.server.requests();
        asked.iter().map(|one: &Asked| stable(&one.body)).collect()
    }
}

/// Three entries, with their vectors.
pub async fn ingest(host: &Host) {
    let record = |id: &str, day: u32, author: &str, text: &str| {
        json!({
            "id": id,
            "timestamp": format!("2024-01-{day:02}T08:00:00Z"),
            "author": author,
            "text": text,
        })
    };
    let records = [
        record("A", 3, "ann", "The cavity tripped on reflected power."),
        record(
            "B",
            5,
            "bob",
            "The trips of the cavity were caused by a worn circulator.",
        ),
        record("C", 7, "ann", "Leak at the flange of sector 7, tightened."),
    ];
    host.ingest_lines(&records).await;
    host.enhance().await;
}

fn name(event: &Event) -> String {
    match event {
        Event::Stage { stage, .. } => stage.clone(),
        Event::Hit { .. } => "hit".to_owned(),
        Event::Answer { .. } => "answer".to_owned(),
        Event::Token { .. } => "token".to_owned(),
        Event::Citation { .. } => "citation".to_owned(),
        Event::End => "end".to_owned(),
        _ => "other".to_owned(),
    }
}

/// The mark of the fence is another for each text, and today another each day.
fn stable(body: &Value) -> Value {
    let nonce = Regex::new("[0-9a-f]{16}").unwrap();
    let today = Regex::new(r"Today is \d{4}-\d{2}-\d{2}").unwrap();
    let text = body.to_string();
    let text = nonce.replace_all(&text, "NONCE");
    serde_json::from_str(&today.replace_all(&text, "Today is TODAY")).unwrap()
}
