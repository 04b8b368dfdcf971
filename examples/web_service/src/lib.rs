//! A search service of the facility, as a search module. It is asked
//! `GET URL?q=QUESTION&limit=10`, and answers `[{"id": "E1", "score": 0.8}, …]`.

#[cfg(test)]
mod tests;

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::*;
use gannet_plugin::search::ScoreKind;
use serde::Deserialize;
use serde_json::json;

gannet_plugin::export_plugin! { search_modules: [WebService] }

/// Finds what a web service finds.
pub struct WebService(Settings);

/// What the configuration and a call can set.
#[settings]
pub struct Settings {
    /// The address of the service.
    #[setting(required)]
    pub url: String,
    /// Leave out what scores less.
    #[setting(min = 0.0, max = 1.0, agent, step = 0.05)]
    pub least_score: f64,
}

/// One result of the service.
#[derive(Deserialize)]
struct Found {
    id: String,
    score: f64,
}

impl SearchModule for WebService {
    const NAME: &'static str = "web_service";
    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let description = "Asks the search service of the facility.";
        let example = Example::new("keeps the order of the service", "rf trip")
            .with_entries(["E1", "E2"].map(|id| Entry::new(id, "log", Default::default(), "RF")))
            .with_setting("url", "http://localhost:8080/search")
            .against_http(json!([{"id": "E2", "score": 0.9}, {"id": "E1", "score": 0.4}]))
            .finds(["E2", "E1"]);
        Descriptor::search_module(Self::NAME, "Web service", description).with_example(example)
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings))
    }

    async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        let Settings { url, least_score } = request.settings(&self.0)?;
        let ask = HttpRequest::get(url).query("q", &request.query);
        let ask = ask.query("limit", request.limit);
        let found: Vec<Found> = context.http(ask).await?.json()?;
        let found = found.into_iter().filter(|one| one.score >= least_score);
        let found = found.map(|one| (one.id, one.score));
        context.hits_of(&request, ScoreKind::Other, found).await
    }
}
