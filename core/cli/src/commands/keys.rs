//! `gannet keys`: API keys of the HTTP service.

use gannet_core::config::Loaded;
use gannet_server::auth::{ApiKey, AuditEvent, KeyFile, NewKey};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::audit::audit;
use crate::arguments::{Common, CreateKeyArguments, Format, KeysCommand};
use crate::failure::{Exit, Failure};
use crate::render::{Clock, DIM, GOOD, print_json, print_json_list, safe_line, table};
use crate::session;

/// Creates, lists or revokes.
pub fn run(common: &Common, command: KeysCommand) -> Result<Exit, Failure> {
    let loaded = session::configuration(common, &[])?;
    session::check_folder_of_service(&loaded)?;
    let config = &loaded.config;
    let file = KeyFile::of(&config.server.auth, &config.store.path);
    match command {
        KeysCommand::Create(wanted) => create(common, &loaded, &file, wanted),
        KeysCommand::List => list(common, &loaded, &file),
        KeysCommand::Revoke { id } => revoke(common, &loaded, &file, &id),
    }
}

fn create(
    common: &Common,
    loaded: &Loaded,
    file: &KeyFile,
    wanted: CreateKeyArguments,
) -> Result<Exit, Failure> {
    if wanted.tenant.is_empty() {
        return Err(Failure::usage(
            "--tenant: the name of a tenant is not empty",
        ));
    }
    let days = wanted.expires_in_days;
    let expiry =
        days.map(|days| Timestamp::now() + SignedDuration::from_hours(24 * i64::from(days)));
    let (plain, key) = file.create(NewKey {
        name: wanted.name,
        scopes: wanted.scopes.into_iter().collect(),
        tenant: wanted.tenant,
        expires_at: expiry,
    })?;
    audit(&loaded.config, &AuditEvent::key_created(&key));
    match common.format {
        Format::Table => {
            outln!("{}", plain.reveal());
            errln!("{DIM}copy it now: it is not shown again, only its hash is stored{DIM:#}");
        }
        format => {
            let mut shown = shown(&key);
            shown["key"] = Value::from(plain.reveal());
            print_json(&shown, format)?;
        }
    }
    Ok(Exit::Done)
}

fn list(common: &Common, loaded: &Loaded, file: &KeyFile) -> Result<Exit, Failure> {
    let keys = file.keys()?;
    match common.format {
        Format::Table if keys.is_empty() => outln!("{DIM}no keys{DIM:#}"),
        Format::Table => {
            let zone = TimeZone::get(&loaded.config.timezone).unwrap_or(TimeZone::UTC);
            let clock = Clock::in_zone(zone);
            let columns = ["id", "name", "scopes", "tenant", "created", "state"];
            outln!(
                "{}",
                table(&columns, keys.iter().map(|key| row(key, &clock)))
            );
        }
        format => {
            let keys: Vec<Value> = keys.iter().map(shown).collect();
            print_json_list(&keys, format)?;
        }
    }
    Ok(Exit::Done)
}

fn revoke(common: &Common, loaded: &Loaded, file: &KeyFile, id: &str) -> Result<Exit, Failure> {
    let key = file.revoke(id)?;
    audit(&loaded.config, &AuditEvent::KeyRevoked { id });
    match common.format {
        Format::Table => outln!("{GOOD}revoked{GOOD:#} {}  {}", key.id, safe_line(&key.name)),
        format => print_json(&shown(&key), format)?,
    }
    Ok(Exit::Done)
}

/// A key without its hash, which nobody needs to see.
fn shown(key: &ApiKey) -> Value {
    json!({
        "id": key.id,
        "name": key.name,
        "scopes": key.scopes,
        "tenant": key.tenant,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "state": state(key),
    })
}

fn row(key: &ApiKey, clock: &Clock) -> Vec<String> {
    let scopes = key.scopes.iter().map(ToString::to_string);
    let state = match (state(key), key.expires_at) {
        ("valid", Some(end)) => format!("valid until {}", clock.minute(end)),
        (state, _) => state.to_owned(),
    };
    vec![
        key.id.clone(),
        safe_line(&key.name).into_owned(),
        scopes.collect::<Vec<_>>().join(", "),
        safe_line(&key.tenant).into_owned(),
        clock.minute(key.created_at),
        state,
    ]
}

fn state(key: &ApiKey) -> &'static str {
    match (key.revoked_at, key.is_valid_at(Timestamp::now())) {
        (Some(_), _) => "revoked",
        (None, true) => "valid",
        (None, false) => "expired",
    }
}
