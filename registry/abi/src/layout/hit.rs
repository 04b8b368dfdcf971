//! Hits: the hot data, typed all through.

use abi_stable::StableAbi;
use abi_stable::std_types::{RBox, ROption, RString, RVec};
use gannet_api::{Entry, Found, Highlight, Hit, Matched, Passage, Provenance, ScoreKind};

use super::{AbiDiagnostic, AbiEntry, from_slot, list, option, to_slot, unlist, unoption};

/// A [`Hit`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiHit {
    /// Which entry.
    pub entry_id: RString,
    /// The entry's kind.
    pub kind: RString,
    /// The score that made the order.
    pub score: f64,
    /// What sort of number it is; see the table in this file.
    pub score_kind: u8,
    /// 0 for the whole query, 1 for a part of it.
    pub matched: u8,
    /// The passage that scored best.
    pub passage: ROption<AbiPassage>,
    /// Pieces of text with the places that matched.
    pub highlights: RVec<AbiHighlight>,
    /// Which modules found it.
    pub provenance: RVec<AbiProvenance>,
    /// How the score came about.
    pub explain_json: RString,
    /// The entry itself, where the host's store does not hold it.
    pub entry: ROption<RBox<AbiEntry>>,
    /// For what comes later.
    pub extra_json: RString,
}

/// A [`Passage`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiPassage {
    /// Which passage of the entry, from 0.
    pub ordinal: u32,
    /// Where it stands in `raw_text`, in bytes.
    pub range: AbiRange,
    /// Its text.
    pub text: RString,
}

/// A span of bytes.
#[repr(C)]
#[derive(StableAbi, Debug, Clone, Copy)]
pub struct AbiRange {
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
}

/// A [`Highlight`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiHighlight {
    /// Plain text.
    pub text: RString,
    /// The places that matched.
    pub ranges: RVec<AbiRange>,
}

/// A [`Provenance`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiProvenance {
    /// The module.
    pub module: RString,
    /// Its score.
    pub score: f64,
    /// Its rank, from 1.
    pub rank: u32,
    /// What sort of number the score is.
    pub score_kind: u8,
}

/// What a search found: [`Found`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiFound {
    /// The hits in order.
    pub hits: RVec<AbiHit>,
    /// Notes for the result.
    pub diagnostics: RVec<AbiDiagnostic>,
}

/// The numbers of the kinds of scores. A number that this side does not know
/// is read as `none`: the order of the hits stands, no threshold applies.
const SCORE_KINDS: [ScoreKind; 10] = [
    ScoreKind::None,
    ScoreKind::Bm25,
    ScoreKind::TsRank,
    ScoreKind::Cosine,
    ScoreKind::Rrf,
    ScoreKind::WeightedRrf,
    ScoreKind::Linear,
    ScoreKind::Rerank,
    ScoreKind::Convex,
    ScoreKind::Other,
];

fn number_of(kind: ScoreKind) -> u8 {
    (0..)
        .zip(SCORE_KINDS)
        .find(|(_, known)| *known == kind)
        .map_or(0, |(number, _)| number)
}

fn score_kind(number: u8) -> ScoreKind {
    SCORE_KINDS
        .get(usize::from(number))
        .copied()
        // One that is younger than this side is some score all the same.
        .unwrap_or(ScoreKind::Other)
}

impl From<(usize, usize)> for AbiRange {
    fn from((start, end): (usize, usize)) -> Self {
        Self {
            start: start as u64,
            end: end as u64,
        }
    }
}

impl From<AbiRange> for (usize, usize) {
    fn from(range: AbiRange) -> Self {
        (range.start as usize, range.end as usize)
    }
}

impl From<Passage> for AbiPassage {
    fn from(passage: Passage) -> Self {
        Self {
            ordinal: passage.ordinal,
            range: (passage.start, passage.end).into(),
            text: passage.text.into(),
        }
    }
}

impl From<AbiPassage> for Passage {
    fn from(passage: AbiPassage) -> Self {
        let (start, end) = passage.range.into();
        Passage::new(passage.ordinal, start..end, passage.text)
    }
}

impl From<Highlight> for AbiHighlight {
    fn from(highlight: Highlight) -> Self {
        Self {
            text: highlight.text.into(),
            ranges: list(highlight.ranges),
        }
    }
}

impl From<AbiHighlight> for Highlight {
    fn from(highlight: AbiHighlight) -> Self {
        Highlight::new(highlight.text, unlist(highlight.ranges))
    }
}

impl From<Provenance> for AbiProvenance {
    fn from(provenance: Provenance) -> Self {
        Self {
            module: provenance.module.into(),
            score: provenance.score,
            rank: provenance.rank,
            score_kind: number_of(provenance.score_kind),
        }
    }
}

impl From<AbiProvenance> for Provenance {
    fn from(provenance: AbiProvenance) -> Self {
        Provenance::new(
            provenance.module,
            provenance.rank,
            provenance.score,
            score_kind(provenance.score_kind),
        )
    }
}

impl From<Hit> for AbiHit {
    fn from(hit: Hit) -> Self {
        Self {
            entry_id: hit.entry_id.into(),
            kind: hit.kind.into(),
            score: hit.score,
            score_kind: number_of(hit.score_kind),
            matched: match hit.matched {
                Matched::All => 0,
                Matched::Some => 1,
            },
            passage: option(hit.passage),
            highlights: list(hit.highlights),
            provenance: list(hit.provenance),
            explain_json: to_slot(&hit.explain),
            entry: hit.entry.map(|entry| RBox::new((*entry).into())).into(),
            extra_json: RString::new(),
        }
    }
}

impl From<AbiHit> for Hit {
    fn from(hit: AbiHit) -> Self {
        let kind = score_kind(hit.score_kind);
        let mut made = Self::new(hit.entry_id, hit.kind, hit.score, kind);
        made.matched = match hit.matched {
            0 => Matched::All,
            _ => Matched::Some,
        };
        made.passage = unoption(hit.passage);
        made.highlights = unlist(hit.highlights);
        made.provenance = unlist(hit.provenance);
        made.explain = from_slot(&hit.explain_json);
        // Without the entry the host has none of this id, and says so.
        made.entry = hit.entry.into_option().and_then(|entry| {
            let entry = Entry::try_from(RBox::into_inner(entry)).ok()?;
            Some(Box::new(entry))
        });
        made
    }
}

impl From<Found> for AbiFound {
    fn from(found: Found) -> Self {
        Self {
            hits: list(found.hits),
            diagnostics: list(found.diagnostics),
        }
    }
}

impl From<AbiFound> for Found {
    fn from(found: AbiFound) -> Found {
        Found::new(unlist(found.hits)).with_diagnostics(unlist(found.diagnostics))
    }
}
