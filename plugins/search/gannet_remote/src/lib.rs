//! A search module over another Gannet, by its HTTP interface: how one
//! facility searches several machines.
//!
//! ```yaml
//! search_modules:
//!   north:
//!     plugin: gannet_remote
//!     enabled: true
//!     settings:
//!       url: https://north.lab.example
//!       api_key: { env: NORTH_API_KEY }
//! ```
//!
//! The other Gannet is asked `POST url/api/search` in `mode`, without an
//! answer. Its entries are shown here with its name before their ids
//! (`north:SKY-0169`), and stored nowhere. Where they come from stays with them:
//! each hit says which modules found it there, and the metadata of each entry
//! has `remote`, with the id and the address that it has there.
//!
//! A question that another Gannet asked is not passed on, unless `max_hops`
//! says so: machines that ask each other do not ask in a circle, and of ten
//! that all ask each other, each is asked once.
//!
//! ```
//! use gannet_plugin::prelude::SearchModule;
//! use gannet_remote::GannetRemote;
//!
//! assert_eq!(GannetRemote::descriptor().name, "gannet_remote");
//! ```

mod examples;
pub mod filters;
mod reply;
#[cfg(test)]
mod tests;

use gannet_federation::{Access, Question, Server};
use gannet_plugin::host::{Call, Health};
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{
    Context, Descriptor, Diagnostic, Hit, Result, SearchModule, SearchRequest, Setup, settings,
};
use gannet_plugin::setup::Secret;
use serde_json::{Value, json};

use reply::Reply;

/// Entries that the other Gannet gives at most.
const RESULTS_AT_MOST: usize = 100;
/// The category of the note that a Gannet was not asked, because the question
/// came over others.
const NOT_PASSED_ON: &str = "not_passed_on";

gannet_plugin::export_plugin! {
    search_modules: [GannetRemote],
}

/// Finds the entries of another Gannet.
pub struct GannetRemote {
    settings: Settings,
    server: Server,
    prefix: String,
    zone: jiff::tz::TimeZone,
}

/// What the configuration can set.
#[settings]
pub struct Settings {
    /// The address of the other Gannet.
    #[setting(required)]
    pub url: String,
    /// A key of the other Gannet with the scope `search`, as { env: NAME } or
    /// { file: PATH }.
    pub api_key: Option<Secret>,
    /// The search module or pipeline there that is asked.
    #[setting(default = "rag".to_owned())]
    pub mode: String,
    /// What ids begin with; the name of the instance and a colon by default.
    pub id_prefix: Option<String>,
    /// Gannets that a question may go over, this one's request included. With
    /// 1, a question that came from another Gannet is not passed on.
    #[setting(default = 1, min = 1, max = 4)]
    pub max_hops: u8,
    /// Seconds for an answer.
    #[setting(default = 3.0, min = 0.001, max = 600.0)]
    pub timeout_seconds: f64,
    /// Failures in a row after which the other Gannet is not asked for a while;
    /// 0 for never.
    #[setting(default = 5)]
    pub failures: u32,
    /// Seconds of that while.
    #[setting(default = 30.0, min = 0.0, max = 86400.0)]
    pub pause_seconds: f64,
}

impl SearchModule for GannetRemote {
    const NAME: &'static str = "gannet_remote";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Searches the entries of another Gannet.";
        let descriptor = Descriptor::search_module(Self::NAME, "Another Gannet", description);
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
            prefix: prefix.unwrap_or_else(|| format!("{}:", setup.instance)),
            zone: setup.zone()?,
            settings,
        })
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        if context.call.hops >= self.settings.max_hops {
            context.diagnose(self.not_passed_on(context.call.hops));
            return Ok(Vec::new());
        }
        let question = Question::of(&request, &self.zone, context);
        let Some(filters) = filters::of(&question.filter, &self.prefix) else {
            return Ok(Vec::new());
        };
        let body = json!({
            // A question has at least a character; blank ones list.
            "query": if question.is_blank() { " " } else { question.text.as_str() },
            "mode": self.settings.mode,
            "max_results": request.limit.clamp(1, RESULTS_AT_MOST),
            "filters": filters,
            "advanced_params": { "answer": "none" },
        });
        let request_to_it = self.request(&body, context.call.hops)?;
        let reply: Reply = self.server.ask(request_to_it, context).await?;
        let name = self.server.instance();
        if reply.degraded {
            let note = Diagnostic::warning(name, format!("{name} answered in part"));
            context.diagnose(note.category("partial"));
        }
        if reply.has_note(NOT_PASSED_ON) {
            let message = format!("{name} answered without the Gannets that it asks itself");
            context.diagnose(Diagnostic::info(name, message).category(NOT_PASSED_ON));
        }
        let hits = reply.into_hits(self.server.instance(), &self.prefix);
        Ok(question.fitting(hits, request.limit))
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(self.server.health())
    }
}

impl GannetRemote {
    /// What the result says where the other Gannet is not asked.
    fn not_passed_on(&self, hops: u8) -> Diagnostic {
        let (name, most) = (self.server.instance(), self.settings.max_hops);
        let message = format!(
            "{name} was not asked: the question came over {hops} other {}, and `max_hops` of \
             {name} is {most}",
            if hops == 1 { "Gannet" } else { "Gannets" },
        );
        Diagnostic::info(name, message).category(NOT_PASSED_ON)
    }

    fn request(&self, body: &Value, hops: u8) -> Result<HttpRequest> {
        let request = HttpRequest::post_json(self.server.url("/api/search"), body)
            .header(Call::HOPS_HEADER, (hops + 1).to_string());
        Ok(match &self.settings.api_key {
            Some(key) => request.header("authorization", format!("Bearer {}", key.read()?)),
            None => request,
        })
    }
}
