//! The way to a key: `pipelines.rag.enabled`.

use std::fmt;

/// The way to a key, from the root, by key names and list positions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KeyPath(pub(crate) Vec<String>);

impl KeyPath {
    pub(crate) fn from_dotted(dotted: &str) -> Self {
        Self(dotted.split('.').map(str::to_owned).collect())
    }

    /// From a JSON Pointer (RFC 6901).
    pub(crate) fn from_pointer(pointer: &str) -> Self {
        let segments = pointer.split('/').skip(1);
        Self(
            segments
                .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
                .collect(),
        )
    }

    pub(crate) fn child(&self, key: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(key.to_owned());
        Self(segments)
    }

    pub(crate) fn parent(&self) -> Option<Self> {
        let (_, parents) = self.0.split_last()?;
        Some(Self(parents.to_vec()))
    }

    pub(crate) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// This path with its beginning replaced, when it begins with `old`.
    pub(crate) fn rebased(&self, old: &Self, new: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(old.0.as_slice())?;
        Some(Self(new.0.iter().chain(rest).cloned().collect()))
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join("."))
    }
}
