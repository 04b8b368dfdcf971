//! Mails, pages and texts that were damaged by chance: none of them panics or
//! takes long, and each is read or rejected.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use gannet_files::{Files, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Setup};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use gannet_test_mutations::check;
use serde_json::json;

const MAIL: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@lab.example>\r\nTo: a, b <c@d>;\r\n\
Subject: =?utf-8?b?U3TDtnJ1bmc=?= of RF\r\nDate: Fri, 05 Jan 2024 08:30:00 +0100\r\n\
Message-ID: <2@lab.example>\r\nReferences: <1@lab.example> <0@lab.example>\r\nMIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\n\
Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
It l=E4uft.\r\n--b\r\nContent-Type: text/markdown; name*=utf-8''pl%c3%a4n.md\r\n\
Content-Disposition: attachment; filename=\"../plan.md\"\r\n\r\n---\r\ndate: 2024-01-05\r\n---\r\n# Plan\r\n\
--b\r\nContent-Type: application/rtf\r\nContent-Disposition: attachment\r\n\
Content-Transfer-Encoding: base64\r\n\r\ne1xydGYxIGF9\r\n\
--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: a@b\r\nSubject: Earlier\r\n\
Content-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/html\r\n\r\n<p>See\r\n--c--\r\n--b--\r\n";

const MAILBOX: &str = "From a@b Fri Jan  5 08:30:00 2024\nFrom: a@b\nSubject: One\n\
Date: Fri, 05 Jan 2024 08:30:00 +0000\n\nThe first.\n>From here\n\n\
From b@b Fri Jan  5 09:30:00 2024\nFrom: b@b\nSubject: Two\n\nThe second.\n";

const PAGE: &str = "<!doctype html><html><head><title>Pumps</title><style>p{}</style></head><body>\
<h1>One</h1><p class=\"a>b\">Oil &amp; &#228; &nbsp;water<br/><script>if (a<b) {}</script><ul><li>x</ul>\
<table><tr><td>a<td>b</table><pre>  c\n d</pre><!-- no --></body></html>";

const TEXT: &str = "---\ntitle: Start\ndate: 2024-01-05 08:30\ntags: [rf, \"man,ual\"]\nlist:\n- a\n- b\n---\n\
# Start #\n\nWarm up \u{e4}\u{1f600}.\n";

const MAIL_WORDS: [&str; 12] = [
    "\r\n",
    "\n\n",
    "--b",
    "--b--",
    "Content-Type: message/rfc822\r\n\r\n",
    "=?utf-8?b?",
    "?=",
    "=",
    "Content-Type: multipart/mixed; boundary=b\r\n",
    "\nFrom ",
    "<a@b>",
    "charset=utf-7",
];
const PAGE_WORDS: [&str; 10] = [
    "<",
    ">",
    "<div>",
    "</div>",
    "<script>",
    "<!--",
    "&#x110000;",
    "&",
    "<title>",
    "<table><tr><td>",
];
const TEXT_WORDS: [&str; 6] = ["---\n", ": ", "[", "\"", "\u{feff}", "date: 99999-99-99\n"];

fn check_format(name: &str, seed: &str, words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let settings: Settings = testing::settings(json!({})).unwrap();
    let adapter = Files::new(settings, &Setup::default()).unwrap();
    let context = FakeHost::default().context();
    let source = path.display().to_string();
    let copy = |mutator: &mut gannet_test_mutations::Mutator| {
        mutator.damage(seed.as_bytes(), seed.as_bytes(), words)
    };
    check(name, copy, |bytes| {
        fs::write(&path, bytes).unwrap();
        let request = FetchRequest::default().with_source(source.clone());
        let fetched = pollster::block_on(async {
            Fetched::collect(adapter.fetch(request, &context).await.unwrap()).await
        });
        let fetched = fetched.unwrap();
        assert!(fetched.entries.len() + fetched.rejected.len() > 0 || name.ends_with("mbox"));
    });
}

#[test]
fn mutated_eml() {
    check_format("mail.eml", MAIL, &MAIL_WORDS);
}

#[test]
fn mutated_mbox() {
    check_format("mails.mbox", MAILBOX, &MAIL_WORDS);
}

#[test]
fn mutated_html() {
    check_format("page.html", PAGE, &PAGE_WORDS);
}

#[test]
fn mutated_markdown() {
    check_format("text.md", TEXT, &TEXT_WORDS);
}

#[test]
fn a_mail_of_thousands_of_mails_within_each_other_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested.eml");
    let head =
        "From: a@b\r\nSubject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n";
    let within = "Content-Type: message/rfc822\r\n\r\n".repeat(20_000);
    fs::write(&path, format!("{head}{within}")).unwrap();
    let settings: Settings = testing::settings(json!({})).unwrap();
    let adapter = Files::new(settings, &Setup::default()).unwrap();
    let context = FakeHost::default().context();
    let request = FetchRequest::default().with_source(path.display().to_string());
    let fetched = pollster::block_on(async {
        Fetched::collect(adapter.fetch(request, &context).await.unwrap()).await
    });
    assert_eq!(fetched.unwrap().rejected.len(), 1);
}
