//! What tells whether an entry changed.

use gannet_api::Entry;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// What tells whether an entry's content changed: 16 bytes of the SHA-256 of
/// everything that a source can say, with the keys of objects sorted, so that
/// a source that shuffles them changes nothing.
pub(crate) fn content_hash(entry: &Entry) -> Vec<u8> {
    let mut hash = Sha256::new();
    for part in [
        &entry.kind,
        &entry.source_system,
        &entry.author,
        &entry.raw_text,
    ] {
        feed(&mut hash, part.as_bytes());
    }
    hash.update(entry.timestamp.as_microsecond().to_le_bytes());
    feed(
        &mut hash,
        entry.summary.as_deref().unwrap_or_default().as_bytes(),
    );
    for keyword in &entry.keywords {
        feed(&mut hash, keyword.as_bytes());
    }
    hash.update([0xff]);
    for file in &entry.attachments {
        for part in [
            &file.url,
            &file.mime_type,
            &file.filename,
            &file.thumbnail_url,
            &file.caption,
        ] {
            feed(&mut hash, part.as_deref().unwrap_or_default().as_bytes());
        }
    }
    hash.update([0xff]);
    feed_object(&mut hash, &entry.metadata);
    hash.finalize()[..16].to_vec()
}

/// What tells whether an entry's text changed.
pub(crate) fn text_hash(text: &str) -> i64 {
    let hash = Sha256::digest(text.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(bytes)
}

/// Lengths go in too, so that no two lists of parts feed the same bytes.
fn feed(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn feed_object(hash: &mut Sha256, object: &Map<String, Value>) {
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    hash.update((members.len() as u64).to_le_bytes());
    for (key, value) in members {
        feed(hash, key.as_bytes());
        feed_value(hash, value);
    }
}

fn feed_value(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Object(object) => {
            hash.update(b"{");
            feed_object(hash, object);
        }
        Value::Array(members) => {
            hash.update(b"[");
            hash.update((members.len() as u64).to_le_bytes());
            for member in members {
                feed_value(hash, member);
            }
        }
        scalar => {
            hash.update(b"=");
            feed(hash, scalar.to_string().as_bytes());
        }
    }
}
