//! What is in an index, read without a lock and without changing anything.

use std::path::Path;

use tantivy::index::SegmentId;
use tantivy::{DocId, Index, IndexMeta, Segment, SegmentMeta, SegmentReader};

use super::error::{TextContext, TextError, catch_panic};
use super::index::TantivyIndex;
use super::payload::position_of;
use super::schema::{DOC, schema};
use super::segment_files::{check_file, files_of};
use gannet_index::{BrokenSegment, Contents, DamagedFile, Depth};

/// How often an index is read that another process changes meanwhile.
pub(super) const TRIES: usize = 5;

/// Reads which rows of the records are in the index of a folder. Rows above
/// `highest`, which no entry has, are [`Contents::unknown`].
///
/// # Errors
/// An index without a readable list of its segments, one of another version,
/// and files that cannot be read now.
pub(super) fn contents(folder: &Path, depth: Depth, highest: usize) -> Result<Contents, TextError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let index = TantivyIndex::open_unread(folder)?;
        let metas = index.load_metas().doing("read the list of segments")?;
        let segments = segment_names(&metas);
        let read = read(folder, &index, metas, depth, highest);
        // A file that is gone may have been merged by the process that writes.
        let is_sound = matches!(&read, Ok(contents) if contents.broken.is_empty());
        let is_settled = || {
            let now = index.load_metas();
            now.is_ok_and(|now| segment_names(&now) == segments)
        };
        if is_sound || tries == TRIES || is_settled() {
            return read;
        }
    }
}

/// What tells one list of segments from another.
pub(super) fn segment_names(metas: &IndexMeta) -> Vec<(SegmentId, Option<u64>)> {
    let segments = metas.segments.iter();
    segments
        .map(|segment| (segment.id(), segment.delete_opstamp()))
        .collect()
}

fn read(
    folder: &Path,
    index: &Index,
    metas: IndexMeta,
    depth: Depth,
    highest: usize,
) -> Result<Contents, TextError> {
    if metas.schema != schema().0 {
        return Err(tantivy::TantivyError::SchemaError(
            "its fields are those of another version".to_owned(),
        ))
        .doing("use what is");
    }
    let mut contents = Contents {
        position: metas.payload.as_deref().and_then(position_of),
        ..Contents::default()
    };
    for meta in metas.segments {
        let files = match depth {
            Depth::Rows => Vec::new(),
            Depth::Bytes => damaged_files(folder, &meta)?,
        };
        let broken = match files.is_empty() {
            true => add(&mut contents, index, &meta, highest)?,
            false => Some(broken(&meta, files)),
        };
        contents.broken.extend(broken);
    }
    Ok(contents)
}

/// The files of a segment that are not as they were written.
pub(super) fn damaged_files(
    folder: &Path,
    segment: &SegmentMeta,
) -> Result<Vec<DamagedFile>, TextError> {
    let mut damaged = Vec::new();
    for name in files_of(segment) {
        let checked = check_file(folder, &name)
            .map_err(|error| TextError::io("read", &folder.join(&name), error))?;
        damaged.extend(checked.err());
    }
    Ok(damaged)
}

pub(super) fn broken(segment: &SegmentMeta, files: Vec<DamagedFile>) -> BrokenSegment {
    BrokenSegment {
        name: segment.id().uuid_string(),
        documents: segment.num_docs(),
        files,
    }
}

/// Adds the rows of a segment, or says why it cannot be read.
fn add(
    contents: &mut Contents,
    index: &Index,
    meta: &SegmentMeta,
    highest: usize,
) -> Result<Option<BrokenSegment>, TextError> {
    let segment = index.segment(meta.clone());
    let read = catch_panic("read a segment", || rows_of(&segment));
    let rows = match read {
        Ok(rows) => rows,
        Err(error) if error.is_suspicious() => {
            let file = DamagedFile {
                name: meta.id().uuid_string().into(),
                reason: error.to_string(),
            };
            return Ok(Some(broken(meta, vec![file])));
        }
        Err(error) => return Err(error),
    };
    for row in rows {
        contents.documents += 1;
        if row > highest {
            contents.unknown += 1;
            continue;
        }
        if row >= contents.rows.len() {
            contents.rows.resize((row + 1).next_power_of_two());
        }
        if contents.rows.get(row) {
            contents.repeated += 1;
        }
        contents.rows.set(row);
    }
    Ok(None)
}

/// The rows of a segment's living documents.
fn rows_of(segment: &Segment) -> Result<Vec<usize>, TextError> {
    let reader = SegmentReader::open(segment).doing("open a segment")?;
    let column = reader
        .fast_fields()
        .u64(DOC)
        .doing("read the rows of a segment")?;
    let row = |doc: DocId| column.first(doc).and_then(|row| usize::try_from(row).ok());
    Ok(reader.doc_ids_alive().filter_map(row).collect())
}
