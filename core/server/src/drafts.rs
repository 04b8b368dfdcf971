//! Drafts of entries: what an agent prepares and a person finishes in a form.
//! They are kept in memory for an hour, as in ARIEL.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::extract::{JsonBody, PathOf};
use crate::problem::Problem;
use crate::random;
use crate::state::App;

/// How long a draft is kept.
const KEPT: Duration = Duration::from_secs(3600);
/// Drafts of a tenant at most.
const MOST: usize = 200;
/// Bytes of the drafts of a tenant at most.
const MOST_BYTES: usize = 4 << 20;
/// Bytes of the drafts of all tenants at most.
const MOST_BYTES_OF_ALL: usize = 64 << 20;

/// The drafts of the last hour.
#[derive(Default)]
pub(crate) struct Drafts(Mutex<HashMap<(String, String), (Instant, Draft)>>);

/// What an entry is to be.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DraftCreateRequest")]
pub(crate) struct DraftBody {
    /// The title.
    pub(crate) subject: String,
    /// The text.
    pub(crate) details: String,
    /// Who writes it.
    pub(crate) author: Option<String>,
    /// Which logbook.
    pub(crate) logbook: Option<String>,
    /// Which shift.
    pub(crate) shift: Option<String>,
    /// Its tags.
    #[serde(default)]
    pub(crate) tags: Option<Vec<String>>,
}

/// A draft.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Draft {
    /// Its id.
    draft_id: String,
    #[serde(flatten)]
    body: DraftBody,
}

/// A draft was kept.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DraftCreateResponse")]
pub(crate) struct DraftMade {
    /// Its id.
    draft_id: String,
    /// The same in a sentence.
    message: String,
}

impl DraftBody {
    /// How much it holds.
    fn bytes(&self) -> usize {
        let optional = [&self.author, &self.logbook, &self.shift];
        let optional = optional.into_iter().flatten();
        let texts = [&self.subject, &self.details].into_iter().chain(optional);
        let tags = self.tags.iter().flatten();
        texts.chain(tags).map(String::len).sum()
    }
}

impl Drafts {
    /// Keeps a draft of a tenant for an hour; its id.
    ///
    /// # Errors
    /// 503 where there are too many.
    pub(crate) fn keep(
        &self,
        tenant: &str,
        body: DraftBody,
        now: Instant,
    ) -> Result<String, Problem> {
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drafts.retain(|_, (made, _)| now.saturating_duration_since(*made) < KEPT);
        let bytes = body.bytes();
        let kept = drafts.iter().map(|((owner, _), (_, draft))| (owner, draft));
        let (mut count, mut own, mut all) = (0, bytes, bytes);
        for (owner, draft) in kept {
            all += draft.body.bytes();
            if owner == tenant {
                count += 1;
                own += draft.body.bytes();
            }
        }
        if count >= MOST || own > MOST_BYTES || all > MOST_BYTES_OF_ALL {
            let detail = "there are too many drafts; they are kept for an hour";
            return Err(Problem::unavailable("too_many_drafts", detail));
        }
        let draft_id = format!("draft-{}", random::hex(12));
        let draft = Draft {
            draft_id: draft_id.clone(),
            body,
        };
        let key = (tenant.to_owned(), draft_id.clone());
        drafts.insert(key, (now, draft));
        Ok(draft_id)
    }

    fn get(&self, tenant: &str, draft_id: &str, now: Instant) -> Option<Draft> {
        let drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (tenant.to_owned(), draft_id.to_owned());
        let (made, draft) = drafts.get(&key)?;
        (now.saturating_duration_since(*made) < KEPT).then(|| draft.clone())
    }
}

/// `POST /api/drafts`.
pub(crate) async fn create(
    app: App,
    JsonBody(body): JsonBody<DraftBody>,
) -> Result<Json<DraftMade>, Problem> {
    let draft_id = app
        .lasting
        .drafts
        .keep(app.tenant(), body, Instant::now())?;
    Ok(Json(DraftMade {
        message: format!("Draft {draft_id} created"),
        draft_id,
    }))
}

/// `GET /api/drafts/{draft_id}`.
pub(crate) async fn show(
    app: App,
    PathOf(draft_id): PathOf<String>,
) -> Result<Json<Draft>, Problem> {
    let draft = app
        .lasting
        .drafts
        .get(app.tenant(), &draft_id, Instant::now());
    let draft = draft.ok_or_else(|| Problem::not_found(format!("Draft {draft_id} not found")))?;
    Ok(Json(draft))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_draft_is_there_for_an_hour_and_then_gone() {
        let drafts = Drafts::default();
        let body = DraftBody {
            subject: "Pump".to_owned(),
            details: "Exchanged.".to_owned(),
            author: None,
            logbook: None,
            shift: None,
            tags: None,
        };
        let start = Instant::now();
        let id = drafts.keep("a", body.clone(), start).unwrap();
        assert!(drafts.get("a", &id, start + KEPT / 2).is_some());
        assert!(drafts.get("b", &id, start).is_none());
        assert!(drafts.get("a", &id, start + KEPT).is_none());
        assert!(drafts.get("a", "../../etc/passwd", start).is_none());
        for _ in 1..MOST {
            drafts.keep("a", body.clone(), start).unwrap();
        }
        assert_eq!(
            drafts.keep("a", body.clone(), start).unwrap_err().status,
            503
        );
        // Another tenant has room of its own.
        assert!(drafts.keep("b", body.clone(), start).is_ok());
        assert!(drafts.keep("a", body, start + KEPT).is_ok());
    }

    #[test]
    fn the_drafts_of_a_tenant_have_a_size_and_so_have_all() {
        let drafts = Drafts::default();
        let body = DraftBody {
            subject: "Pump".to_owned(),
            details: "x".repeat((MOST_BYTES / 2) - 100),
            author: None,
            logbook: None,
            shift: None,
            tags: None,
        };
        let start = Instant::now();
        let keep = |tenant: &str| drafts.keep(tenant, body.clone(), start).map(drop);
        for tenant in 0..MOST_BYTES_OF_ALL / MOST_BYTES {
            let tenant = tenant.to_string();
            assert_eq!([keep(&tenant), keep(&tenant)], [Ok(()), Ok(())]);
            assert_eq!(keep(&tenant).unwrap_err().code, "too_many_drafts");
        }
        assert_eq!(keep("the last").unwrap_err().code, "too_many_drafts");
    }
}
