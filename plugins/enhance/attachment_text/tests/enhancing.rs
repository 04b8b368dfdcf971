//! Entries with attachments, and what is read of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_attachment_text::AttachmentTexts;
use gannet_plugin::prelude::{Enhancer, Setup};
use gannet_plugin::testing;
use serde_json::json;

#[test]
fn it_conforms() {
    testing::assert_conforms();
}

#[test]
fn a_server_without_a_slash_at_its_end_is_refused() {
    let settings = testing::settings(json!({"servers": ["https://elog.lab"]})).unwrap();
    let refused = AttachmentTexts::new(settings, &Setup::default());
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("must end with `/`"), "{refused}");
}
