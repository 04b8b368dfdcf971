//! Tokens of an identity provider, from its keys to the caller of a request.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gannet_core::config::{JwtAlgorithm, ServerConfig};
use gannet_server::auth::{AuthError, Authenticator, Caller, Scope};
use http::HeaderMap;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const ISSUER: &str = "https://id.example";
const AUDIENCE: &str = "gannet";
/// The first second of 2100.
const FAR: u64 = 4_102_444_800;
/// The modulus of an RSA key that was made for this test, and a token that it
/// signed; its private half was thrown away.
const RSA_MODULUS: &str = concat!(
    "ob-HMEEx2WF1Om-mAH6osPXJ9lvwtweJnRGMMcFwsEOmH3OhQidtR8uLY4lWfzEsdPcrKendxClHY86f9q8I",
    "pdUjJBZpcxpxY3V3s2V8RL-6ptjUvy9-bqw-NnujOhSfCVr53xNAU_vlq_F37i5DwtPSdw4WoUI28iqXC27D",
    "33WC4gHO8Yk0powwEq8NIzx0o-_qOhCN11InTelqTVg1pwm1GeZ279Hn_JU_AdZmt0gd9L2js6b0LvLMvH5x",
    "J8czXgSlZFEUQikZLj40mdTYPYIaRdVEf80B9xXRBR8hhEOjLa-CqW76bWFWkO_YaFUWf_WOMKHLGBASzN-1",
    "F6Wzuw",
);
const RSA_TOKEN: &str = concat!(
    "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSJ9.eyJpc3MiOiAiaHR0cHM6Ly9pZC5leGFtcGxlIiwgImF",
    "1ZCI6ICJnYW5uZXQiLCAic3ViIjogImFubiIsICJleHAiOiA0MTAyNDQ0ODAwLCAic2NvcGUiOiAic2VhcmN",
    "oIn0.Nix6AszpNx0BNi9pxj51H4rCDaGn2p3fucmoeMM_H3djZIdv8rIpz9wZ0LCSUEhnE8xvxC2vxBpZ728",
    "RP9K0QmuPTn2JgQSjbOE7OphXWw6y7DVVqNyQPT26tSP3n7GKjYZ8LCeTWU-Z5w4Rz4jvBFS_h6ZUzMWSxfG",
    "oD6eg2X8AlAnQaw6O2QTDkqLfsnmEYa8ZgJN1rnlHAxUZsUFOVySoOVXaONj64MNrxws4j7gw-QAIDl57K21",
    "FyHQC952YiU2_IxyoStnIPWje7Ax_HOyN46v3NghDcig7Xm2zx97cuCBnovvDkEHZho0zdDiXp-DuDEoXF4E",
    "k6k9BmwG7Wg",
);

/// An identity provider with a key of each curve.
struct Provider {
    folder: TempDir,
    p256: EcdsaKeyPair,
    ed25519: Ed25519KeyPair,
}

impl Provider {
    fn new() -> Self {
        let random = SystemRandom::new();
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let p256 = EcdsaKeyPair::generate_pkcs8(algorithm, &random).unwrap();
        let ed25519 = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let provider = Self {
            folder: tempfile::tempdir().unwrap(),
            p256: EcdsaKeyPair::from_pkcs8(algorithm, p256.as_ref(), &random).unwrap(),
            ed25519: Ed25519KeyPair::from_pkcs8(ed25519.as_ref()).unwrap(),
        };
        std::fs::write(provider.file(), provider.keys().to_string()).unwrap();
        provider
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("jwks.json")
    }

    fn keys(&self) -> Value {
        let point = self.p256.public_key().as_ref();
        json!({ "keys": [
            { "kty": "EC", "crv": "P-256", "kid": "ec", "use": "sig", "alg": "ES256",
              "x": encoded(&point[1..33]), "y": encoded(&point[33..]) },
            { "kty": "OKP", "crv": "Ed25519", "kid": "ed",
              "x": encoded(self.ed25519.public_key().as_ref()) },
            { "kty": "RSA", "kid": "rsa", "n": RSA_MODULUS, "e": "AQAB" },
            { "kty": "oct", "kid": "shared", "k": encoded(b"a secret of both sides, 32 bytes") },
        ]})
    }

    fn token(&self, algorithm: &str, key: &str, claims: &Value) -> String {
        let header = json!({ "alg": algorithm, "kid": key, "typ": "JWT" });
        self.signed(&header, claims)
    }

    fn signed(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| encoded(value.to_string().as_bytes());
        let message = format!("{}.{}", part(header), part(claims));
        let signature = match header["alg"].as_str().unwrap() {
            "EdDSA" => self.ed25519.sign(message.as_bytes()).as_ref().to_vec(),
            _ => {
                let signed = self.p256.sign(&SystemRandom::new(), message.as_bytes());
                signed.unwrap().as_ref().to_vec()
            }
        };
        format!("{message}.{}", encoded(&signature))
    }

    fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::default();
        config.auth.required = true;
        config.auth.jwt.issuer = Some(ISSUER.to_owned());
        config.auth.jwt.audience = Some(AUDIENCE.to_owned());
        config.auth.jwt.jwks_file = Some(self.file());
        config
    }

    fn service(&self, change: impl FnOnce(&mut ServerConfig)) -> Authenticator {
        let mut config = self.config();
        change(&mut config);
        Authenticator::of(&config, self.folder.path()).unwrap()
    }
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": [AUDIENCE, "other"], "sub": "ann", "exp": FAR,
        "scope": "openid search ask",
    })
}

/// Claims with one of them set, or left out by null.
fn with(claim: &str, value: Value) -> Value {
    let mut claims = claims();
    let members = claims.as_object_mut().unwrap();
    members.shift_remove(claim);
    if !value.is_null() {
        members.insert(claim.to_owned(), value);
    }
    claims
}

/// Each call from an address of its own, so that none has to wait.
async fn login(service: &Authenticator, token: &str) -> Result<Caller, AuthError> {
    static CALLS: AtomicUsize = AtomicUsize::new(1);
    let number = CALLS.fetch_add(1, Ordering::Relaxed) as u32;
    let mut headers = HeaderMap::new();
    headers.insert("authorization", format!("Bearer {token}").parse().unwrap());
    service
        .authenticate(&headers, IpAddr::V4(Ipv4Addr::from(number)))
        .await
}

#[tokio::test]
async fn a_token_of_the_provider_is_a_caller_with_its_scopes() {
    let provider = Provider::new();
    let service = provider.service(|_| ());
    let expected = Caller {
        name: "jwt:ann".to_owned(),
        tenant: "default".to_owned(),
        scopes: [Scope::Search, Scope::Ask].into(),
    };
    for (algorithm, key) in [("ES256", "ec"), ("EdDSA", "ed")] {
        let token = provider.token(algorithm, key, &claims());
        assert_eq!(
            login(&service, &token).await.unwrap(),
            expected,
            "{algorithm}"
        );
    }
    let by_rsa = login(&service, RSA_TOKEN).await.unwrap();
    assert_eq!(by_rsa.scopes, [Scope::Search].into());
    let unnamed = provider.signed(&json!({ "alg": "EdDSA" }), &claims());
    assert_eq!(login(&service, &unnamed).await.unwrap(), expected);
}

#[tokio::test]
async fn a_token_that_is_not_for_this_service_or_not_now_is_refused() {
    let provider = Provider::new();
    let service = provider.service(|_| ());
    for (claim, value) in [
        ("iss", json!("https://evil.example")),
        ("iss", Value::Null),
        ("aud", json!("other")),
        ("aud", Value::Null),
        ("sub", Value::Null),
        ("exp", json!(1)),
        ("exp", json!("4102444800")),
        ("exp", Value::Null),
        ("nbf", json!(FAR)),
        ("nbf", json!("soon")),
    ] {
        let token = provider.token("ES256", "ec", &with(claim, value.clone()));
        let error = login(&service, &token).await.unwrap_err();
        assert_eq!(error.status(), 401, "{claim} {value}: {error}");
    }
}

#[tokio::test]
async fn a_token_does_not_choose_how_it_is_checked() {
    let provider = Provider::new();
    let service = provider.service(|_| ());
    let (other, good) = (Provider::new(), provider.token("ES256", "ec", &claims()));
    let (message, _) = good.rsplit_once('.').unwrap();
    let part = |value: Value| encoded(value.to_string().as_bytes());
    let hmac = |key: &[u8], id: &str| {
        let message = format!(
            "{}.{}",
            part(json!({"alg": "HS256", "kid": id})),
            part(claims())
        );
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, key);
        format!(
            "{message}.{}",
            encoded(ring::hmac::sign(&key, message.as_bytes()).as_ref())
        )
    };
    let point = provider.p256.public_key().as_ref();
    let forged = [
        // No signature, in three ways.
        format!("{}.{}.", part(json!({"alg": "none"})), part(claims())),
        format!(
            "{}.{}.",
            part(json!({"alg": "None", "kid": "ec"})),
            part(claims())
        ),
        format!("{message}."),
        // A public key as the secret of an HMAC; a shared secret of the set.
        hmac(point, "ec"),
        hmac(b"a secret of both sides, 32 bytes", "shared"),
        // Signed by somebody else, by another key, with a changed text.
        other.token("ES256", "ec", &claims()),
        provider.token("ES256", "ed", &claims()),
        provider.token("EdDSA", "ec", &claims()),
        provider.token("ES256", "unknown", &claims()),
        good.replacen('e', "f", 1),
        RSA_TOKEN.replace(".eyJ", ".eyK"),
        // An algorithm that is not configured.
        provider.token("ES384", "ec", &claims()),
        "a.b.c".to_owned(),
        "x".repeat(20_000),
    ];
    for token in forged {
        let error = login(&service, &token).await.unwrap_err();
        assert_eq!(error.status(), 401, "{token}: {error}");
    }
    let only_rsa = provider.service(|config| {
        config.auth.jwt.algorithms = vec![JwtAlgorithm::RS256];
    });
    assert_eq!(login(&only_rsa, &good).await.unwrap_err().status(), 401);
    assert!(login(&only_rsa, RSA_TOKEN).await.is_ok());
}

