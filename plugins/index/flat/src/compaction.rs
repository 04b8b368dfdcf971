//! Merging segments.

use std::path::PathBuf;
use std::sync::Arc;

use super::index::StoredSegment;
use super::manifest::segment_path;
use super::rows::Row;
use super::segment::Segment;
use super::segment_writer::write_segment;
use super::{MAX_SEGMENTS, VectorError, VectorSpec};
use gannet_index::Bitmap;

/// A planned merge of segments. It holds all it needs, so that it can run
/// while the index goes on being searched and changed.
#[derive(Debug)]
pub struct Compaction {
    pub(super) spec: VectorSpec,
    pub(super) folder: PathBuf,
    /// The number of the new segment.
    pub(super) number: u64,
    /// The segments to merge, and which of their rows were live.
    pub(super) sources: Vec<(StoredSegment, Vec<usize>)>,
}

/// A merged segment, written but not yet part of the index.
#[derive(Debug)]
pub struct MergedSegment {
    /// `None` when no row was left.
    merged: Option<StoredSegment>,
    pub(super) sources: Vec<(StoredSegment, Vec<usize>)>,
}

impl MergedSegment {
    /// The number of the new segment; `None` when no row was left.
    pub(super) fn segment_number(&self) -> Option<u64> {
        self.merged.as_ref().map(|stored| stored.number)
    }
}

/// Rows of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) live: usize,
}

/// Segments and deletions after a merge.
pub(super) struct Replaced {
    pub(super) segments: Vec<StoredSegment>,
    pub(super) deleted: Bitmap,
}

impl Compaction {
    /// Writes the merged segment.
    ///
    /// The sources are verified first: damage must not be copied under a
    /// fresh checksum.
    ///
    /// # Errors
    /// [`VectorError::Io`], [`VectorError::Corrupt`].
    pub fn run(self) -> Result<MergedSegment, VectorError> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for (source, live) in &self.sources {
            source.segment.verify()?;
            let source = source.segment.rows(0);
            rows.extend(live.iter().map(|&index| source.row(index)));
        }
        let merged = if rows.is_empty() {
            None
        } else {
            Some(self.write(&rows)?)
        };
        Ok(MergedSegment {
            merged,
            sources: self.sources,
        })
    }

    fn write(&self, rows: &[Row<'_>]) -> Result<StoredSegment, VectorError> {
        let applied = self
            .sources
            .iter()
            .map(|(source, _)| source.segment.applied_seq());
        let path = segment_path(&self.folder, self.number);
        write_segment(&path, &self.spec, applied.max().unwrap_or(0), rows)?;
        Ok(StoredSegment {
            number: self.number,
            segment: Arc::new(Segment::open(&path, &self.spec)?),
        })
    }
}

/// The segments to merge: indices, ascending; empty when all is well.
///
/// With too many segments, the smallest are merged, together with each next
/// larger one that is at most twice their sum. So a row is rewritten a
/// logarithmic number of times, however large the index grows.
pub(super) fn choose(segments: &[Size]) -> Vec<usize> {
    let mut chosen: Vec<usize> = (0..segments.len())
        .filter(|&index| segments[index].live * 4 <= segments[index].rows * 3)
        .collect();
    if segments.len() > MAX_SEGMENTS {
        let surplus = segments.len() - MAX_SEGMENTS;
        let mut by_size: Vec<usize> = (0..segments.len()).collect();
        by_size.sort_by_key(|&index| segments[index].live);
        let mut sum = 0;
        for (taken, index) in by_size.into_iter().enumerate() {
            let live = segments[index].live;
            if taken > surplus && live > 2 * sum {
                break;
            }
            sum += live;
            chosen.push(index);
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The segments and deletions with the merged segment in the place of its
/// first source; `None` when a source is no longer there.
pub(super) fn replace(
    segments: &[StoredSegment],
    deleted: &Bitmap,
    merge: &MergedSegment,
) -> Option<Replaced> {
    let sources = &merge.sources;
    let source_of = |stored: &StoredSegment| {
        let same = |source: &StoredSegment| Arc::ptr_eq(&source.segment, &stored.segment);
        sources.iter().position(|(source, _)| same(source))
    };
    if segments.iter().filter_map(source_of).count() != sources.len() {
        return None;
    }
    // First the rows of the index as (segment, old row) in their new order.
    let mut kept = Vec::new();
    let mut merged_rows = Vec::new();
    let mut merged_at = None;
    let mut first_row = 0;
    for stored in segments {
        let end_row = first_row + stored.segment.len();
        match source_of(stored) {
            Some(source) => {
                merged_at.get_or_insert(kept.len());
                merged_rows.extend(sources[source].1.iter().map(|index| first_row + index));
            }
            None => kept.push((stored.clone(), (first_row..end_row).collect::<Vec<_>>())),
        }
        first_row = end_row;
    }
    if let Some(stored) = &merge.merged {
        kept.insert(merged_at.unwrap_or(0), (stored.clone(), merged_rows));
    }
    let tail = first_row..deleted.len();
    let old_rows: Vec<usize> = kept
        .iter()
        .flat_map(|(_, rows)| rows.iter().copied())
        .chain(tail)
        .collect();
    let mut new_deleted = Bitmap::new(old_rows.len());
    for (row, &old_row) in old_rows.iter().enumerate() {
        if deleted.get(old_row) {
            new_deleted.set(row);
        }
    }
    Some(Replaced {
        segments: kept.into_iter().map(|(stored, _)| stored).collect(),
        deleted: new_deleted,
    })
}

#[cfg(test)]
mod tests {
    use super::{Size, choose};
    use crate::MAX_SEGMENTS;

    fn sizes(live: &[usize]) -> Vec<Size> {
        live.iter().map(|&live| Size { rows: live, live }).collect()
    }

    #[test]
    fn few_whole_segments_are_left_alone() {
        assert!(choose(&sizes(&[5; MAX_SEGMENTS])).is_empty());
    }

    #[test]
    fn many_small_segments_are_merged_and_a_large_one_is_not() {
        let mut live = vec![1_000_000];
        live.extend([8_000; MAX_SEGMENTS]);
        let expected: Vec<usize> = (1..=MAX_SEGMENTS).collect();
        assert_eq!(choose(&sizes(&live)), expected);
    }

    #[test]
    fn at_most_the_allowed_number_of_segments_remains() {
        let live: Vec<usize> = (0..12).map(|power| 10usize.pow(power)).collect();
        let remaining = live.len() + 1 - choose(&sizes(&live)).len();
        assert_eq!(remaining, MAX_SEGMENTS);
    }

    #[test]
    fn a_segment_with_many_deleted_rows_is_rewritten() {
        let mut segments = sizes(&[100, 100, 100]);
        segments[1].live = 75;
        assert_eq!(choose(&segments), [1]);
    }

    #[test]
    fn a_row_is_rewritten_a_logarithmic_number_of_times() {
        let mut live: Vec<usize> = Vec::new();
        let mut rewritten = 0;
        for _ in 0..4_096 {
            live.push(1);
            let chosen = choose(&sizes(&live));
            let sum: usize = chosen.iter().map(|&index| live[index]).sum();
            rewritten += sum;
            for &index in chosen.iter().rev() {
                live.remove(index);
            }
            if sum > 0 {
                live.push(sum);
            }
        }
        assert!(rewritten < 4_096 * 12, "{rewritten}");
    }
}
