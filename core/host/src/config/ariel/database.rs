//! ARIEL's database, as the store.

use serde_json::{Map, Value, json};

use super::{BLOCK, POSTGRESQL};
use crate::config::key_path::KeyPath;
use crate::config::translation::Notes;

/// The parts of an address, each with ARIEL's default.
const PARTS: [(&str, &str); 3] = [
    ("username", "ariel"),
    ("port_host", "5432"),
    ("database_name", "ariel"),
];

/// ARIEL's database is searched as it is, until the configuration says
/// otherwise. Without an address ARIEL makes one of the parts in
/// `services.postgresql`; those in its own block win.
///
/// Gives the store and the key that names it, from the root of the file.
pub(super) fn translate(
    database: Option<&Value>,
    postgresql: Option<&Value>,
    notes: &mut Notes,
) -> Option<(KeyPath, Value)> {
    let path = KeyPath::from_dotted("database");
    let empty = Map::new();
    let members = match database {
        Some(Value::Object(members)) => Some(members),
        None | Some(Value::Null) => None,
        Some(_) => {
            notes.leave(&path, "it is not a mapping with an `uri`");
            None
        }
    };
    if members.is_none() && postgresql.is_none() {
        return None;
    }
    let own = members.unwrap_or(&empty);
    for key in own.keys().filter(|key| !is_read(key)) {
        notes.leave(&path.child(key), "there is nothing that it could set");
    }
    let written = ["uri", "connection_string"].into_iter().find(|key| {
        own.get(*key)
            .is_some_and(|uri| !uri.is_null() && *uri != "")
    });
    let (key, uri) = match written {
        Some(key) => (format!("{BLOCK}.database.{key}"), own[key].clone()),
        None if members.is_some() => (format!("{BLOCK}.database"), made(own, postgresql)),
        None => (POSTGRESQL.to_owned(), made(own, postgresql)),
    };
    let store = json!({ "kind": "postgres", "uri": uri, "adopt": "ariel" });
    Some((KeyPath::from_dotted(&key), store))
}

fn is_read(key: &str) -> bool {
    ["uri", "connection_string"].contains(&key) || PARTS.iter().any(|(part, _)| *part == key)
}

/// The address that ARIEL makes of the parts.
fn made(own: &Map<String, Value>, postgresql: Option<&Value>) -> Value {
    let [user, port, name] = PARTS.map(|(part, default)| {
        let given = own.get(part).and_then(text);
        let of_service = || postgresql?.get(part).and_then(text);
        given
            .or_else(of_service)
            .unwrap_or_else(|| default.to_owned())
    });
    Value::String(format!(
        "postgresql://{user}:${{ARIEL_DB_PASSWORD:-ariel}}@${{ARIEL_DATABASE_HOST:-localhost}}:{port}/{name}"
    ))
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
