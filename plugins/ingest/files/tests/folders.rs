//! What the adapter makes of folders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use gannet_files::{Files, Settings};
use gannet_plugin::prelude::{Adapter, FetchRequest, Result, Setup};
use gannet_plugin::testing::{self, FakeHost, Fetched};
use serde_json::{Value, json};
use tempfile::TempDir;

fn fetch(source: &Path, settings: Value) -> Result<Fetched> {
    let settings: Settings = testing::settings(settings)?;
    let setup = Setup::default().with_timezone("America/New_York");
    let adapter = Files::new(settings, &setup)?;
    let mut context = FakeHost::default().context();
    context.call.tenant = "ring-1".into();
    let request = FetchRequest::default().with_source(source.display().to_string());
    pollster::block_on(async { Fetched::collect(adapter.fetch(request, &context).await?).await })
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn reasons(fetched: &Fetched) -> Vec<String> {
    let rejected = fetched.rejected.iter();
    rejected
        .map(|rejected| format!("{}: {}", rejected.position, rejected.reason))
        .collect()
}

#[test]
fn every_document_is_an_entry_named_by_its_path() {
    let folder = folder(&[
        ("b.txt", b"Plain\r\ntext"),
        (
            "manuals/rf/start.md",
            b"---\ndate: 2024-01-05 08:30\nauthor: Lee\nrevision: 3\n---\n# Start #\n\nWarm up.",
        ),
        (
            "manuals/pump.HTML",
            b"<title>Pumps</title><p>Oil &amp; water<script>x</script>",
        ),
        (".hidden/x.txt", b"hidden"),
        ("data.bin", b"left out"),
    ]);
    let fetched = fetch(folder.path(), json!({})).unwrap();

    assert_eq!(
        fetched.ids(),
        ["b.txt", "manuals/pump.HTML", "manuals/rf/start.md"]
    );
    assert_eq!((fetched.total, fetched.rejected.len()), (Some(3), 0));
    let [text, page, markdown] = &fetched.entries[..] else {
        panic!()
    };
    assert_eq!(text.raw_text, "Plain\ntext");
    assert_eq!(
        (text.kind.as_str(), text.tenant.as_str()),
        ("document", "ring-1")
    );
    assert_eq!(json!(text.metadata), json!({"format": "text"}));
    let changed = fs::metadata(folder.path().join("b.txt"))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(text.timestamp, changed.try_into().unwrap());

    assert_eq!(page.raw_text, "Pumps\n\nOil & water");
    assert_eq!(page.title(), Some("Pumps"));
    assert_eq!(markdown.raw_text, "# Start #\n\nWarm up.");
    assert_eq!(markdown.author, "Lee");
    assert_eq!(markdown.timestamp.to_string(), "2024-01-05T13:30:00Z");
    assert_eq!(
        json!(markdown.metadata),
        json!({"title": "Start", "format": "markdown", "folder": "manuals/rf", "revision": "3"})
    );
}

#[test]
fn one_file_is_read_whatever_its_extension() {
    let folder = folder(&[
        ("notes.log", b"Reset"),
        ("page", b"<!DOCTYPE html><p>Reset"),
    ]);
    for name in ["notes.log", "page"] {
        let fetched = fetch(&folder.path().join(name), json!({})).unwrap();
        assert_eq!(fetched.ids(), [name]);
        assert_eq!(fetched.entries[0].raw_text, "Reset");
    }
    let by_setting = fetch(folder.path(), json!({"extensions": ["log"]})).unwrap();
    assert_eq!(by_setting.ids(), ["notes.log"]);
}

#[test]
fn files_that_are_no_text_too_large_or_empty_are_rejected_and_the_rest_goes_on() {
    let large = vec![b'x'; 2_000];
    let folder = folder(&[
        ("a.txt", b"\x00\x01binary"),
        ("b.txt", b" \n"),
        ("c.txt", &large),
        ("d.md", b"---\ndate: soon\n---\nx"),
        ("e.txt", b"\xd6l"),
        ("f.txt", b"\xff\xfe\xd6\x00l\x00"),
    ]);
    let fetched = fetch(folder.path(), json!({"max_bytes": 1000})).unwrap();

    assert_eq!(fetched.ids(), ["e.txt", "f.txt"]);
    assert!(fetched.entries.iter().all(|entry| entry.raw_text == "Öl"));
    let reasons = reasons(&fetched);
    let expected = [
        "file `a.txt`: not a text",
        "file `b.txt`: no text",
        "file `c.txt`: larger than `max_bytes`",
        "file `d.md`: `date` \"soon\" is not a valid timestamp",
    ];
    assert_eq!(reasons.len(), expected.len());
    for (own, start) in reasons.iter().zip(expected) {
        assert!(own.starts_with(start), "{own}");
    }
}

const PDF: &str = "%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R 5 0 R 3 0 R]>> endobj
3 0 obj <</Type/Page/Contents 4 0 R/Resources<</Font<</F 7 0 R>>>>>> endobj
4 0 obj <<>> stream
BT /F 9 Tf 0 20 Td (Warm up) Tj 0 -12 Td (for ten minutes.) Tj ET
endstream endobj
5 0 obj <</Type/Page>> endobj
7 0 obj <</Type/Font/Subtype/Type1>> endobj
8 0 obj <</Title (Start of the klystron) /Author (M. Lee)>> endobj
trailer <</Root 1 0 R /Info 8 0 R>>
startxref
0
%%EOF";

#[test]
fn each_page_of_a_pdf_file_with_text_is_an_entry() {
    let folder = folder(&[("manuals/start.pdf", PDF.as_bytes()), ("a.txt", b"Text")]);
    let fetched = fetch(folder.path(), json!({})).unwrap();
    assert_eq!(fetched.ids(), ["a.txt", "manuals/start.pdf#page=1"]);
    assert_eq!(fetched.total, None);
    let page = &fetched.entries[1];
    assert_eq!(
        page.raw_text,
        "Start of the klystron, page 1\n\nWarm up\nfor ten minutes."
    );
    assert_eq!(page.author, "M. Lee");
    assert_eq!(
        json!(page.metadata),
        json!({
            "title": "Start of the klystron, page 1", "format": "pdf", "folder": "manuals",
            "file": "manuals/start.pdf", "page": 1, "pages": 2,
        })
    );
}

#[test]
fn pdf_files_that_give_no_text_are_rejected_with_the_reason() {
    let encrypted = PDF.replace("/Root", "/Encrypt 9 0 R /Root");
    let picture = PDF.replace("Tj", "re").replace("5 0 R 3 0 R", "");
    let folder = folder(&[
        ("a.pdf", encrypted.as_bytes()),
        ("b.pdf", picture.as_bytes()),
        ("c.pdf", &PDF.as_bytes()[..60]),
        ("d.pdf", b"PK\x03\x04\x00"),
        ("e.pdf", PDF.as_bytes()),
        // All of its text is there, but nothing says that it is all.
        ("f.pdf", &PDF.as_bytes()[..PDF.len() - 40]),
    ]);
    let reject = |settings| reasons(&fetch(folder.path(), settings).unwrap());
    let reasons = reject(json!({"max_pages": 1}));
    let expected = [
        "file `a.pdf`: the PDF file is encrypted",
        "file `b.pdf`: no text; pages that are pictures",
        "file `c.pdf`: no page can be read",
        "file `d.pdf`: the file is damaged",
        "file `e.pdf`: the PDF file has more than 1 pages",
    ];
    for (own, start) in reasons.iter().zip(expected) {
        assert!(own.starts_with(start), "{own}");
    }
    let all = reject(json!({}));
    assert!(
        all.iter()
            .any(|own| own.starts_with("file `f.pdf`: the PDF file is cut off")),
        "{all:?}"
    );
    let large = reject(json!({"max_pdf_bytes": 100}));
    assert!(large[4].starts_with("file `e.pdf`: larger than `max_pdf_bytes` (100)"));
}

#[cfg(unix)]
#[test]
fn s5_nothing_outside_of_the_folder_is_read() {
    use std::os::unix::fs::symlink;

    let outside = folder(&[("secret.txt", b"secret"), ("inner/secret.txt", b"secret")]);
    let folder = folder(&[("a.txt", b"own"), ("sub/b.txt", b"own")]);
    let at = |name: &str| folder.path().join(name);
    symlink(outside.path().join("secret.txt"), at("absolute.txt")).unwrap();
    let up = format!(
        "../{}/secret.txt",
        outside.path().file_name().unwrap().to_str().unwrap()
    );
    symlink(up, at("relative.txt")).unwrap();
    symlink(outside.path().join("inner"), at("linked")).unwrap();
    symlink("nowhere.txt", at("broken.txt")).unwrap();
    symlink("sub/b.txt", at("inside.txt")).unwrap();
    symlink("..", at("sub/loop")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(at("pipe.txt"))
        .status()
        .unwrap();
    assert!(made.success());
    symlink("pipe.txt", at("to_pipe.txt")).unwrap();
    symlink("absolute.txt", at("chained.txt")).unwrap();
    symlink("/proc/self/environ", at("process.txt")).unwrap();
    symlink("sub/../../", at("up.txt")).unwrap();
    symlink("linked/secret.txt", at("through_folder.txt")).unwrap();
    symlink("self.txt", at("self.txt")).unwrap();
    symlink("/dev/zero", at("device.txt")).unwrap();

    let fetched = fetch(folder.path(), json!({})).unwrap();
    assert_eq!(fetched.ids(), ["a.txt", "inside.txt", "sub/b.txt"]);
    let reasons = reasons(&fetched);
    let expected = [
        "file `absolute.txt`: a symlink that leaves the folder",
        "file `broken.txt`: cannot be read: ",
        "file `chained.txt`: a symlink that leaves the folder",
        "file `device.txt`: a symlink that leaves the folder",
        "file `process.txt`: a symlink that leaves the folder",
        "file `relative.txt`: a symlink that leaves the folder",
        "file `self.txt`: cannot be read: ",
        "file `through_folder.txt`: a symlink that leaves the folder",
        "file `to_pipe.txt`: not a regular file",
        "file `up.txt`: a symlink that leaves the folder",
    ];
    assert_eq!(reasons.len(), expected.len(), "{reasons:?}");
    for (own, start) in reasons.iter().zip(expected) {
        assert!(own.starts_with(start), "{own}");
    }
}

#[cfg(unix)]
#[test]
fn the_folder_itself_may_be_a_symlink() {
    let folder = folder(&[("real/a.txt", b"own")]);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("real", &link).unwrap();
    assert_eq!(fetch(&link, json!({})).unwrap().ids(), ["a.txt"]);
}

#[test]
fn too_many_files_and_folders_that_are_too_deep_are_errors() {
    let folder = folder(&[("a.txt", b"a"), ("1/2/b.txt", b"b")]);
    for (settings, reason) in [
        (json!({"max_files": 1}), "more files than `max_files`"),
        (json!({"max_depth": 1}), "`1/2` is deeper than `max_depth`"),
    ] {
        let error = fetch(folder.path(), settings).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let both = json!({"max_files": 2, "max_depth": 2});
    assert_eq!(
        fetch(folder.path(), both).unwrap().ids(),
        ["1/2/b.txt", "a.txt"]
    );
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}

#[test]
fn the_encoding_of_an_attached_text_without_a_charset_is_found() {
    let mail = "From: Lee <lee@lab.example>\r\nSubject: Trip\r\n\
                Date: Fri, 05 Jan 2024 08:30:00 +0000\r\n\
                Content-Type: multipart/mixed; boundary=b\r\n\r\n\
                --b\r\nContent-Type: text/plain\r\n\r\nSee.\r\n\
                --b\r\nContent-Type: text/plain; name=\"a.txt\"\r\n\
                Content-Disposition: attachment; filename=\"a.txt\"\r\n\
                Content-Transfer-Encoding: base64\r\n\r\nS/xobHdhc3NlciBhdHRsYXRpbg==\r\n\
                --b\r\nContent-Type: text/plain; name=\"b.txt\"\r\n\
                Content-Disposition: attachment; filename=\"b.txt\"\r\n\
                Content-Transfer-Encoding: quoted-printable\r\n\r\nPr=FCfung\r\n--b--\r\n";
    let folder = folder(&[("trip.eml", mail.as_bytes())]);
    let fetched = fetch(folder.path(), json!({})).unwrap();
    let texts: Vec<&str> = fetched
        .entries
        .iter()
        .map(|one| one.raw_text.as_str())
        .collect();
    assert_eq!(texts[1..], ["Kühlwasser attlatin", "Prüfung"]);
}

#[test]
fn attached_files_without_text_are_no_entries_and_damaged_ones_are_named() {
    let part = |kind: &str, name: &str, body: &str| {
        format!(
            "--b\r\nContent-Type: {kind}; name=\"{name}\"\r\n\
             Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n{body}\r\n"
        )
    };
    let mail = [
        "From: Lee <lee@lab.example>\r\nSubject: Trip\r\nDate: Fri, 05 Jan 2024 08:30:00 +0000\r\n\
         Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nSee.\r\n",
        &part("application/x-dump", "core.dmp", "\x01\x02\x03\x04 dump"),
        &part("application/octet-stream", "scope.log", "RF off\rRF on"),
        &part("application/pdf", "torn.pdf", "%PDF-1.4 torn"),
        &part("image/png", "scope.png", "\u{89}PNG"),
        &part("application/pgp-signature", "signature.asc", "-----BEGIN PGP"),
        "--b--\r\n",
    ]
    .concat();
    let folder = folder(&[("ring#1/mails/trip.eml", mail.as_bytes())]);
    let fetched = fetch(folder.path(), json!({})).unwrap();
    assert_eq!(
        fetched.ids(),
        [
            "ring#1/mails/trip.eml",
            "ring#1/mails/trip.eml#attachment=2"
        ]
    );
    assert_eq!(fetched.entries[1].raw_text, "RF off\nRF on");
    for entry in &fetched.entries {
        assert_eq!(entry.metadata["folder"], "ring#1/mails");
    }
    let reasons = reasons(&fetched);
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    let binary = "file `ring#1/mails/trip.eml`, attachment 1 `core.dmp`: not a text: a binary file \
                  of a kind that is not read";
    assert_eq!(reasons[0], binary);
    assert!(
        reasons[1].contains("attachment 3 `torn.pdf`: "),
        "{}",
        reasons[1]
    );
}
