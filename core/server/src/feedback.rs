//! `/api/feedback`: what users say of answers and entries, where the
//! configuration has it kept.

use axum::Json;
use gannet_core::api::Error;
use gannet_core::{Feedback, FeedbackSubject, HostError, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ariel::Presenter;
use crate::extract::JsonBody;
use crate::problem::Problem;
use crate::routes::Routes;
use crate::state::App;

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "Feedback";
    let about = (
        TAG,
        "Keeps what the caller says of an answer or an entry",
        &[400, 415, 422, 503][..],
    );
    routes.post::<FeedbackBody, FeedbackReply, _, _>("/api/feedback", about, add_one);
    let about = (TAG, "What was said, the oldest first", &[503][..]);
    routes.get::<(), Vec<FeedbackReply>, _, _>("/api/feedback", about, list);
    let about = (TAG, "Deletes all that was said", &[503][..]);
    routes.delete::<FeedbackDeleted, _, _>("/api/feedback", about, delete_all);
}

/// What the caller says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FeedbackRequest")]
struct FeedbackBody {
    /// The question that was asked.
    question: String,
    /// What is said.
    verdict: Verdict,
    /// The entry that it is said of; the answer when missing.
    #[serde(default)]
    entry_id: Option<String>,
    /// The entries that the answer cites.
    #[serde(default)]
    citations: Vec<String>,
    /// The `answer_confidence` of the answer.
    #[serde(default)]
    answer_confidence: Option<f64>,
    /// The `mode` of the answer; one without it fits no threshold.
    #[serde(default)]
    mode: Option<String>,
}

/// What was said.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Feedback")]
struct FeedbackReply {
    /// The question.
    question: String,
    /// What was said.
    verdict: Verdict,
    /// The entry; null where it was said of the answer.
    entry_id: Option<String>,
    /// The entries that the answer cites.
    citations: Vec<String>,
    /// The probability of being right that the answer had.
    answer_confidence: Option<f64>,
    /// The mode that gave the answer.
    mode: Option<String>,
    /// When.
    at: String,
}

/// What was deleted.
#[derive(Debug, Serialize, JsonSchema)]
struct FeedbackDeleted {
    /// How many were deleted.
    deleted: u64,
}

/// `POST /api/feedback`.
async fn add_one(
    app: App,
    JsonBody(body): JsonBody<FeedbackBody>,
) -> Result<Json<FeedbackReply>, Problem> {
    let is_of_answer =
        !body.citations.is_empty() || body.answer_confidence.is_some() || body.mode.is_some();
    if body.entry_id.is_some() && is_of_answer {
        let message =
            "`citations`, `answer_confidence` and `mode` are of an answer, without `entry_id`";
        return Err(HostError::from(Error::invalid_input(message)).into());
    }
    let is_of_nothing = body.entry_id.is_none() && body.citations.is_empty() && body.mode.is_none();
    let subject = match body.entry_id {
        Some(entry_id) => FeedbackSubject::Entry { entry_id },
        None => FeedbackSubject::Answer {
            citations: body.citations,
            confidence: body.answer_confidence,
            mode: body.mode,
        },
    };
    let feedback = Feedback::new(&body.question, subject, body.verdict);
    let feedback = feedback.map_err(HostError::from)?;
    if is_of_nothing {
        let message = "feedback of an entry needs its `entry_id`, that of an answer its \
                       `citations` or its `mode`";
        return Err(HostError::from(Error::invalid_input(message)).into());
    }
    let kept = feedback.clone();
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let caller = app.caller().name.clone();
    let added = async move { gannet.add_feedback(&tenant, &caller, &kept).await };
    app.compute(added).await?;
    Ok(Json(reply(feedback, &Presenter::new(&app.gannet))))
}

/// `GET /api/feedback`.
async fn list(app: App) -> Result<Json<Vec<FeedbackReply>>, Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let said = app
        .compute(async move { gannet.feedback(&tenant).await })
        .await?;
    let presenter = Presenter::new(&app.gannet);
    let replies = said.into_iter().map(|one| reply(one, &presenter));
    Ok(Json(replies.collect()))
}

/// `DELETE /api/feedback`.
async fn delete_all(app: App) -> Result<Json<FeedbackDeleted>, Problem> {
    let (gannet, tenant) = (app.gannet.clone(), app.tenant().to_owned());
    let deleted = app
        .compute(async move { gannet.delete_feedback(&tenant).await })
        .await?;
    Ok(Json(FeedbackDeleted { deleted }))
}

fn reply(feedback: Feedback, presenter: &Presenter<'_>) -> FeedbackReply {
    let (entry_id, citations, answer_confidence, mode) = match feedback.subject {
        FeedbackSubject::Entry { entry_id } => (Some(entry_id), Vec::new(), None, None),
        FeedbackSubject::Answer {
            citations,
            confidence,
            mode,
        } => (None, citations, confidence, mode),
    };
    FeedbackReply {
        question: feedback.question,
        verdict: feedback.verdict,
        entry_id,
        citations,
        answer_confidence,
        mode,
        at: presenter.time(feedback.at),
    }
}
