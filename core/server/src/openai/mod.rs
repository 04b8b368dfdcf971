//! An OpenAI-compatible face: pipelines as chat models, the embedders and the
//! rerankers. A chat client answers from the logbook without knowing of it.

mod chat;
mod embeddings;
mod models;
mod rerank;

use crate::routes::Routes;

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "OpenAI";
    let about = (
        TAG,
        "Answer a conversation by a pipeline",
        &[400, 415, 422, 502, 503, 504][..],
    );
    routes.post::<chat::ChatBody, chat::Completion, _, _>(
        "/v1/chat/completions",
        about,
        chat::complete,
    );
    let about = (TAG, "Pipelines, search modules and embedders", &[][..]);
    routes.get::<(), models::Models, _, _>("/v1/models", about, models::show);
    let about = (TAG, "Embed texts", &[400, 415, 422, 502, 503, 504][..]);
    routes.post::<embeddings::EmbeddingsBody, embeddings::EmbeddingsReply, _, _>(
        "/v1/embeddings",
        about,
        embeddings::embed,
    );
    let about = (
        TAG,
        "Score documents against a question",
        &[400, 415, 422, 502, 503, 504][..],
    );
    routes.post::<rerank::RerankBody, rerank::RerankReply, _, _>(
        "/v1/rerank",
        about,
        rerank::rerank,
    );
}

/// Seconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}
