//! What a new configuration may change while the host runs.

use serde_json::Value;

use crate::HostError;
use crate::config::Config;

/// Sections and keys that count only when the program starts.
const FIXED: [&str; 4] = [
    "store",
    "server.host",
    "server.port",
    "server.max_connections",
];

/// Refuses a configuration that changes what only a restart can change.
///
/// # Errors
/// [`HostError::NeedsRestart`] with the keys.
pub(crate) fn check_restart(old: &Config, new: &Config) -> Result<(), HostError> {
    let value = |config| serde_json::to_value(config).unwrap_or_default();
    let (old, new): (Value, Value) = (value(old), value(new));
    let mut changed = Vec::new();
    for key in FIXED {
        let pointer = format!("/{}", key.replace('.', "/"));
        collect_changed(
            key,
            old.pointer(&pointer),
            new.pointer(&pointer),
            &mut changed,
        );
    }
    // A file that was emptied or replaced by mistake does not open the service.
    if old_auth_ends(&old, &new) {
        changed.push("`server.auth.required`".to_owned());
    }
    match changed.is_empty() {
        true => Ok(()),
        false => Err(HostError::NeedsRestart {
            keys: changed.join(", "),
        }),
    }
}

/// Whether callers had to log in and would not have to any more.
fn old_auth_ends(old: &Value, new: &Value) -> bool {
    let required = |config: &Value| config.pointer("/server/auth/required") == Some(&true.into());
    required(old) && !required(new)
}

/// Adds the keys below `key` whose values differ.
fn collect_changed(key: &str, old: Option<&Value>, new: Option<&Value>, changed: &mut Vec<String>) {
    if old == new {
        return;
    }
    let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new) else {
        changed.push(format!("`{key}`"));
        return;
    };
    for (name, value) in new {
        collect_changed(
            &format!("{key}.{name}"),
            old.get(name),
            Some(value),
            changed,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_need_a_restart_are_named_and_others_may_change() {
        let old = Config::default();
        let mut new = old.clone();
        new.default_max_results += 1;
        new.server.requests_per_minute += 1;
        new.server.auth.required = true;
        assert!(check_restart(&old, &new).is_ok());
        let opened = check_restart(&new, &old).map_err(|error| error.to_string());
        let opened = opened.err().unwrap_or_default();
        assert!(opened.contains("`server.auth.required`"), "{opened}");
        new.store.path = "/elsewhere".into();
        new.store.field_weights.title += 1.0;
        new.server.port = 1;
        let refused = check_restart(&old, &new).map_err(|error| error.to_string());
        let keys = "`store.path`, `store.field_weights.title`, `server.port`";
        let keys: Vec<&str> = keys.split(", ").collect();
        let refused = refused.err().unwrap_or_default();
        for key in keys {
            assert!(refused.contains(key), "{key}: {refused}");
        }
    }
}
