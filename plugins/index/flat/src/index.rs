//! The index: segments, a tail in memory, deletions.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::IoContext;
use super::manifest::{Manifest, SegmentEntry, segment_path};
use super::rows::Rows;
use super::search::search;
use super::segment::Segment;
use super::tail::Tail;
use super::{VectorError, VectorHit, VectorSpec};
use gannet_index::Bitmap;
use gannet_vectors::quantize::{Query, decoded};
use gannet_vectors::{InvalidVector, MAX_DIMENSION};

/// Vectors in segments on disk and a tail in memory, searched by cosine.
///
/// Rows are numbered from 0 in the order they lie in. A row keeps its ordinal
/// when it is sealed into a segment; [`compact`](Self::compact) gives new ones
/// and raises [`layout`](Self::layout), so that an owner who remembers
/// ordinals knows when to forget them.
///
/// Searching and reading take `&self`, changing takes `&mut self`: an owner
/// that makes a filter and searches under one read lock always has both fit.
/// One process at a time may change the files; others may open and read them.
#[derive(Debug)]
pub struct FlatIndex {
    pub(super) folder: PathBuf,
    pub(super) spec: VectorSpec,
    pub(super) segments: Vec<StoredSegment>,
    pub(super) tail: Tail,
    pub(super) deleted: Bitmap,
    pub(super) deleted_count: usize,
    pub(super) applied_seq: u64,
    pub(super) mark: Option<i64>,
    pub(super) next_segment: u64,
    /// Segment files below this number that the manifest does not name are
    /// leftovers of an earlier process.
    pub(super) opened_at_number: u64,
    pub(super) layout: u64,
}

/// A segment with the number that names its file.
#[derive(Clone, Debug)]
pub(super) struct StoredSegment {
    pub(super) number: u64,
    pub(super) segment: Arc<Segment>,
}

