//! Who sent a request.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use gannet_core::api::DEFAULT_TENANT;
use serde::{Deserialize, Serialize};

/// The name of the user who started the program.
const LOCAL: &str = "local";
/// The name of a caller who did not log in.
const NOBODY: &str = "nobody";

/// What a caller may do. No scope includes another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Search, list and read entries.
    Search,
    /// Have a model write answers.
    Ask,
    /// Store entries.
    Ingest,
    /// See the metrics of the whole process.
    Metrics,
    /// See the figures of all tenants, and why something failed.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 5] = [
        Self::Search,
        Self::Ask,
        Self::Ingest,
        Self::Metrics,
        Self::Admin,
    ];

    /// Its name in key files, tokens and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Ask => "ask",
            Self::Ingest => "ingest",
            Self::Metrics => "metrics",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope; scopes are search, ask, ingest, metrics, admin")]
pub struct UnknownScope(String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.into_iter();
        all.find(|scope| scope.name() == name)
            .ok_or_else(|| UnknownScope(name.to_owned()))
    }
}

/// Who sent a request. The HTTP server puts it into the extensions of a
/// request that it has authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Name for logs: `key:<id>`, `jwt:<subject>` or `local`.
    pub name: String,
    /// Whose entries the caller sees and writes.
    pub tenant: String,
    /// What the caller may do.
    pub scopes: BTreeSet<Scope>,
}

impl Caller {
    /// The user who started the program. Whoever can start it can read the
    /// store's files, so that there is nothing to keep from them.
    pub fn local() -> Self {
        Self {
            name: LOCAL.to_owned(),
            tenant: DEFAULT_TENANT.to_owned(),
            scopes: Scope::ALL.into(),
        }
    }

    /// Somebody who did not log in and may do nothing.
    pub fn nobody() -> Self {
        Self {
            name: NOBODY.to_owned(),
            tenant: DEFAULT_TENANT.to_owned(),
            scopes: BTreeSet::new(),
        }
    }

    /// Whether the caller may see the errors of what is behind the service: an
    /// administrator who showed a key or token. The local user has the log;
    /// over HTTP anybody who can connect is one where none is required.
    pub(crate) fn sees_failures(&self) -> bool {
        self.may(Scope::Admin) && self.name != LOCAL
    }

    /// Whether the caller showed a key or token.
    pub(crate) fn has_key(&self) -> bool {
        self.name != LOCAL && self.name != NOBODY
    }

    /// Whether the caller has this scope.
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}
