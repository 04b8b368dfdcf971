//! The interface of ARIEL: what its web client and its users' scripts call.
//! Differences stand in docs/compatibility.md.

mod batch;
mod capabilities;
mod create;
mod entries;
mod entry;
mod filter_options;
mod idempotency;
mod key_use;
mod multipart;
mod publication;
mod publish_info;
mod search;
mod status;
mod upload;

pub(crate) use entry::{EntryReply, Presenter};
pub(crate) use idempotency::LONGEST_KEY;
pub(crate) use search::{SearchBody, SearchReply, named_filters};
pub(crate) use status::Contents;

use crate::guard::UPLOAD;
use crate::routes::Routes;
use crate::{attachments, drafts};

/// Adds the routes.
pub(crate) fn add(routes: &mut Routes) {
    const TAG: &str = "ARIEL";
    let about = (
        TAG,
        "The modes that are enabled, with their parameters",
        &[][..],
    );
    routes.get::<(), capabilities::Capabilities, _, _>(
        "/api/capabilities",
        about,
        capabilities::show,
    );
    let about = (
        TAG,
        "The values of a field, for choices in forms",
        &[400, 422, 503][..],
    );
    routes.get::<(), filter_options::FilterOptions, _, _>(
        "/api/filter-options/{field}",
        about,
        filter_options::show,
    );
    let about = (
        TAG,
        "Search in any enabled mode",
        &[400, 415, 422, 503, 504][..],
    );
    routes.post::<SearchBody, SearchReply, _, _>("/api/search", about, search::search);
    let about = (
        TAG,
        "Entries in the order of time, page by page",
        &[400, 422, 503][..],
    );
    routes.get::<entries::ListQuery, entries::ListReply, _, _>(
        "/api/entries",
        about,
        entries::list,
    );
    let about = (TAG, "One entry", &[404, 422, 503][..]);
    routes.get::<(), EntryReply, _, _>("/api/entries/{entry_id}", about, entries::show);
    let about = (
        TAG,
        "Write an entry",
        &[400, 401, 409, 415, 422, 502, 503, 507][..],
    );
    routes.post::<create::CreateBody, create::CreateReply, _, _>(
        "/api/entries",
        about,
        create::create,
    );
    let about = (
        TAG,
        "Write several entries",
        &[400, 409, 415, 422, 503, 507][..],
    );
    routes.post::<batch::BatchBody, batch::BatchReply, _, _>(
        "/api/entries/batch",
        about,
        batch::create,
    );
    let about = (
        TAG,
        "Write an entry with files",
        &[400, 401, 409, 415, 422, 502, 503, 507][..],
    );
    routes.post_form::<upload::UploadForm, create::CreateReply, _, _>(
        UPLOAD,
        about,
        upload::create,
    );
    for path in ["/api/entries", "/api/entries/batch", UPLOAD] {
        routes.takes_idempotency_key(path);
    }
    let about = (TAG, "A file of an entry", &[404, 422][..]);
    let path = "/api/attachments/{attachment_id}";
    routes.get_file(path, about, "*/*", attachments::show);
    let about = (
        TAG,
        "Whether entries are written to the facility's logbook",
        &[][..],
    );
    routes.get::<(), publish_info::PublishInfo, _, _>(
        "/api/publish-info",
        about,
        publish_info::show,
    );
    let about = (TAG, "Contents and health of the store", &[503][..]);
    routes.get::<(), status::StatusReply, _, _>("/api/status", about, status::show);
    let about = (
        TAG,
        "Keep a draft of an entry for an hour",
        &[415, 422, 503][..],
    );
    routes.post::<drafts::DraftBody, drafts::DraftMade, _, _>("/api/drafts", about, drafts::create);
    let about = (TAG, "A draft", &[404, 422][..]);
    routes.get::<(), drafts::Draft, _, _>("/api/drafts/{draft_id}", about, drafts::show);
}
