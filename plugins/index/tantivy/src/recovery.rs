//! Opening an index that may be damaged. Only the process that writes the
//! index calls this.

use std::path::Path;
use std::sync::Arc;

use tantivy::Index;
use tantivy::IndexMeta;
use tantivy::directory::Directory;

use super::contents::broken;
use super::error::{TextContext, TextError, catch_panic};
use super::index::TantivyIndex;
use super::payload::{payload_of, position_of};
use super::verified::{damaged_files_of, keep_segments};
use gannet_index::{BrokenSegment, FieldWeights, Position, RecoveredText, VerifiedFiles};

/// The list of segments, with the schema and the payload of the last commit.
const META: &str = "meta.json";

/// Opens an index. Files that were not verified before are; a segment with a
/// damaged one is taken out, and the position says that entries are missing.
///
/// # Errors
/// [`TextError::is_damage`] when the index as a whole is lost.
pub(super) fn recover(
    folder: &Path,
    weights: FieldWeights,
    verified: &mut VerifiedFiles,
) -> Result<RecoveredText, TextError> {
    let index = TantivyIndex::open_unread(folder)?;
    let mut metas = index.load_metas().doing("read the list of segments")?;
    let mut damaged = Vec::new();
    for segment in &metas.segments {
        let files = damaged_files_of(verified, folder, segment)?;
        if !files.is_empty() {
            damaged.push(broken(segment, files));
        }
    }
    if !damaged.is_empty() {
        take_out(&index, &mut metas, &damaged)?;
    }
    keep_segments(verified, &metas.segments);
    let text = catch_panic("open it", || TantivyIndex::open(folder, weights))?;
    verified.save(folder);
    let position = text.position()?;
    Ok(RecoveredText {
        text: Arc::new(text),
        position,
        broken: damaged,
    })
}

/// Writes the list of segments without the damaged ones. That entries are
/// missing is part of the same write.
fn take_out(
    index: &Index,
    metas: &mut IndexMeta,
    damaged: &[BrokenSegment],
) -> Result<(), TextError> {
    let position = metas.payload.as_deref().and_then(position_of);
    let Some(position) = position else {
        // Nothing says which entries are missing: everything is replayed.
        return Err(corrupt("it is damaged and does not say how far it got"));
    };
    metas.segments.retain(|segment| {
        !damaged
            .iter()
            .any(|broken| broken.name == segment.id().uuid_string())
    });
    let incomplete = Position {
        is_incomplete: true,
        ..position
    };
    metas.payload = Some(payload_of(&incomplete));
    let json = serde_json::to_vec_pretty(&metas)
        .map_err(|error| corrupt(&format!("its list cannot be written: {error}")))?;
    let directory = index.directory();
    directory
        .atomic_write(Path::new(META), &json)
        .and_then(|()| directory.sync_directory())
        .map_err(tantivy::TantivyError::from)
        .doing("take a damaged segment out")
}

fn corrupt(comment: &str) -> TextError {
    let source = tantivy::error::DataCorruption::comment_only(comment);
    TextError::Engine {
        action: "open it",
        source: source.into(),
    }
}
