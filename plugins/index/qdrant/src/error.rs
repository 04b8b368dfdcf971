//! Why a server does not do what an index asks.

use std::path::PathBuf;

use gannet_index::IndexError;
use gannet_outbound::OutboundError;

/// Why a server does not do what an index asks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QdrantError {
    /// There is no response.
    #[error("the Qdrant server of the vector index: {0}; see `store.vector_settings`")]
    Outbound(#[from] OutboundError),
    /// The key of the server cannot be read.
    #[error("the key of the Qdrant server: {0}")]
    Key(gannet_api::Error),
    /// It refuses a request.
    #[error(
        "the Qdrant server refuses to {action} (status {status}: {reason}); see \
         `store.vector_settings`"
    )]
    Refused {
        /// What was asked, as a verb.
        action: &'static str,
        /// The status of the response.
        status: u16,
        /// What the server says.
        reason: String,
    },
    /// The response is not one of Qdrant.
    #[error("the response to the request to {action} is not one of Qdrant 1.10 or later: {reason}")]
    Malformed {
        /// What was asked, as a verb.
        action: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The collection is gone, of other records, or not as it was written.
    #[error("the collection `{collection}` of the vector index {reason}")]
    Damaged {
        /// The collection.
        collection: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file that names the collection is not as it was written.
    #[error("{} does not name a collection of these vectors: {reason}", path.display())]
    Marker {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A vector that cannot be compared.
    #[error("the vector has {found} dimensions, those of the index have {expected}")]
    WrongDimension {
        /// Dimensions of the index.
        expected: usize,
        /// Dimensions of the vector.
        found: usize,
    },
    /// A vector that cannot be compared.
    #[error("the vector has a number that is not finite")]
    NotFinite,
}

impl From<QdrantError> for IndexError {
    fn from(error: QdrantError) -> Self {
        match error {
            QdrantError::Damaged { .. } | QdrantError::Marker { .. } => {
                Self::Damaged(Box::new(error))
            }
            error => Self::Failed(Box::new(error)),
        }
    }
}