#[tokio::test]
async fn scopes_and_tenant_are_read_from_the_configured_claims() {
    let provider = Provider::new();
    let service = provider.service(|config| {
        let jwt = &mut config.auth.jwt;
        jwt.scope_claim = "roles".to_owned();
        jwt.scope_prefix = "gannet:".to_owned();
        jwt.tenant_claim = Some("hall".to_owned());
    });
    let mut claims = with("hall", json!("b"));
    claims["roles"] = json!(["gannet:search", "admin", "gannet:admin", "gannet:root", 5]);
    let caller = login(&service, &provider.token("ES256", "ec", &claims))
        .await
        .unwrap();
    assert_eq!(caller.tenant, "b");
    assert_eq!(caller.scopes, [Scope::Search, Scope::Admin].into());
    for hall in [Value::Null, json!(""), json!(5)] {
        let token = provider.token("ES256", "ec", &with("hall", hall));
        assert_eq!(login(&service, &token).await.unwrap_err().status(), 401);
    }
}

#[tokio::test]
async fn settings_that_would_accept_foreign_tokens_are_refused() {
    let provider = Provider::new();
    let changes: [fn(&mut ServerConfig); 4] = [
        |config| config.auth.jwt.audience = None,
        |config| config.auth.jwt.issuer = None,
        |config| config.auth.jwt.jwks_file = None,
        |config| config.auth.jwt.jwks_url = Some("https://id.example/keys".to_owned()),
    ];
    for change in changes {
        let mut config = provider.config();
        change(&mut config);
        let error = Authenticator::of(&config, provider.folder.path()).unwrap_err();
        assert!(matches!(error, AuthError::Configuration { .. }), "{error}");
    }
}

/// Answers every request with this, and counts them.
async fn key_server(answer: String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, count)
}

fn at(url: String) -> impl FnOnce(&mut ServerConfig) {
    |config| {
        config.auth.jwt.jwks_file = None;
        config.auth.jwt.jwks_url = Some(url);
    }
}

#[tokio::test]
async fn keys_are_fetched_once_also_for_tokens_with_unknown_keys() {
    let provider = Provider::new();
    let keys = provider.keys().to_string();
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length";
    let (url, count) = key_server(format!("{head}: {}\r\n\r\n{keys}", keys.len())).await;
    let service = provider.service(at(url));
    let token = provider.token("ES256", "ec", &claims());
    for _ in 0..3 {
        assert!(login(&service, &token).await.is_ok());
    }
    let unknown = provider.token("ES256", "unknown", &claims());
    for _ in 0..3 {
        assert_eq!(login(&service, &unknown).await.unwrap_err().status(), 401);
    }
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn without_the_keys_of_the_provider_nobody_is_let_in() {
    let provider = Provider::new();
    let token = provider.token("ES256", "ec", &claims());
    let (other, followed) = key_server("HTTP/1.1 200 OK\r\n\r\n".to_owned()).await;
    let answers = [
        "HTTP/1.1 500 Oops\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned(),
        format!("HTTP/1.1 302 Found\r\nlocation: {other}\r\ncontent-length: 0\r\n\r\n"),
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n[]".to_owned(),
        "garbage".to_owned(),
    ];
    for answer in answers {
        let (url, _) = key_server(answer.clone()).await;
        let service = provider.service(at(url.clone()));
        let error = login(&service, &token).await.unwrap_err();
        assert_eq!(error.status(), 503, "{answer}: {error}");
        assert!(!error.public().contains(&url), "{}", error.public());
    }
    assert_eq!(
        followed.load(Ordering::SeqCst),
        0,
        "no redirect is followed"
    );
    let service = provider.service(|_| std::fs::remove_file(provider.file()).unwrap());
    assert_eq!(login(&service, &token).await.unwrap_err().status(), 503);
}
