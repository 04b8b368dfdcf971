//! What changes the files of an index: sealing and compacting.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::compaction::{self, Compaction, MergedSegment};
use super::error::IoContext;
use super::index::StoredSegment;
use super::manifest::{Manifest, SegmentEntry, segment_number, segment_path};
use super::rows::Row;
use super::segment::Segment;
use super::segment_writer::write_segment;
use super::tail::Tail;
use super::{FlatIndex, VectorError};
use gannet_index::Bitmap;

impl FlatIndex {
    /// Brings everything to disk: the tail becomes a segment, and deletions
    /// and `applied_seq`, the last change applied so far, are committed with
    /// it. Rows keep their ordinals. After an error nothing has changed.
    ///
    /// # Errors
    /// [`VectorError::Io`].
    pub fn seal(&mut self, applied_seq: u64) -> Result<(), VectorError> {
        self.seal_marked(applied_seq, None)
    }

    /// Like [`seal`](Self::seal), with a mark that tells this change from
    /// another one of the same number.
    ///
    /// # Errors
    /// [`VectorError::Io`].
    pub fn seal_marked(&mut self, applied_seq: u64, mark: Option<i64>) -> Result<(), VectorError> {
        fs::create_dir_all(&self.folder).at("create", &self.folder)?;
        let mut segments = self.segments.clone();
        if self.tail.len() > 0 {
            segments.push(self.write_tail(applied_seq)?);
        }
        let next_segment = self.next_segment + 1;
        let mut manifest = self.manifest(&segments, &self.deleted);
        manifest.head.applied_seq = applied_seq;
        manifest.head.mark = mark;
        manifest.head.next_segment = next_segment;
        manifest.write(&self.folder)?;
        self.segments = segments;
        self.tail = Tail::new(self.spec.dimension);
        self.applied_seq = applied_seq;
        self.mark = mark;
        self.next_segment = next_segment;
        self.remove_leftovers(self.opened_at_number);
        Ok(())
    }

    /// Merges small segments when there are more than
    /// [`MAX_SEGMENTS`](super::MAX_SEGMENTS), and rewrites those in which a
    /// quarter of the rows is deleted. Returns whether there was anything to
    /// do; if so, rows have new ordinals.
    ///
    /// Merging a million rows takes seconds. An owner that must not stop
    /// searching for that long uses [`plan_compaction`](Self::plan_compaction)
    /// under its lock, [`Compaction::run`] without it, and
    /// [`finish_compaction`](Self::finish_compaction) under it again.
    ///
    /// # Errors
    /// [`VectorError::Io`]; [`VectorError::Corrupt`] when a segment to be
    /// merged turns out to be damaged.
    pub fn compact(&mut self) -> Result<bool, VectorError> {
        match self.plan_compaction() {
            None => Ok(false),
            Some(compaction) => self.finish_compaction(compaction.run()?),
        }
    }

    /// Whether [`compact`](Self::compact) has anything to do.
    #[must_use]
    pub fn is_to_be_compacted(&self) -> bool {
        !compaction::choose(&self.live_rows_of_segments()).is_empty()
    }

    /// What [`compact`](Self::compact) would do, ready to be run elsewhere.
    pub fn plan_compaction(&mut self) -> Option<Compaction> {
        let chosen = compaction::choose(&self.live_rows_of_segments());
        if chosen.is_empty() {
            return None;
        }
        let number = self.next_segment;
        self.next_segment += 1;
        let firsts = self.first_rows();
        let sources = chosen.into_iter().map(|index| {
            let stored = self.segments[index].clone();
            let end = firsts[index] + stored.segment.len();
            let live = (firsts[index]..end)
                .filter(|&row| !self.deleted.get(row))
                .map(|row| row - firsts[index])
                .collect();
            (stored, live)
        });
        Some(Compaction {
            spec: self.spec.clone(),
            folder: self.folder.clone(),
            number,
            sources: sources.collect(),
        })
    }

    /// Puts the merged segment in the place of its sources. Rows deleted in
    /// the meantime stay deleted. Returns whether it could: not when the
    /// sources are no longer part of the index.
    ///
    /// # Errors
    /// [`VectorError::Io`]; then nothing has changed.
    pub fn finish_compaction(&mut self, merged: MergedSegment) -> Result<bool, VectorError> {
        let Some(new) = compaction::replace(&self.segments, &self.deleted, &merged) else {
            merged.segment_number().iter().for_each(|&number| {
                remove(&segment_path(&self.folder, number));
            });
            return Ok(false);
        };
        let sealed_rows = new.segments.iter().map(|stored| stored.segment.len()).sum();
        let mut sealed_deleted = new.deleted.clone();
        sealed_deleted.resize(sealed_rows);
        self.manifest(&new.segments, &sealed_deleted)
            .write(&self.folder)?;
        self.segments = new.segments;
        self.deleted = new.deleted;
        self.deleted_count = self.deleted.count();
        self.layout += 1;
        for (source, _) in &merged.sources {
            remove(&segment_path(&self.folder, source.number));
        }
        Ok(true)
    }

    fn live_rows_of_segments(&self) -> Vec<compaction::Size> {
        let segments = self.segments.iter().zip(self.first_rows());
        segments
            .map(|(stored, first)| {
                let rows = stored.segment.len();
                let deleted = self.deleted.count_between(first, first + rows);
                compaction::Size {
                    rows,
                    live: rows - deleted,
                }
            })
            .collect()
    }

    fn write_tail(&self, applied_seq: u64) -> Result<StoredSegment, VectorError> {
        let tail = self.tail.rows(0);
        let rows: Vec<Row<'_>> = (0..tail.len()).map(|index| tail.row(index)).collect();
        let path = segment_path(&self.folder, self.next_segment);
        write_segment(&path, &self.spec, applied_seq, &rows)?;
        Ok(StoredSegment {
            number: self.next_segment,
            segment: Arc::new(Segment::open(&path, &self.spec)?),
        })
    }

    /// The manifest of what is on disk, with these segments and deletions.
    fn manifest(&self, segments: &[StoredSegment], deleted: &Bitmap) -> Manifest {
        let mut manifest = Manifest::empty(&self.spec);
        manifest.head.applied_seq = self.applied_seq;
        manifest.head.mark = self.mark;
        manifest.head.next_segment = self.next_segment;
        manifest.head.segments = segments
            .iter()
            .map(|stored| SegmentEntry {
                number: stored.number,
                rows: stored.segment.len(),
            })
            .collect();
        manifest.deleted = deleted.clone();
        manifest
    }

    /// Removes segments numbered `below` that the index does not consist of:
    /// what an earlier process could no longer remove.
    pub(super) fn remove_leftovers(&self, below: u64) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let leftover = segment_number(&path).is_some_and(|number| {
                number < below && self.segments.iter().all(|stored| stored.number != number)
            });
            if leftover {
                remove(&path);
            }
        }
    }
}

/// Removes a file that is no longer part of the index. A failure only costs
/// space, and the next process tries again.
fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path) {
        tracing::warn!(path = %path.display(), %error, "cannot remove an old vector segment");
    }
}
