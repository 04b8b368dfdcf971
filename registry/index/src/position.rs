//! How far an index follows the records.

/// Which database an index follows, and how far it got. It is part of every
/// commit of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The database's name.
    pub origin: String,
    /// The last change that is in the index.
    pub applied: i64,
    /// The mark of that change in the records; an older program kept none.
    pub mark: Option<i64>,
    /// A damaged part was taken out: entries of changes up to `applied` are
    /// missing.
    pub is_incomplete: bool,
}

impl Position {
    /// Before the first change of a database.
    pub fn begin(origin: &str) -> Self {
        Self {
            origin: origin.to_owned(),
            applied: 0,
            mark: None,
            is_incomplete: false,
        }
    }
}
