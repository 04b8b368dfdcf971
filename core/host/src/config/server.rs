//! What programs can reach over a wire, and who may.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gannet_api::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::percent::encoded;

/// Stands for the entry's id in `server.entry_url`.
const ENTRY_ID: &str = "{entry_id}";
/// What has no meaning in an address, beside letters and digits.
const UNRESERVED: &[u8] = b"-_.~";

/// The HTTP service of `gannet serve`, and MCP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// The address that is listened on: an IP address or `localhost`. Others
    /// than those of this machine are refused without authentication.
    pub host: String,
    /// The port that is listened on; 0 for any free one.
    pub port: u16,
    /// Host names that requests may be addressed to, beside `localhost` and IP
    /// addresses. Requests to other names are refused.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages, such as `https://logbook.example`, that may call
    /// the service from a browser, beside its own.
    pub allowed_origins: Vec<String>,
    /// Searches that compute, without a chat model and without another server
    /// or a loaded plugin, that run at once at most; the number of processors
    /// when not set.
    #[schemars(range(min = 1))]
    pub max_searches: Option<usize>,
    /// Searches with a chat model that run at once at most.
    #[schemars(range(min = 1))]
    pub max_model_searches: usize,
    /// Searches without a chat model that may wait for another server or for a
    /// loaded plugin that run at once at most.
    #[schemars(range(min = 1))]
    pub max_remote_searches: usize,
    /// Searches that wait for one of these to end at most; others are refused.
    pub max_queued: usize,
    /// Seconds that a search waits in the queue at most.
    #[schemars(range(min = 1))]
    pub queue_timeout_seconds: u64,
    /// Requests of one address in a minute at most; 0 for no limit.
    pub requests_per_minute: u32,
    /// Requests with one key or token in a minute at most; 0 for no limit.
    pub requests_per_minute_of_key: u32,
    /// Open connections at most.
    #[schemars(range(min = 1))]
    pub max_connections: usize,
    /// Open connections of one address at most; 0 for no limit. Addresses of
    /// this machine, such as that of a proxy, have no limit of their own.
    pub max_connections_per_address: usize,
    /// Bytes of a request's body at most.
    #[schemars(range(min = 1))]
    pub max_body_bytes: usize,
    /// Bytes of an upload at most, all files together.
    #[schemars(range(min = 1))]
    pub max_upload_bytes: usize,
    /// Bytes of an attached file at most.
    #[schemars(range(min = 1))]
    pub max_attachment_bytes: usize,
    /// Seconds that a client may take to send the head of a request, to send
    /// the body, and to read more of a response that waits for it.
    #[schemars(range(min = 1))]
    pub read_timeout_seconds: u64,
    /// Seconds that requests under way have to end when the service stops.
    #[schemars(range(min = 1, max = 30))]
    pub shutdown_timeout_seconds: u64,
    /// The address at which people read an entry, with `{entry_id}` for its id.
    #[schemars(regex(pattern = r"^https?://.*\{entry_id\}"))]
    pub entry_url: Option<String>,
    /// Whether agents may store entries over MCP.
    pub allow_mcp_writes: bool,
    /// Hours for which an `Idempotency-Key` stands for the request that it was
    /// first sent with.
    #[schemars(range(min = 1))]
    pub idempotency_key_hours: u32,
    /// Who may use the HTTP service.
    pub auth: AuthConfig,
    /// A log of logins that failed and of what administrators did.
    pub audit_log: AuditLogConfig,
    /// A log of searches.
    pub query_log: QueryLogConfig,
    /// Where traces of requests are sent.
    pub traces: TracesConfig,
}

/// Who may use the HTTP service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuthConfig {
    /// Whether a request without an API key or token is refused.
    pub required: bool,
    /// The file with the hashes of API keys; `keys.json` in the store's folder
    /// when not set.
    pub keys_file: Option<PathBuf>,
    /// Tokens of an identity provider.
    pub jwt: JwtConfig,
}

/// Tokens (JWT) of an identity provider. They are accepted when `issuer`,
/// `audience` and one of `jwks_url` and `jwks_file` are set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JwtConfig {
    /// The required issuer (`iss`).
    pub issuer: Option<String>,
    /// The required audience (`aud`).
    pub audience: Option<String>,
    /// The address of the provider's public keys (JWKS).
    #[schemars(regex(pattern = r"^(https://|http://(localhost|127\.0\.0\.1|\[::1\])[:/])"))]
    pub jwks_url: Option<String>,
    /// Whether the host name of `jwks_url` may stand for an address of a
    /// private network.
    pub jwks_allow_private_addresses: bool,
    /// A file with the provider's public keys (JWKS).
    pub jwks_file: Option<PathBuf>,
    /// Seconds after which the keys are read again.
    #[schemars(range(min = 10))]
    pub jwks_refresh_seconds: u64,
    /// The signature algorithms that are accepted.
    #[schemars(length(min = 1))]
    pub algorithms: Vec<JwtAlgorithm>,
    /// The claim with the scopes: a list, or a string with blanks between.
    pub scope_claim: String,
    /// What stands before `search`, `ask`, `ingest`, `metrics` and `admin` in that
    /// claim.
    pub scope_prefix: String,
    /// The claim with the tenant; every token is of the default tenant when
    /// not set.
    pub tenant_claim: Option<String>,
}

