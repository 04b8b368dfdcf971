//! An OpenAI-compatible face: pipelines as chat models, the embedders and the
//! rerankers. A chat client answers from the logbook without knowing of it.

mod chat;
mod embeddings;
mod error;
mod models;
mod rerank;

pub(crate) use error::{ErrorBody, in_openais_form, is_openai};

use crate::routes::Routes;

/// Statuses of the errors of a call that names a model.
const STATUSES: &[u16] = &[400, 401, 403, 404, 415, 503, 504];

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "OpenAI";
    let about = (TAG, "Answer a conversation by a pipeline", STATUSES);
    routes.post::<chat::ChatBody, chat::Completion, _, _>(
        "/v1/chat/completions",
        about,
        chat::complete,
    );
    routes.may_stream("/v1/chat/completions");
    let about = (TAG, "Pipelines and search modules", &[401, 403][..]);
    routes.get::<(), models::Models, _, _>("/v1/models", about, models::list);
    let about = (TAG, "A pipeline or search module", &[401, 403, 404][..]);
    routes.get::<(), models::Model, _, _>("/v1/models/{model}", about, models::show);
    let about = (TAG, "Embed texts", STATUSES);
    routes.post::<embeddings::EmbeddingsBody, embeddings::EmbeddingsReply, _, _>(
        "/v1/embeddings",
        about,
        embeddings::embed,
    );
    let about = (TAG, "Score documents against a question", STATUSES);
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