impl FlatIndex {
    /// Opens the index in `folder`; without a manifest there it is empty.
    /// Nothing is written.
    ///
    /// # Errors
    /// [`VectorError::Corrupt`] and [`VectorError::WrongModel`] when the files
    /// are of no use (see [`VectorError::calls_for_rebuild`]);
    /// [`VectorError::Io`] when they cannot be read.
    pub fn open(folder: &Path, spec: VectorSpec) -> Result<Self, VectorError> {
        check_spec(&spec)?;
        let manifest = Manifest::read(folder, &spec)?.unwrap_or_else(|| Manifest::empty(&spec));
        let open = |entry: &SegmentEntry| open_segment(folder, &spec, entry);
        let segments = manifest
            .head
            .segments
            .iter()
            .map(open)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            folder: folder.to_path_buf(),
            tail: Tail::new(spec.dimension),
            spec,
            segments,
            deleted_count: manifest.deleted.count(),
            deleted: manifest.deleted,
            applied_seq: manifest.head.applied_seq,
            mark: manifest.head.mark,
            next_segment: manifest.head.next_segment,
            opened_at_number: manifest.head.next_segment,
            layout: 0,
        })
    }

    /// Starts an empty index in `folder`, whatever was there: the first step
    /// of a rebuild from the records.
    ///
    /// # Errors
    /// [`VectorError::Io`] when the folder cannot be written.
    pub fn create(folder: &Path, spec: VectorSpec) -> Result<Self, VectorError> {
        check_spec(&spec)?;
        fs::create_dir_all(folder).at("create", folder)?;
        Manifest::empty(&spec).write(folder)?;
        let index = Self::open(folder, spec)?;
        index.remove_leftovers(u64::MAX);
        Ok(index)
    }

    /// Where its files are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model and dimension of the vectors.
    #[must_use]
    pub fn spec(&self) -> &VectorSpec {
        &self.spec
    }

    /// All rows, deleted ones too. Filters have this length.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.deleted.len()
    }

    /// Rows that are not deleted.
    #[must_use]
    pub fn live_rows(&self) -> usize {
        self.rows() - self.deleted_count
    }

    /// Rows in memory only, lost with the process until [`seal`](Self::seal).
    #[must_use]
    pub fn tail_rows(&self) -> usize {
        self.tail.len()
    }

    /// Segment files.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    /// The last change that is on disk: what the last [`seal`](Self::seal)
    /// was given. Changes after it are to be replayed when the index is opened.
    #[must_use]
    pub fn applied_seq(&self) -> u64 {
        self.applied_seq
    }

    /// What was noted of the last change that is on disk, by
    /// [`seal_marked`](Self::seal_marked).
    #[must_use]
    pub fn mark(&self) -> Option<i64> {
        self.mark
    }

    /// Rises whenever rows get new ordinals.
    #[must_use]
    pub fn layout(&self) -> u64 {
        self.layout
    }

    /// The deleted rows.
    #[must_use]
    pub fn deleted(&self) -> &Bitmap {
        &self.deleted
    }

    /// The key of every row in order, deleted ones too.
    pub fn row_keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.runs()
            .into_iter()
            .flat_map(|run| run.keys.iter().copied())
    }

    /// The rows, deleted ones too, whose key `wanted` says yes to: a filter
    /// for [`search`](Self::search).
    #[must_use]
    pub fn rows_where(&self, mut wanted: impl FnMut(u64) -> bool) -> Bitmap {
        let mut rows = Bitmap::new(self.rows());
        for (row, key) in self.row_keys().enumerate() {
            if wanted(key) {
                rows.set(row);
            }
        }
        rows
    }

    /// The normalised vector of a row, as its codes have it; `None` when there is
    /// no such row.
    #[must_use]
    pub fn vector(&self, row: usize) -> Option<Vec<f32>> {
        let run = self.runs().into_iter().find(|run| row < run.end_row())?;
        let mut vector = decoded(run.row(row - run.first_row).codes);
        vector.truncate(self.spec.dimension);
        Some(vector)
    }

    /// Adds a vector under `key` and returns its row. Keys may repeat. The
    /// vector is normalised. It can be found at once, and is on disk after
    /// the next [`seal`](Self::seal).
    ///
    /// # Errors
    /// [`VectorError::Invalid`].
    pub fn insert(&mut self, key: u64, vector: &[f32]) -> Result<usize, VectorError> {
        self.check_dimension(vector)?;
        self.tail.push(key, vector)?;
        let row = self.rows();
        self.deleted.resize(row + 1);
        Ok(row)
    }

    /// Deletes the rows in the set. On disk after the next [`seal`](Self::seal).
    ///
    /// # Errors
    /// [`VectorError::WrongFilter`] when it does not cover [`rows`](Self::rows) rows.
    pub fn delete(&mut self, rows: &Bitmap) -> Result<(), VectorError> {
        self.check_filter(rows)?;
        rows.ones().for_each(|row| self.deleted.set(row));
        self.deleted_count = self.deleted.count();
        Ok(())
    }

    /// Deletes the rows whose key `unwanted` says yes to, and returns how many
    /// rows that were. One pass over all keys: collect deletions first.
    pub fn delete_where(&mut self, unwanted: impl FnMut(u64) -> bool) -> usize {
        let before = self.deleted_count;
        self.rows_where(unwanted)
            .ones()
            .for_each(|row| self.deleted.set(row));
        self.deleted_count = self.deleted.count();
        self.deleted_count - before
    }

    /// The best `limit` rows by cosine to `query`, among those `allowed` (all
    /// when `None`) and not deleted: cosine descending, then key and row
    /// ascending. Cosines are exact, in -1 to 1.
    ///
    /// Up to 20,000 rows in question all are scored in int8; beyond that the
    /// rows nearest by 1-bit code are. A filter so makes a search faster and
    /// never less exact. `limit` may be some thousands: the number of rows
    /// rescored grows with it.
    ///
    /// # Errors
    /// [`VectorError::Invalid`],
    /// [`VectorError::WrongFilter`].
    pub fn search(
        &self,
        query: &[f32],
        limit: usize,
        allowed: Option<&Bitmap>,
    ) -> Result<Vec<VectorHit>, VectorError> {
        self.check_dimension(query)?;
        if let Some(allowed) = allowed {
            self.check_filter(allowed)?;
        }
        let query = Query::new(query)?;
        let candidates = self.candidates(allowed);
        Ok(search(&self.runs(), &query, limit, candidates.as_deref()))
    }

    /// Compares every byte on disk with its checksum. Reads all files.
    ///
    /// # Errors
    /// [`VectorError::Corrupt`] with the first damage found, [`VectorError::Io`].
    pub fn verify(&self) -> Result<(), VectorError> {
        Manifest::read(&self.folder, &self.spec)?;
        self.segments
            .iter()
            .try_for_each(|stored| stored.segment.verify())
    }

    fn check_dimension(&self, vector: &[f32]) -> Result<(), VectorError> {
        if vector.len() == self.spec.dimension {
            return Ok(());
        }
        Err(VectorError::Invalid(InvalidVector::WrongDimension {
            expected: self.spec.dimension,
            found: vector.len(),
        }))
    }

    fn check_filter(&self, rows: &Bitmap) -> Result<(), VectorError> {
        if rows.len() == self.rows() {
            return Ok(());
        }
        Err(VectorError::WrongFilter {
            expected: self.rows(),
            found: rows.len(),
        })
    }

    fn candidates<'a>(&self, allowed: Option<&'a Bitmap>) -> Option<Cow<'a, Bitmap>> {
        if self.deleted_count == 0 {
            return allowed.map(Cow::Borrowed);
        }
        let mut live = match allowed {
            Some(allowed) => allowed.clone(),
            None => Bitmap::full(self.rows()),
        };
        live.and_not(&self.deleted);
        Some(Cow::Owned(live))
    }

    pub(super) fn first_rows(&self) -> Vec<usize> {
        let mut firsts = Vec::with_capacity(self.segments.len());
        let mut next = 0;
        for stored in &self.segments {
            firsts.push(next);
            next += stored.segment.len();
        }
        firsts
    }

    pub(super) fn runs(&self) -> Vec<Rows<'_>> {
        let segments = self.segments.iter().zip(self.first_rows());
        let mut runs: Vec<Rows<'_>> = segments
            .map(|(stored, first)| stored.segment.rows(first))
            .collect();
        runs.push(self.tail.rows(self.rows() - self.tail.len()));
        runs
    }
}

fn check_spec(spec: &VectorSpec) -> Result<(), VectorError> {
    match (1..=MAX_DIMENSION).contains(&spec.dimension) {
        true => Ok(()),
        false => Err(VectorError::UnsupportedDimension(spec.dimension)),
    }
}

fn open_segment(
    folder: &Path,
    spec: &VectorSpec,
    entry: &SegmentEntry,
) -> Result<StoredSegment, VectorError> {
    let path = segment_path(folder, entry.number);
    let segment = match Segment::open(&path, spec) {
        Err(VectorError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(VectorError::corrupt(
                &path,
                "the manifest names it, but it is gone",
            ));
        }
        segment => segment?,
    };
    if segment.len() != entry.rows {
        return Err(VectorError::corrupt(
            &path,
            "its rows are not those of the manifest",
        ));
    }
    Ok(StoredSegment {
        number: entry.number,
        segment: Arc::new(segment),
    })
}
