//! A search module whose searches wait until a test lets them end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gannet_core::api::{
    Context, Descriptor, Error, Hit, NoSettings, Registration, Result, SearchModule, SearchRequest,
    Setup,
};
use gannet_core::registry::Registry;
use gannet_tests::Host;
use tokio::sync::Semaphore;

use crate::service::Service;

/// By the text of the query, which each test has of its own.
static GATES: Mutex<Option<HashMap<String, Arc<Semaphore>>>> = Mutex::new(None);

/// What searches of this text wait for; closing it lets them end.
pub fn gate(query: &str) -> Arc<Semaphore> {
    let mut gates = GATES.lock().unwrap_or_else(PoisonError::into_inner);
    let gates = gates.get_or_insert_default();
    let gate = gates.entry(query.to_owned());
    gate.or_insert_with(|| Arc::new(Semaphore::new(0))).clone()
}

/// Finds nothing, as soon as it may.
struct Held;

impl SearchModule for Held {
    const NAME: &'static str = "held";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Held", "Finds nothing, as soon as it may.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn search(&self, request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        match gate(&request.query).acquire().await {
            Ok(_) => Err(Error::internal("the gate is opened by closing it")),
            Err(_) => Ok(Vec::new()),
        }
    }
}

/// A service with that module beside the others.
pub async fn service(settings: &[(&str, &str)]) -> Service {
    let own = [Registration::search_module::<Held>("test", "1.0.0")];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let mut all = vec![
        ("server.port", "0"),
        ("search_modules.held.enabled", "true"),
        ("server.requests_per_minute", "0"),
    ];
    all.extend(settings);
    Service::over(Host::with_plugins(&all, &registry).await).await
}

/// Waits until this line is among the metrics.
pub async fn until_metric(service: &Service, line: &str) {
    while !service
        .get("/metrics")
        .await
        .text
        .lines()
        .any(|one| one == line)
    {
        tokio::task::yield_now().await;
    }
}
