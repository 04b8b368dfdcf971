//! Entries with attachments, and what is read of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use gannet_attachment_text::AttachmentTexts;
use gannet_plugin::entry::Attachment;
use gannet_plugin::prelude::{Enhancer, Entry, Error, Setup};
use gannet_plugin::testing::{self, FakeHost};
use jiff::Timestamp;
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

#[test]
fn a_server_with_dots_in_its_path_is_refused() {
    let settings = json!({"servers": ["https://elog.lab/files/%2e%2e/"]});
    let refused = AttachmentTexts::new(testing::settings(settings).unwrap(), &Setup::default());
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("no segment `.` or `..`"), "{refused}");
}

#[test]
fn a_file_outside_of_the_named_folder_is_not_asked_for() {
    let host = FakeHost::default().on_http(|_| {
        Err(Error::NotFound {
            what: "file".to_owned(),
            name: "any".to_owned(),
            hint: String::new(),
        })
    });
    let files = ["in.txt", "../other/out.txt", "%2e%2e/other/out.txt"];
    let attachments = files.map(|name| {
        Attachment::default()
            .with_url(format!("https://elog.lab/files/{name}"))
            .with_filename("notes.txt".to_owned())
    });
    let entry = Entry::new("E1", "test", Timestamp::UNIX_EPOCH, "Notes.")
        .with_attachments(attachments.to_vec());
    let settings = json!({"servers": ["https://elog.lab/files/"]});
    let module = AttachmentTexts::new(testing::settings(settings).unwrap(), &Setup::default());

    let work = module.unwrap();
    pollster::block_on(work.enhance(vec![entry], &host.context())).unwrap();

    let asked: Vec<String> = host.calls().http.into_iter().map(|one| one.url).collect();
    assert_eq!(asked, ["https://elog.lab/files/in.txt"]);
}
