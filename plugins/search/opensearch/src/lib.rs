//! A search module over an index of OpenSearch or Elasticsearch that somebody
//! else fills.
//!
//! ```yaml
//! search_modules:
//!   archive:
//!     plugin: opensearch
//!     enabled: true
//!     settings:
//!       url: https://search.lab.example:9200
//!       index: documents
//!       authorization: { env: ARCHIVE_AUTHORIZATION }
//! ```
//!
//! The server is asked `POST url/index/_search` with a query of the query DSL:
//! `bool.must.match` on the field with the text, and the filters of the request
//! as `bool.filter`. [`query`] has what becomes of operators and filters. The
//! score is `_score / score_divisor`, 10 as in OctoLLM's retriever.
//!
//! Documents become entries of this result (see
//! [`Documents`]); nothing is stored.
//!
//! ```
//! use gannet_opensearch::OpenSearch;
//! use gannet_plugin::prelude::SearchModule;
//!
//! assert_eq!(OpenSearch::descriptor().name, "opensearch");
//! ```

mod examples;
pub mod query;
mod response;

use gannet_federation::{Access, Documents, Fields, Question, Server, name_in_path};
use gannet_plugin::host::Health;
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{
    Context, Descriptor, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::setup::Secret;
use serde_json::{Value, json};

use query::Wanted;
use response::Response;

gannet_plugin::export_plugin! {
    search_modules: [OpenSearch],
}

/// Finds the documents of an index.
pub struct OpenSearch {
    settings: Settings,
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
    /// The index, or several with commas and `*`.
    #[setting(required)]
    pub index: String,
    /// The header `Authorization`, such as `Basic …` or `ApiKey …`, as
    /// { env: NAME } or { file: PATH }.
    pub authorization: Option<Secret>,
    /// The fields of a document that an entry is made of.
    pub fields: Fields,
    /// What is added to the name of a text field to compare its whole value,
    /// such as `.keyword` for fields that the server mapped by itself.
    pub exact_suffix: String,
    /// The kind of the entries.
    #[setting(default = "document".to_owned())]
    pub kind: String,
    /// What ids begin with; the name of the instance and a colon by default.
    pub id_prefix: Option<String>,
    /// The score of the server is divided by this.
    #[setting(default = 10.0, min = 0.000001)]
    pub score_divisor: f64,
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

impl SearchModule for OpenSearch {
    const NAME: &'static str = "opensearch";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Searches an index of OpenSearch or Elasticsearch by words. Takes \
                           \"phrases\", AND, OR, NOT, prefix* and fields such as author: and date:.";
        let descriptor = Descriptor::search_module(Self::NAME, "OpenSearch", description)
            .with_query("Search terms, as of the keyword search.");
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        let access = Access {
            timeout_seconds: settings.timeout_seconds,
            failures: settings.failures,
            pause_seconds: settings.pause_seconds,
        };
        let prefix = settings.id_prefix.clone();
        Ok(Self {
            server: Server::new(&setup.instance, &settings.url, access)?,
            documents: Documents::new(setup, prefix, &settings.kind, settings.fields.clone())?,
            path: format!("/{}/_search", name_in_path("index", &settings.index)?),
            settings,
        })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let question = Question::of(&request, self.documents.zone(), context);
        let Some(wanted) = Wanted::of(&question, &self.documents, &self.settings.exact_suffix)?
        else {
            return Ok(Vec::new());
        };
        let ask = self.request(&self.body(&question, wanted, request.limit, context))?;
        let response: Response = self.server.ask(ask, context).await?;
        if let Some(part) = response.missing_part() {
            if response.hits.hits.is_empty() {
                return Err(self.server.failure(part));
            }
            context.diagnose(response::partial(self.server.instance(), &part));
        }
        let by_time = question.is_blank();
        let found = response.into_hits(&self.documents, self.settings.score_divisor, by_time);
        Ok(question.fitting(found.into_iter(), request.limit))
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(self.server.health())
    }
}

impl OpenSearch {
    fn body(&self, question: &Question, wanted: Wanted, limit: usize, context: &Context) -> Value {
        let timeout = self.server.timeout(context).as_millis().max(1);
        let mut body = json!({
            "query": wanted.query,
            "size": limit,
            "timeout": format!("{timeout}ms"),
            "track_total_hits": false,
        });
        if question.is_blank() {
            let time = &self.documents.fields().time;
            body["sort"] = json!([{ time: { "order": "desc", "unmapped_type": "date" } }]);
        }
        body
    }

    fn request(&self, body: &Value) -> Result<HttpRequest> {
        let request = HttpRequest::post_json(self.server.url(&self.path), body);
        Ok(match &self.settings.authorization {
            Some(secret) => request.header("authorization", secret.read()?),
            None => request,
        })
    }
}
