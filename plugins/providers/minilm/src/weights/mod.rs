//! Weights: in the source (safetensors) and in the file this crate runs from.

pub(crate) mod bytes;
pub(crate) mod format;
pub(crate) mod pack;
pub(crate) mod safetensors;