impl AuthConfig {
    /// The file with the hashes of API keys, for the store in this folder.
    pub fn keys_path(&self, store: &Path) -> PathBuf {
        let named = self.keys_file.clone();
        named.unwrap_or_else(|| store.join("keys.json"))
    }
}

/// Signatures by a key pair. A secret that both sides know (`HS256`) would let
/// whoever can check tokens make them, and `none` is no signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum JwtAlgorithm {
    /// RSA PKCS#1 v1.5 with SHA-256.
    RS256,
    /// RSA PKCS#1 v1.5 with SHA-384.
    RS384,
    /// RSA PKCS#1 v1.5 with SHA-512.
    RS512,
    /// RSA PSS with SHA-256.
    PS256,
    /// RSA PSS with SHA-384.
    PS384,
    /// RSA PSS with SHA-512.
    PS512,
    /// ECDSA on P-256 with SHA-256.
    ES256,
    /// ECDSA on P-384 with SHA-384.
    ES384,
    /// Ed25519.
    EdDSA,
}

/// A log of logins that failed and of what administrators did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditLogConfig {
    /// The file to which each event is added as a line of JSON. Not set: none
    /// is kept.
    pub path: Option<PathBuf>,
    /// Whether it holds queries too, with secrets redacted.
    pub queries: bool,
}

/// A log of searches: who, when, in which mode, how many results, how long;
/// with a hash in the place of the query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueryLogConfig {
    /// The file to which each search is added as a line of JSON. Not set: none
    /// is kept.
    pub path: Option<PathBuf>,
    /// Whether it holds queries too, with secrets redacted.
    pub queries: bool,
}

/// Traces of requests, sent to an OpenTelemetry collector by OTLP over HTTP, in
/// JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TracesConfig {
    /// Whether traces are sent, where there is an `endpoint`.
    pub enabled: bool,
    /// The address that spans are posted to, such as
    /// `http://127.0.0.1:4318/v1/traces`. Not set: no traces. It has no user, no
    /// query and no fragment; what a collector asks for goes into `headers`.
    #[schemars(regex(pattern = r"^https?://"))]
    pub endpoint: Option<String>,
    /// Headers of each request to the collector, by their names, as secrets.
    pub headers: BTreeMap<String, Secret>,
    /// More headers in one secret, as OpenTelemetry writes them:
    /// `name=value,name=value`, the values percent-encoded.
    pub header_list: Option<Secret>,
    /// The name of this service in the traces.
    #[schemars(length(min = 1))]
    pub service_name: String,
    /// Whether the host name of `endpoint` may stand for an address of a
    /// private network.
    pub allow_private_addresses: bool,
}

impl Default for TracesConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            endpoint: None,
            headers: BTreeMap::new(),
            header_list: None,
            service_name: "gannet".to_owned(),
            allow_private_addresses: false,
        }
    }
}

impl Default for JwtConfig {
    fn default() -> Self {
        Self {
            issuer: None,
            audience: None,
            jwks_url: None,
            jwks_allow_private_addresses: false,
            jwks_file: None,
            jwks_refresh_seconds: 3600,
            algorithms: vec![
                JwtAlgorithm::RS256,
                JwtAlgorithm::ES256,
                JwtAlgorithm::EdDSA,
            ],
            scope_claim: "scope".to_owned(),
            scope_prefix: String::new(),
            tenant_claim: None,
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8085,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            max_searches: None,
            max_model_searches: 32,
            max_remote_searches: 32,
            max_queued: 64,
            queue_timeout_seconds: 2,
            requests_per_minute: 1200,
            requests_per_minute_of_key: 0,
            max_connections: 512,
            max_connections_per_address: 64,
            max_body_bytes: 2 << 20,
            max_upload_bytes: 32 << 20,
            max_attachment_bytes: 10 << 20,
            read_timeout_seconds: 10,
            shutdown_timeout_seconds: 25,
            entry_url: None,
            allow_mcp_writes: false,
            idempotency_key_hours: 24,
            auth: AuthConfig::default(),
            audit_log: AuditLogConfig::default(),
            query_log: QueryLogConfig::default(),
            traces: TracesConfig::default(),
        }
    }
}

impl ServerConfig {
    /// The address at which people read an entry; `None` without a template,
    /// and for an id that is blank.
    pub fn address_of(&self, entry_id: &str) -> Option<String> {
        let template = self.entry_url.as_deref()?;
        let has_place = template.contains(ENTRY_ID) && !entry_id.trim().is_empty();
        has_place.then(|| template.replace(ENTRY_ID, &encoded(entry_id, UNRESERVED)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_entry_is_that_of_ariel() {
        for case in gannet_test_cases::cases("ariel.jsonl", "entry_url") {
            let config = ServerConfig {
                entry_url: case["input"]["template"].as_str().map(str::to_owned),
                ..ServerConfig::default()
            };
            let id = case["input"]["entry_id"].as_str().unwrap_or_default();
            assert_eq!(
                config.address_of(id).as_deref(),
                case["expected"].as_str(),
                "{case}"
            );
        }
    }

    #[test]
    fn an_id_cannot_add_to_the_address() {
        let config = ServerConfig {
            entry_url: Some("https://log/{entry_id}".to_owned()),
            ..ServerConfig::default()
        };
        let address = config.address_of("../x#y\u{e9}");
        assert_eq!(address.as_deref(), Some("https://log/..%2Fx%23y%C3%A9"));
    }
}
