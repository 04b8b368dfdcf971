//! Search modules and a reranker that fail in every way there is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use gannet_api::{
    Context, Descriptor, Error, Hit, PluginKind, Registration, RerankScore, Reranker, Result,
    ScoreKind, SearchModule, SearchRequest, Setup,
};
use gannet_core::{HostError, SearchInput, SearchResult};
use gannet_registry::Registry;
use gannet_tests::Host;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long a request may take in these tests.
pub const TIMEOUT: Duration = Duration::from_millis(400);

/// How a part behaves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Illness {
    /// Not at all: it answers.
    #[default]
    None,
    /// It answers an error.
    Error,
    /// It never answers, and waits.
    Hang,
    /// It answers too late, and holds its thread meanwhile.
    Slow,
    /// It panics.
    Panic,
    /// It answers what is no result.
    Garbage,
}

/// Every way to fail, each with the category of its note.
pub const ILLNESSES: [(Illness, &str); 5] = [
    (Illness::Error, "provider"),
    (Illness::Hang, "timeout"),
    (Illness::Slow, "timeout"),
    (Illness::Panic, "panic"),
    (Illness::Garbage, "invalid_result"),
];

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    illness: Illness,
}

impl gannet_api::Settings for Settings {}

impl Illness {
    /// What is configured.
    pub fn name(self) -> String {
        serde_json::to_string(&self).unwrap().replace('"', "")
    }

    async fn take_hold(self) -> Result<()> {
        match self {
            Self::None | Self::Garbage => Ok(()),
            Self::Error => Err(Error::Provider {
                provider: "sick".to_owned(),
                message: "out of order".to_owned(),
                retryable: false,
            }),
            Self::Hang => std::future::pending().await,
            Self::Slow => {
                std::thread::sleep(TIMEOUT + Duration::from_millis(50));
                Ok(())
            }
            Self::Panic => panic!("fell over"),
        }
    }
}

/// Finds the entries E-1 to E-3, unless it is ill.
pub struct Sick(Illness);

/// The most that a module of this program had left of its request's time, in
/// thousandths of it.
pub static MOST_LEFT: AtomicU64 = AtomicU64::new(0);

impl SearchModule for Sick {
    const NAME: &'static str = "sick";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Sick", "Fails as it is told.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings.illness))
    }

    async fn search(&self, _request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
        if let Some(left) = context.call.deadline.remaining() {
            let share = left.as_secs_f64() / TIMEOUT.as_secs_f64();
            MOST_LEFT.fetch_max((share * 1000.0) as u64, Ordering::Relaxed);
        }
        self.0.take_hold().await?;
        let hit = |place: u32| {
            let score = match self.0 {
                Illness::Garbage => f64::NAN,
                _ => 1.0 / f64::from(place),
            };
            Hit::new(format!("E-{place}"), "logbook", score, ScoreKind::Linear)
        };
        Ok((1..=3).map(hit).collect())
    }
}

/// Turns an order round, unless it is ill.
pub struct SickReranker(Illness);

impl Reranker for SickReranker {
    const NAME: &'static str = "sick_reranker";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let kind = PluginKind::Reranker;
        Descriptor::new(kind, Self::NAME, "Sick", "Fails as it is told.")
    }

    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        Ok(Self(settings.illness))
    }

    async fn rerank(
        &self,
        _query: String,
        documents: Vec<String>,
        _context: &Context,
    ) -> Result<Vec<RerankScore>> {
        self.0.take_hold().await?;
        let score = |index: usize| match self.0 {
            Illness::Garbage => f64::INFINITY,
            _ => index as f64,
        };
        let scores = (0..documents.len()).map(|index| RerankScore::new(index, score(index)));
        Ok(scores.collect())
    }
}

/// A host with three instances of the module, of which some are ill, and a
/// pipeline `rag` over them.
pub async fn host(illnesses: [Illness; 3], more: &[(&str, &str)]) -> Host {
    let own = [
        Registration::search_module::<Sick>("test", "1.0.0"),
        Registration::reranker::<SickReranker>("test", "1.0.0"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let names = illnesses.map(|illness| illness.name());
    let instances: Vec<(String, String)> = ["one", "two", "three"]
        .into_iter()
        .zip(names)
        .map(|(instance, illness)| {
            let key = format!("search_modules.{instance}");
            let value =
                format!("{{enabled: true, plugin: sick, settings: {{illness: {illness}}}}}");
            (key, value)
        })
        .collect();
    let mut settings: Vec<(&str, &str)> = instances
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    settings.push(("pipelines.rag.retrieval_modules", "[one, two, three]"));
    settings.extend(more);
    let host = Host::with_plugins(&settings, &registry).await;
    let entries = (1..=3).map(|place| {
        let time = "2025-03-01T08:00:00Z".parse().unwrap();
        let text = format!("The cavity tripped for the {place}. time.");
        gannet_api::Entry::new(format!("E-{place}"), "test", time, text)
    });
    host.gannet.store().upsert(entries.collect()).await.unwrap();
    host.gannet.store().flush().await.unwrap();
    host
}

/// Asks `rag` within [`TIMEOUT`].
pub async fn ask(host: &Host) -> std::result::Result<SearchResult, HostError> {
    let mut input = SearchInput::new("when did the cavity trip?");
    input.mode = Some("rag".to_owned());
    input.timeout = Some(TIMEOUT);
    host.gannet.search(input).await
}
