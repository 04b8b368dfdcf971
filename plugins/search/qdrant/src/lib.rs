//! A search module over a collection of Qdrant that somebody else fills.
//!
//! ```yaml
//! search_modules:
//!   archive:
//!     plugin: qdrant
//!     enabled: true
//!     settings:
//!       url: https://vectors.lab.example:6333
//!       collection: knowledge_base
//!       model: all-MiniLM-L6-v2
//!       api_key: { env: QDRANT_API_KEY }
//! ```
//!
//! The question is embedded by the host's embedder (`provider` of the module),
//! which has to be the model that the collection was filled by. The server is
//! asked `POST url/collections/COLLECTION/points/query`, an interface that
//! Qdrant has since version 1.10. [`filter`] has what becomes of filters.
//!
//! Payloads become entries of this result (see
//! [`Documents`]); nothing is stored.
//!
//! ```
//! use gannet_plugin::prelude::SearchModule;
//! use gannet_qdrant::Qdrant;
//!
//! let descriptor = Qdrant::descriptor();
//! assert!(descriptor.needs.embedder);
//! ```

mod examples;
pub mod filter;

use gannet_federation::{Access, Documents, Fields, Question, Server, name_in_path};
use gannet_plugin::host::Health;
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{
    Context, Descriptor, Error, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::provider::{EmbedPurpose, EmbedRequest};
use gannet_plugin::search::ScoreKind;
use gannet_plugin::setup::Secret;
use serde::Deserialize;
use serde_json::{Map, Value, json};

gannet_plugin::export_plugin! {
    search_modules: [Qdrant],
}

/// Finds the nearest points of a collection.
pub struct Qdrant {
    settings: Settings,
    provider: Option<String>,
    server: Server,
    documents: Documents,
    path: String,
}

/// What the configuration can set.
#[settings]
pub struct Settings {
    /// The address of the server.
    #[setting(required)]
    pub url: String,
    /// The collection.
    #[setting(required)]
    pub collection: String,
    /// The key of the server, as { env: NAME } or { file: PATH }.
    pub api_key: Option<Secret>,
    /// The model that the vectors of the collection are of. A question that
    /// another model embedded is an error.
    #[setting(required)]
    pub model: String,
    /// The name of the vector, in a collection with several.
    pub vector: Option<String>,
    /// Minimum cosine similarity of a hit.
    #[setting(
        default = 0.2,
        min = 0.0,
        max = 1.0,
        agent,
        section = "Retrieval",
        step = 0.01
    )]
    pub similarity_threshold: f64,
    /// The fields of a payload that an entry is made of.
    pub fields: Fields,
    /// The kind of the entries.
    #[setting(default = "document".to_owned())]
    pub kind: String,
    /// What ids begin with; the name of the instance and a colon by default.
    pub id_prefix: Option<String>,
    /// Seconds for an answer.
    #[setting(default = 3.0, min = 0.001, max = 600.0)]
    pub timeout_seconds: f64,
    /// Failures in a row after which the server is not asked for a while; 0 for
    /// never.
    #[setting(default = 5)]
    pub failures: u32,
    /// Seconds of that while.
    #[setting(default = 30.0, min = 0.0, max = 86400.0)]
    pub pause_seconds: f64,
}

/// The answer of `points/query`.
#[derive(Deserialize)]
struct Answer {
    result: Points,
}

#[derive(Deserialize)]
struct Points {
    points: Vec<Point>,
}

#[derive(Deserialize)]
struct Point {
    /// A number or a UUID.
    id: Value,
    score: f64,
    #[serde(default)]
    payload: Option<Map<String, Value>>,
}

impl SearchModule for Qdrant {
    const NAME: &'static str = "qdrant";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Searches a collection of Qdrant by meaning. Use it for a situation or \
                           a concept that documents may describe in other words.";
        let descriptor = Descriptor::search_module(Self::NAME, "Qdrant", description)
            .needs_embedder()
            .with_query("What to look for, described in plain words.");
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let access = Access {
            timeout_seconds: settings.timeout_seconds,
            failures: settings.failures,
            pause_seconds: settings.pause_seconds,
        };
        let collection = name_in_path("collection", &settings.collection)?;
        let prefix = settings.id_prefix.clone();
        Ok(Self {
            provider: setup.provider.clone(),
            server: Server::new(&setup.instance, &settings.url, access)?,
            documents: Documents::new(setup, prefix, &settings.kind, settings.fields.clone())?,
            path: format!("/collections/{collection}/points/query"),
            settings,
        })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let settings = request.settings(&self.settings)?;
        let question = Question::of(&request, self.documents.zone(), context);
        let Some(filter) = filter::of(&question.filter, &self.documents) else {
            return Ok(Vec::new());
        };
        let mut body = json!({ "limit": request.limit, "with_payload": true });
        if !filter.is_null() {
            body["filter"] = filter;
        }
        let is_listed = question.is_blank();
        if is_listed {
            let time = &self.documents.fields().time;
            body["query"] = json!({ "order_by": { "key": time, "direction": "desc" } });
        } else {
            let text = question.text.clone();
            body["query"] = self.embed(text, context).await?.into();
            body["score_threshold"] = settings.similarity_threshold.into();
            if let Some(name) = &settings.vector {
                body["using"] = name.as_str().into();
            }
        }
        let answer: Answer = self
            .server
            .ask(self.request(&body, context)?, context)
            .await?;
        let points = answer.result.points.into_iter();
        let hits = points.filter_map(|point| self.hit(point, is_listed));
        Ok(question.fitting(hits, request.limit))
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(self.server.health())
    }
}

impl Qdrant {
    /// The question as a vector.
    ///
    /// # Errors
    /// [`Error::Unavailable`] where another model made it than the collection
    /// has.
    async fn embed(&self, question: String, context: &Context) -> Result<Vec<f32>> {
        let request = EmbedRequest::new(vec![question], EmbedPurpose::Query)
            .with_provider(self.provider.clone());
        let mut embedded = context.embed(request).await?;
        let (expected, model) = (&self.settings.model, &embedded.model.name);
        if expected != model {
            return Err(Error::Unavailable {
                message: format!(
                    "the collection has vectors of `{expected}`, and the question was embedded by \
                     `{model}`; set `provider` of the module to an embedder of that model"
                ),
            });
        }
        match embedded.vectors.pop() {
            Some(vector) if !vector.is_empty() => Ok(vector),
            _ => Err(Error::Provider {
                provider: model.clone(),
                message: "returned no vector for the question".to_owned(),
                retryable: false,
            }),
        }
    }

    fn request(&self, body: &Value, context: &Context) -> Result<HttpRequest> {
        // Whole seconds, and at least one.
        let seconds = self.server.timeout(context).as_secs().max(1);
        let request =
            HttpRequest::post_json(self.server.url(&self.path), body).query("timeout", seconds);
        Ok(match &self.settings.api_key {
            Some(key) => request.header("api-key", key.read()?),
            None => request,
        })
    }

    fn hit(&self, point: Point, is_listed: bool) -> Option<Hit> {
        let id = match &point.id {
            Value::String(id) => id.clone(),
            id => id.to_string(),
        };
        let entry = self.documents.entry(&id, point.payload?)?;
        let (score, kind) = match is_listed {
            true => (entry.timestamp.as_second() as f64, ScoreKind::None),
            false => (point.score, ScoreKind::Cosine),
        };
        Some(Hit::of_entry(entry, score, kind))
    }
}
