//! The page, which every address of the interface shows. Its styles are in it,
//! so that it is drawn before anything else is loaded.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::files::WebFile;

/// The page as it is written: with one mark where its styles belong.
const WRITTEN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/index.html"));
/// What the page is called among the files.
pub(super) const NAME: &str = "index.html";
const STYLES_MARK: &str = "<!-- styles -->";
const STYLES: &str = concat!(
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/style.css")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/views.css")),
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/web/unified.css")),
);

/// The page as it is sent.
pub(super) struct Page {
    html: String,
    /// How a content security policy names its styles.
    pub styles: String,
}

pub(super) static PAGE: LazyLock<Page> = LazyLock::new(|| Page {
    html: WRITTEN.replace(STYLES_MARK, &format!("<style>{STYLES}</style>")),
    styles: format!("'sha256-{}'", STANDARD.encode(Sha256::digest(STYLES))),
});

/// It as a file.
pub(super) fn page() -> WebFile {
    WebFile {
        name: NAME,
        media: "text/html; charset=utf-8",
        bytes: PAGE.html.as_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_styles_of_the_page_are_those_that_the_policy_names() {
        let (_, rest) = PAGE.html.split_once("<style>").unwrap_or_default();
        let (styles, _) = rest.split_once("</style>").unwrap_or_default();
        assert!(styles.contains("@media"), "{styles}");
        let digest = STANDARD.encode(Sha256::digest(styles));
        assert_eq!(PAGE.styles, format!("'sha256-{digest}'"));
    }
}
