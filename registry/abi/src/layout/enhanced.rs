//! What enhancers add to entries.

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RResult, RString, RVec};
use gannet_api::{Enhanced, Error, PassageEmbedding, PassageEmbeddings, Patch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AbiRange, from_slot, list, option, read_slot, to_slot, unlist, unoption};

/// An [`Enhanced`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiEnhanced {
    /// Which entry.
    pub entry_id: RString,
    /// What to add to it, or why nothing can be.
    pub outcome: RResult<AbiPatch, RString>,
}

/// A [`Patch`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiPatch {
    /// Keywords, summary and metadata.
    pub texts_json: RString,
    /// The entry's vectors of one model.
    pub embeddings: ROption<AbiPassageEmbeddings>,
    /// `{"token_signs": […]}`, one for each passage, where there are any.
    pub extra_json: RString,
}

/// A [`PassageEmbeddings`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiPassageEmbeddings {
    /// The model's name.
    pub model: RString,
    /// The passages in order.
    pub passages: RVec<AbiPassageEmbedding>,
}

/// A [`PassageEmbedding`].
#[repr(C)]
#[derive(StableAbi, Debug, Clone)]
pub struct AbiPassageEmbedding {
    /// Where it stands in `raw_text`, in bytes.
    pub range: AbiRange,
    /// Its vector.
    pub vector: RVec<f32>,
}

/// The texts of a patch.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct PatchTexts {
    #[serde(skip_serializing_if = "Option::is_none")]
    keywords: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
}

/// What younger plugins add to a patch.
#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct PatchExtra {
    /// [`PassageEmbedding::token_signs`] of each passage; empty when none has
    /// any.
    token_signs: Vec<Option<Vec<u8>>>,
}

impl PatchExtra {
    fn of(embeddings: Option<&PassageEmbeddings>) -> Self {
        let passages = embeddings.map_or(&[][..], |embeddings| &embeddings.passages);
        let has_any = passages.iter().any(|passage| passage.token_signs.is_some());
        let signs = passages.iter().map(|passage| passage.token_signs.clone());
        Self {
            token_signs: signs.filter(|_| has_any).collect(),
        }
    }
}

impl From<PassageEmbedding> for AbiPassageEmbedding {
    fn from(passage: PassageEmbedding) -> Self {
        Self {
            range: (passage.start, passage.end).into(),
            vector: passage.vector.into(),
        }
    }
}

impl From<AbiPassageEmbedding> for PassageEmbedding {
    fn from(passage: AbiPassageEmbedding) -> Self {
        let (start, end) = passage.range.into();
        PassageEmbedding::new(start..end, passage.vector.into())
    }
}

impl From<PassageEmbeddings> for AbiPassageEmbeddings {
    fn from(embeddings: PassageEmbeddings) -> Self {
        Self {
            model: embeddings.model.into(),
            passages: list(embeddings.passages),
        }
    }
}

impl From<AbiPassageEmbeddings> for PassageEmbeddings {
    fn from(embeddings: AbiPassageEmbeddings) -> Self {
        PassageEmbeddings::new(embeddings.model, unlist(embeddings.passages))
    }
}

impl From<Patch> for AbiPatch {
    fn from(patch: Patch) -> Self {
        let texts = PatchTexts {
            keywords: patch.keywords,
            summary: patch.summary,
            metadata: patch.metadata,
        };
        let extra = PatchExtra::of(patch.embeddings.as_ref());
        Self {
            texts_json: to_slot(&texts),
            embeddings: option(patch.embeddings),
            extra_json: to_slot(&extra),
        }
    }
}

impl TryFrom<AbiPatch> for Patch {
    type Error = Error;

    fn try_from(patch: AbiPatch) -> Result<Self, Error> {
        let texts: PatchTexts = read_slot("what an enhancer adds", &patch.texts_json)?;
        let extra: PatchExtra = from_slot(&patch.extra_json);
        let mut embeddings: Option<PassageEmbeddings> = unoption(patch.embeddings);
        let passages = embeddings.iter_mut().flat_map(|made| &mut made.passages);
        for (passage, signs) in passages.zip(extra.token_signs) {
            passage.token_signs = signs;
        }
        Ok(Patch::default()
            .with_keywords(texts.keywords)
            .with_summary(texts.summary)
            .with_metadata(texts.metadata)
            .with_embeddings(embeddings))
    }
}

impl From<Enhanced> for AbiEnhanced {
    fn from(enhanced: Enhanced) -> Self {
        let outcome: Result<AbiPatch, RString> = match enhanced.outcome {
            Ok(patch) => Ok(patch.into()),
            Err(reason) => Err(reason.into()),
        };
        Self {
            entry_id: enhanced.entry_id.into(),
            outcome: outcome.into(),
        }
    }
}

impl From<AbiEnhanced> for Enhanced {
    fn from(enhanced: AbiEnhanced) -> Self {
        let outcome = match enhanced.outcome.into_result() {
            Ok(patch) => Patch::try_from(patch).map_err(|error| error.to_string()),
            Err(reason) => Err(reason.into()),
        };
        Enhanced::new(enhanced.entry_id, outcome)
    }
}
