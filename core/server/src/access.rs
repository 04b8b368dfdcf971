//! Which route needs which scope, in one table: requests are checked by it, and
//! the OpenAPI document is written from it.

use axum::http::Method;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::web;

/// What a caller needs for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing: probes, and what tells nothing of the entries.
    Open,
    /// One of these scopes.
    AnyOf(&'static [Scope]),
}

/// The rule of the routes of a method below a path.
struct Rule {
    /// Every method when not set.
    method: Option<Method>,
    /// A path; with `*` at its end, every path that begins so.
    path: &'static str,
    access: Access,
}

const fn rule(method: Option<Method>, path: &'static str, access: Access) -> Rule {
    Rule {
        method,
        path,
        access,
    }
}

/// The rules; the first one that fits counts. Searches that ask a chat model
/// need `ask` in addition, see [`Backend::admit`](crate::backend::Backend::admit),
/// and tools of MCP that write need `ingest`. Routes that show figures of the
/// whole process beside those of the caller's tenant show them to `admin`.
static RULES: [Rule; 13] = [
    rule(None, "/healthz", Access::Open),
    rule(None, "/readyz", Access::Open),
    rule(None, "/health", Access::Open),
    rule(None, "/openapi.json", Access::Open),
    rule(None, "/docs", Access::Open),
    rule(
        None,
        "/metrics",
        Access::AnyOf(&[Scope::Metrics, Scope::Admin]),
    ),
    rule(
        Some(Method::POST),
        "/api/entries*",
        Access::AnyOf(&[Scope::Ingest]),
    ),
    rule(
        Some(Method::POST),
        "/api/drafts*",
        Access::AnyOf(&[Scope::Ingest]),
    ),
    rule(
        Some(Method::GET),
        "/api/feedback",
        Access::AnyOf(&[Scope::Admin]),
    ),
    rule(
        Some(Method::DELETE),
        "/api/feedback",
        Access::AnyOf(&[Scope::Admin]),
    ),
    rule(None, "/v1/search/index*", Access::AnyOf(&[Scope::Admin])),
    rule(
        None,
        "/v1/search/quality*",
        Access::AnyOf(&[Scope::Metrics, Scope::Admin]),
    ),
    rule(None, "/*", Access::AnyOf(&[Scope::Search])),
];

impl Rule {
    fn fits(&self, method: &Method, path: &str) -> bool {
        let is_path = match self.path.strip_suffix('*') {
            Some(beginning) => path.starts_with(beginning),
            None => path == self.path,
        };
        is_path && self.method.as_ref().is_none_or(|own| own == method)
    }
}

impl Access {
    /// What a request of this method and path needs.
    pub fn of(method: &Method, path: &str) -> Self {
        if web::is_page(path) {
            return Self::Open;
        }
        let mut rules = RULES.iter();
        let rule = rules.find(|rule| rule.fits(method, path));
        // The last rule fits every path; a request with none is a search.
        rule.map_or(Self::AnyOf(&[Scope::Search]), |rule| rule.access)
    }

    /// The scope that a caller lacks.
    pub fn lacks(self, caller: &Caller) -> Option<Scope> {
        match self {
            Self::Open => None,
            Self::AnyOf(scopes) if scopes.iter().any(|scope| caller.may(*scope)) => None,
            Self::AnyOf(scopes) => scopes.first().copied(),
        }
    }

    /// The `security` of an operation in the OpenAPI document: a key or token
    /// with any of the scopes, and nothing as well where none is required.
    pub fn security(self, is_required: bool) -> Value {
        let Self::AnyOf(scopes) = self else {
            return json!([]);
        };
        let nothing = (!is_required).then(|| json!({}));
        let schemes = scopes
            .iter()
            .flat_map(|scope| [BEARER, API_KEY].map(|scheme| json!({ scheme: [scope.name()] })));
        nothing.into_iter().chain(schemes).collect()
    }
}

const BEARER: &str = "bearer";
const API_KEY: &str = "api_key";

/// The schemes that [`Access::security`] names.
pub(crate) fn security_schemes() -> Value {
    json!({
        BEARER: {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key of `gannet keys`, or a token of the identity provider.",
        },
        API_KEY: {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "An API key of `gannet keys`.",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_needs_the_scope_to_ingest_and_metrics_one_of_their_own() {
        const INGEST: Access = Access::AnyOf(&[Scope::Ingest]);
        const SEARCH: Access = Access::AnyOf(&[Scope::Search]);
        for path in ["/api/entries", "/api/entries/batch", "/api/drafts"] {
            assert_eq!(Access::of(&Method::POST, path), INGEST, "{path}");
            assert_eq!(Access::of(&Method::GET, path), SEARCH, "{path}");
        }
        assert_eq!(Access::of(&Method::POST, "/api/search"), SEARCH);
        assert_eq!(Access::of(&Method::DELETE, "/mcp"), SEARCH);
        assert_eq!(Access::of(&Method::OPTIONS, "*"), SEARCH);
        let metrics = Access::of(&Method::GET, "/metrics");
        assert_eq!(metrics, Access::AnyOf(&[Scope::Metrics, Scope::Admin]));
        for path in ["/healthz", "/", "/assets/gannet.js"] {
            assert_eq!(Access::of(&Method::GET, path), Access::Open, "{path}");
        }
    }

    #[test]
    fn the_reference_has_the_table() {
        let page = include_str!("../../../docs/reference/http.md");
        for rule in RULES.iter().rev().skip(1) {
            let Access::AnyOf(scopes) = rule.access else {
                let path = format!("`{}`", rule.path);
                assert!(page.contains(&path), "{path}");
                continue;
            };
            let method = rule.method.as_ref().map_or("", Method::as_str);
            let path = format!("{method} {}", rule.path);
            let scopes: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
            let row = format!("| `{}` | {} |", path.trim(), scopes.join(" or "));
            assert!(page.contains(&row), "{row}");
        }
    }
}
