//! Probes: whether the process answers, and whether it can do its work.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::routes::Routes;
use crate::state::App;

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Operations";
    routes.get::<(), Alive, _, _>(
        "/healthz",
        (TAG, "Whether the process answers", &[]),
        healthz,
    );
    let ready = (
        TAG,
        "Whether searches can be answered; 503 names what is missing",
        &[503][..],
    );
    routes.get::<(), Ready, _, _>("/readyz", ready, readyz);
    routes.also_answers::<Ready>("/readyz", 503, "What is missing");
    let health = (
        TAG,
        "Health in the form of ARIEL and of the Retriever",
        &[][..],
    );
    routes.get::<(), Health, _, _>("/health", health, health_of_ariel);
    let metrics = (TAG, "Metrics in the text format of Prometheus", &[503][..]);
    routes.get_file("/metrics", metrics, "text/plain", crate::metrics::show);
}

/// The process answers.
#[derive(Serialize, JsonSchema)]
struct Alive {
    /// `alive`.
    status: &'static str,
}

/// Whether searches can be answered.
#[derive(Serialize, JsonSchema)]
struct Ready {
    /// `ready` or `not_ready`.
    status: &'static str,
    /// What keeps searches from being answered.
    missing: Vec<String>,
    /// What is switched on and could not be had; searches go on without it.
    degraded: Vec<String>,
}

/// Health as ARIEL and the Retriever show it.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// `healthy` or `degraded`.
    status: &'static str,
    /// What is wrong, in a sentence.
    message: String,
    /// The version of the program.
    version: &'static str,
}

async fn healthz() -> Json<Alive> {
    Json(Alive { status: "alive" })
}

async fn readyz(app: App) -> Response {
    let ready = examine(&app).await;
    let status = match ready.missing.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(ready)).into_response()
}

async fn health_of_ariel(app: App) -> Json<Health> {
    let ready = examine(&app).await;
    let wrong: Vec<String> = ready.missing.into_iter().chain(ready.degraded).collect();
    let (status, message) = match wrong.is_empty() {
        true => (
            "healthy",
            "the store and all modules are available".to_owned(),
        ),
        false => ("degraded", wrong.join("; ")),
    };
    Json(Health {
        status,
        message,
        version: env!("CARGO_PKG_VERSION"),
    })
}

async fn examine(app: &App) -> Ready {
    let mut store = app.lasting.store_health.of(&app.gannet).await;
    if app.lasting.stop.is_raised() {
        store.missing.push("the server is stopping".to_owned());
    }
    store.degraded.extend(app.gannet.unavailable_plugins());
    Ready {
        status: match store.missing.is_empty() {
            true => "ready",
            false => "not_ready",
        },
        missing: store.missing,
        degraded: store.degraded,
    }
}
