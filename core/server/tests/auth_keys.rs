//! API keys, from their file to the caller of a request.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::net::IpAddr;
use std::path::Path;

use gannet_core::config::ServerConfig;
use gannet_server::auth::{
    AuditEvent, AuditLog, AuthError, Authenticator, Caller, KeyFile, NewKey, PlainKey, Scope,
};
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// A folder with keys, and who checks them.
struct Service {
    folder: TempDir,
    keys: KeyFile,
    authenticator: Authenticator,
}

impl Service {
    fn new(change: impl FnOnce(&mut ServerConfig, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = ServerConfig::default();
        config.auth.required = true;
        change(&mut config, folder.path());
        Self {
            keys: KeyFile::of(&config.auth, folder.path()),
            authenticator: Authenticator::of(&config, folder.path()).unwrap(),
            folder,
        }
    }

    fn create(&self, change: impl FnOnce(&mut NewKey)) -> (PlainKey, String) {
        let mut new = NewKey {
            name: "notebook".to_owned(),
            scopes: [Scope::Search].into(),
            tenant: "hall_b".to_owned(),
            expires_at: None,
        };
        change(&mut new);
        let (plain, stored) = self.keys.create(new).unwrap();
        (plain, stored.id)
    }

    async fn login(&self, headers: &[(&'static str, &str)]) -> Result<Caller, AuthError> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        self.authenticator.authenticate(&map, HERE).await
    }

    async fn bearer(&self, key: &str) -> Result<Caller, AuthError> {
        self.login(&[("authorization", &format!("Bearer {key}"))])
            .await
    }
}

#[tokio::test]
async fn a_key_is_its_holder_with_tenant_and_scopes_until_it_is_revoked() {
    let service = Service::new(|_, _| ());
    let (key, id) = service.create(|_| ());
    let expected = Caller {
        name: format!("key:{id}"),
        tenant: "hall_b".to_owned(),
        scopes: [Scope::Search].into(),
    };
    assert_eq!(service.bearer(key.reveal()).await.unwrap(), expected);
    let by_other_header = service.login(&[("x-api-key", key.reveal())]).await;
    assert_eq!(by_other_header.unwrap(), expected);

    // Also a key that is made while the service runs.
    let (second, _) = service.create(|_| ());
    assert!(service.bearer(second.reveal()).await.is_ok());
    service.keys.revoke(&id).unwrap();
    assert_eq!(
        service.bearer(key.reveal()).await.unwrap_err().status(),
        401
    );
    assert!(service.bearer(second.reveal()).await.is_ok());
    assert!(service.keys.revoke("000000000000").is_err());
}

#[tokio::test]
async fn what_is_no_valid_key_is_refused_with_one_text() {
    let service = Service::new(|_, _| ());
    let (key, _) = service.create(|_| ());
    let past = Timestamp::now() - SignedDuration::from_secs(1);
    let (expired, _) = service.create(|new| new.expires_at = Some(past));
    let mut other = key.reveal().to_owned();
    let last = other.pop().unwrap();
    other.push(if last == '0' { '1' } else { '0' });
    for wrong in [
        other.as_str(),
        expired.reveal(),
        "gnt_",
        "eyJhbGciOiJub25lIn0.e30.",
    ] {
        let error = service.bearer(wrong).await.unwrap_err();
        assert_eq!(error.status(), 401, "{error}");
        assert_eq!(error.public(), "the API key or token is not valid");
        let told = format!("{error} {error:?}");
        assert!(!told.contains(wrong), "{told}");
    }
}

#[tokio::test]
async fn without_a_key_there_is_a_caller_only_where_none_is_required() {
    let service = Service::new(|_, _| ());
    assert!(matches!(service.login(&[]).await, Err(AuthError::Missing)));
    let (key, _) = service.create(|_| ());
    let two = [("authorization", "Bearer x"), ("x-api-key", key.reveal())];
    let refused = service.login(&two).await.unwrap_err();
    assert_eq!(refused.status(), 401);
    assert!(refused.public().contains("one key"), "{}", refused.public());
    assert_eq!(
        service
            .login(&[("authorization", "Basic abc")])
            .await
            .unwrap_err()
            .status(),
        401
    );

    let open = Service::new(|config, _| config.auth.required = false);
    assert_eq!(open.login(&[]).await.unwrap(), Caller::local());
    assert_eq!(open.bearer("gnt_x").await.unwrap_err().status(), 401);
    // Clients of OpenAI's interface send something always.
    assert_eq!(open.bearer("none").await.unwrap(), Caller::local());
}

#[tokio::test]
async fn after_failed_logins_an_address_has_to_wait_with_the_next_but_not_with_a_key() {
    let service = Service::new(|_, _| ());
    let (key, _) = service.create(|_| ());
    for _ in 0..5 {
        assert_eq!(service.bearer("gnt_x").await.unwrap_err().status(), 401);
    }
    let error = service.bearer("gnt_x").await.unwrap_err();
    assert!(matches!(error, AuthError::TooMany { .. }), "{error}");
    // Many clients may stand behind one address.
    assert!(service.bearer(key.reveal()).await.is_ok());
    let error = service.bearer("gnt_x").await.unwrap_err();
    assert!(matches!(error, AuthError::TooMany { .. }), "{error}");
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", "gnt_x".parse().unwrap());
    let elsewhere = "192.0.2.7".parse().unwrap();
    let authenticator = &service.authenticator;
    let error = authenticator.authenticate(&headers, elsewhere).await;
    assert_eq!(error.unwrap_err().status(), 401);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_lets_nobody_in() {
    let service = Service::new(|_, _| ());
    let (key, _) = service.create(|_| ());
    assert!(service.bearer(key.reveal()).await.is_ok());
    for wrong in ["", "{", r#"{"version": 2, "keys": []}"#] {
        std::fs::write(service.keys.path(), wrong).unwrap();
        let error = service.bearer(key.reveal()).await.unwrap_err();
        assert_eq!(error.status(), 503, "{error}");
        assert!(!error.public().contains("keys.json"), "{}", error.public());
    }
}

#[test]
fn the_file_has_hashes_and_only_its_owner_can_read_it() {
    let service = Service::new(|_, _| ());
    let (key, id) = service.create(|_| ());
    let text = std::fs::read_to_string(service.keys.path()).unwrap();
    let secret = key.reveal().rsplit('_').next().unwrap();
    assert!(text.contains(&id) && !text.contains(secret), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(service.keys.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn keys_that_are_made_at_once_are_all_kept() {
    let service = Service::new(|_, _| ());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| service.create(|_| ()));
        }
    });
    assert_eq!(service.keys.keys().unwrap().len(), 8);
}

/// A secret that must not come out anywhere.
#[tokio::test]
async fn s11_the_audit_log_has_failed_logins_and_no_secret() {
    let service = Service::new(|config, folder| {
        config.audit_log.path = Some(folder.join("audit.jsonl"));
    });
    let (key, id) = service.create(|_| ());
    service.keys.revoke(&id).unwrap();
    service.bearer(key.reveal()).await.unwrap_err();
    service
        .login(&[("authorization", "canary-4711")])
        .await
        .unwrap_err();
    let text = std::fs::read_to_string(service.folder.path().join("audit.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["event"], "login_failed");
    assert_eq!(lines[0]["address"], "127.0.0.1");
    assert!(lines[0]["reason"].as_str().unwrap().contains(&id));
    let secret = key.reveal().rsplit('_').next().unwrap();
    assert!(!text.contains(secret) && !text.contains("canary"), "{text}");
    let debug = format!("{:?} {key:?}", service.authenticator);
    assert!(!debug.contains(secret), "{debug}");
}

#[test]
fn s11_queries_are_in_the_audit_log_only_where_that_is_switched_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = ServerConfig::default().audit_log;
    config.path = Some(folder.path().join("audit.jsonl"));
    let event = AuditEvent::Query {
        mode: "keyword",
        query: "entry EN-2024-000123 password: hunter2",
    };
    AuditLog::of(&config).add("key:a", &event);
    assert!(!config.path.as_ref().unwrap().exists());
    config.queries = true;
    AuditLog::of(&config).add("key:a", &event);
    let text = std::fs::read_to_string(config.path.unwrap()).unwrap();
    assert!(
        text.contains("EN-2024-000123") && !text.contains("hunter2"),
        "{text}"
    );
}
