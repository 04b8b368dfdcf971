//! The files of the interface, from the folder `web` of this crate. They are
//! compiled in as they are: a table of a few files needs no crate for it.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// A file as it is served.
#[derive(Clone, Copy)]
pub(super) struct WebFile {
    /// Its name within the folder.
    pub name: &'static str,
    /// Its MIME type.
    pub media: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

impl WebFile {
    /// Its ETag: a part of the SHA-256 of its content. Weak, because it may be
    /// sent compressed.
    pub fn tag(&self) -> String {
        let digest = Sha256::digest(self.bytes);
        let mut tag = "W/\"".to_owned();
        for byte in &digest[..12] {
            // Writing to a string cannot fail.
            let _ = write!(tag, "{byte:02x}");
        }
        tag.push('"');
        tag
    }
}

macro_rules! file {
    ($name:literal, $media:literal) => {
        WebFile {
            name: $name,
            media: $media,
            bytes: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/", $name)),
        }
    };
}

macro_rules! script {
    ($name:literal) => {
        file!($name, "text/javascript; charset=utf-8")
    };
}

/// What the page is made of, beside its styles.
pub(super) static FILES: &[WebFile] = &[
    file!("icon.svg", "image/svg+xml"),
    script!("address.js"),
    script!("agent.js"),
    script!("agent_invitation.js"),
    script!("again.js"),
    script!("answer.js"),
    script!("answer_panel.js"),
    script!("api.js"),
    script!("app.js"),
    script!("browse.js"),
    script!("create.js"),
    script!("day_lists.js"),
    script!("dom.js"),
    script!("entry.js"),
    script!("facets.js"),
    script!("feedback.js"),
    script!("format.js"),
    script!("histogram.js"),
    script!("hits.js"),
    script!("navigation.js"),
    script!("options.js"),
    script!("plan.js"),
    script!("plugins.js"),
    script!("progress.js"),
    script!("question_history.js"),
    script!("saved.js"),
    script!("search.js"),
    script!("set_counts.js"),
    script!("status.js"),
    script!("suggestions.js"),
    script!("texts.js"),
    script!("thread.js"),
    script!("trend_chart.js"),
    script!("unified.js"),
    script!("unified_answer.js"),
    script!("unified_cards.js"),
    script!("unified_context.js"),
    script!("unified_overflow.js"),
    script!("unified_reasons.js"),
    script!("unified_scope.js"),
];
