//! Opens models of all kinds.

use std::path::Path;

use crate::Error;
use crate::encoder::{Classifier, Encoder};
use crate::source::Source;
use crate::tokenizer::Tokenizer;
use crate::weights::bytes::Bytes;
use crate::weights::format::{Header, Reader};

/// The parts of a model.
pub(crate) struct Opened {
    pub(crate) tokenizer: Tokenizer,
    pub(crate) encoder: Encoder,
    /// A reranker has one, an embedder has none.
    pub(crate) classifier: Option<Classifier>,
}

impl Opened {
    /// A weights file, or the model in a folder in 32-bit floats.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        if path.is_dir() {
            return Self::from_source(&Source::folder(path)?);
        }
        let (header, reader) = Reader::open(&Bytes::read(path)?)?;
        reader.verify()?;
        Self::from_file(&header, reader)
    }

    /// A compiled-in weights file; its checksum is not verified.
    pub(crate) fn from_static(file: &'static [u8]) -> Result<Self, Error> {
        let (header, reader) = Reader::open(&Bytes::from_static(file))?;
        Self::from_file(&header, reader)
    }

    fn from_source(source: &Source) -> Result<Self, Error> {
        let model = &source.model;
        let classifier = model.shape().is_reranker().then(|| model.classifier());
        Self::new(
            &source.vocabulary,
            model.to_float_encoder()?,
            classifier.transpose()?,
        )
    }

    fn from_file(header: &Header, mut reader: Reader) -> Result<Self, Error> {
        let vocabulary = reader.bytes(header.vocabulary_bytes)?;
        let vocabulary =
            std::str::from_utf8(vocabulary.as_slice()).map_err(|_| Error::Vocabulary {
                reason: "it is not UTF-8".to_owned(),
            })?;
        let shape = &header.shape;
        let encoder = Encoder::read_int8(shape, &mut reader)?;
        let is_reranker = shape.is_reranker();
        let classifier = is_reranker.then(|| Classifier::read(shape, &mut reader));
        let classifier = classifier.transpose()?;
        reader.finish()?;
        Self::new(vocabulary, encoder, classifier)
    }

    fn new(
        vocabulary: &str,
        encoder: Encoder,
        classifier: Option<Classifier>,
    ) -> Result<Self, Error> {
        Ok(Self {
            tokenizer: Tokenizer::new(vocabulary, encoder.shape().lower_case)?,
            encoder,
            classifier,
        })
    }
}
