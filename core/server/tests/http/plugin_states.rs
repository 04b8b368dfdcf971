//! The states of plugins, with what is wrong in words that name no server to
//! whoever is no administrator.

use gannet_core::api::{
    Context, Descriptor, Error, Health, Hit, NoSettings, Registration, Result, SearchModule,
    SearchRequest, Setup,
};
use gannet_core::registry::Registry;
use gannet_server::auth::Scope;
use gannet_tests::Host;
use reqwest::Method;
use serde_json::{Value, json};

use crate::logins::key;
use crate::service::{Answer, Service};

/// Cannot start.
struct Broken;

impl SearchModule for Broken {
    const NAME: &'static str = "broken";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Broken", "Does not start.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn start(&self, _context: &Context) -> Result<()> {
        Err(Error::internal("10.1.2.3:9000 answered 401: canary"))
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

/// Works, and says that something is wrong.
struct Ill;

impl SearchModule for Ill {
    const NAME: &'static str = "ill";

    type Settings = NoSettings;

    fn descriptor() -> Descriptor {
        Descriptor::search_module(Self::NAME, "Ill", "Has little ink.")
    }

    fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
        Ok(Self)
    }

    async fn health(&self, _context: &Context) -> Result<Health> {
        Ok(Health::degraded("little ink"))
    }

    async fn search(&self, _request: SearchRequest, _context: &Context) -> Result<Vec<Hit>> {
        Ok(Vec::new())
    }
}

async fn service() -> Service {
    let own = [
        Registration::search_module::<Broken>("test", "1.0.0"),
        Registration::search_module::<Ill>("test", "1.0.0"),
    ];
    let registry = Registry::of(Registration::linked().copied().chain(own)).unwrap();
    let settings = [
        ("server.port", "0"),
        ("server.auth.required", "true"),
        ("search_modules.broken.enabled", "true"),
        ("search_modules.ill.enabled", "true"),
    ];
    let host = Host::with_plugins(&settings, &registry).await;
    host.gannet.start_plugins().await;
    Service::over(host).await
}

async fn plugins(service: &Service, key: &str) -> Value {
    let request = service
        .request(Method::GET, "/api/plugins")
        .bearer_auth(key);
    Answer::of(request.send().await.unwrap()).await.json(200)
}

fn state(plugins: &Value, name: &str) -> Value {
    let mut plugins = plugins.as_array().unwrap().iter();
    let plugin = plugins.find(|plugin| plugin["name"] == name).unwrap();
    json!([plugin["state"], plugin["reason"], plugin["quarantined"]])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_listed_with_its_state_and_what_is_wrong() {
    let service = service().await;
    let reader = plugins(&service, &key(&service, "default", &[Scope::Search])).await;
    assert_eq!(state(&reader, "keyword"), json!(["started", null, false]));
    assert_eq!(
        state(&reader, "ill"),
        json!(["degraded", "little ink", false])
    );
    let told = "search module `broken` could not start; the log has the reason";
    assert_eq!(state(&reader, "broken"), json!(["degraded", told, false]));
    assert!(!reader.to_string().contains("canary"));

    let admin = [Scope::Search, Scope::Admin];
    let admin = plugins(&service, &key(&service, "default", &admin)).await;
    let reason = state(&admin, "broken")[1].to_string();
    assert!(
        reason.contains("10.1.2.3:9000 answered 401: canary"),
        "{reason}"
    );
}
