//! Kinds of files by their beginnings.

#![allow(clippy::unwrap_used)]

use super::*;

fn found(extension: &str, beginning: &[u8]) -> Result<(&'static str, &'static str), String> {
    let kind = FileKind::find(extension, beginning, false)?;
    Ok((kind.adapter, kind.format))
}

#[test]
fn content_counts_before_the_extension() {
    let mail = "Return-Path: <a@b>\nFrom: A <a@b>\nSubject: x\nDate: today\n\nHello\n";
    for (extension, text, adapter, format) in [
        ("txt", "%PDF-1.4", "files", "pdf"),
        ("dat", "{\"id\": 1, \"timestamp\": 5}\n", "jsonl", ""),
        (
            "json",
            "{\"id\": 1, \"timestamp\": 5}\n{\"id\": 2}\n",
            "jsonl",
            "",
        ),
        ("json", "{\"entries\": []}\n", "generic_json", ""),
        ("txt", "[\n  {\"id\": 1}\n]", "generic_json", ""),
        (
            "json",
            "{\n \"data\": [{\"lognumber\": \"1\"}]}",
            "jlab_logbook",
            "",
        ),
        (
            "json",
            "[{\"ID\": 1, \"entry_time\": \"x\"}]",
            "ornl_logbook",
            "",
        ),
        ("json", "{\"logs\": [{\"createdDate\": 1}]}", "olog", ""),
        (
            "jsonl",
            "{\"id\": 1, \"subject\": \"a\", \"details\": \"b\"}\n",
            "als_logbook",
            "",
        ),
        ("log", "$@MID@$: 1\nDate: x\n", "elog", ""),
        ("txt", mail, "files", "eml"),
        ("", &format!("From a@b Mon Jan 1\n{mail}"), "files", "mbox"),
        ("CSV", "a;b", "files", "txt"),
        ("csv", "a;b", "csv", ""),
        ("txt", "a;b;c\n1;2;3\n4;5;6\n", "csv", ""),
        ("txt", "[1] A footnote", "files", "txt"),
        ("txt", "{braces} in a text", "files", "txt"),
        (
            "log",
            "[2026-03-01 10:00] pump started, \"mode\": on\n",
            "files",
            "txt",
        ),
        (
            "log",
            "[INFO] set {\"mode\": 1}\n[INFO] x\n",
            "files",
            "txt",
        ),
        ("md", "[{\"id\": 1}]", "files", "md"),
        ("", "<!DOCTYPE html><p>x", "files", "html"),
        ("txt", "BM25 ranks texts", "files", "txt"),
        (
            "txt",
            "Date: today\nA sentence without a field",
            "files",
            "txt",
        ),
        ("docx", "PK\x03\x04", "files", "docx"),
        ("", "PK\x03\x04..word/document.xml", "files", "docx"),
        ("rtf", "{\\rtf1 x}", "files", "rtf"),
        ("jsonl", "", "jsonl", ""),
    ] {
        assert_eq!(
            found(extension, text.as_bytes()),
            Ok((adapter, format)),
            "{extension}: {text}"
        );
    }
}

#[test]
fn what_no_adapter_reads_is_named() {
    for (extension, bytes, what) in [
        ("png", &b"\x89PNG\r\n\x1a\n"[..], "a picture"),
        ("zip", b"PK\x03\x04..readme.txt", "an archive"),
        ("doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "old Office"),
        ("bin", b"\x00\x01\x02\x03\x00\x00", "a binary file"),
        ("pdf", b"no PDF at all", "its content is no pdf"),
        ("docx", b"no archive", "its content is no docx"),
        ("xml", b"<?xml version='1.0'?><a/>", "XML"),
        ("txt", b"", "empty"),
    ] {
        let said = found(extension, bytes).unwrap_err();
        assert!(said.contains(what), "{extension}: {said}");
    }
}

#[test]
fn encodings_with_two_bytes_are_texts() {
    let units = "id;b;c\n1;2;3\n4;5;6\n".encode_utf16();
    let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
    assert_eq!(found("csv", &bytes), Ok(("csv", "")));
    assert_eq!(
        found("txt", &[&[0xff, 0xfe], &bytes[..]].concat()),
        Ok(("csv", ""))
    );
    assert_eq!(found("txt", b"\xd6l nachgef\xfcllt"), Ok(("files", "txt")));
}

#[test]
fn records_are_undated_where_none_has_a_time() {
    let undated = |extension, text: &str| {
        FileKind::find(extension, text.as_bytes(), false).is_ok_and(|kind| kind.is_undated)
    };
    assert!(undated(
        "jsonl",
        "{\"id\": 1, \"text\": \"x\"}\n{\"id\": 2}\n"
    ));
    assert!(undated("json", "[{\"id\": 1, \"text\": \"at this time\"}]"));
    for key in [
        "timestamp",
        "Date",
        "created_at",
        "when",
        "logTime",
        "ts",
        "logged_at",
        "datetime",
    ] {
        let line = format!("{{\"id\": 1}}\n{{\"id\": 2, \"{key}\": 5}}\n");
        assert!(!undated("jsonl", &line), "{key}");
        assert!(
            !undated("json", &format!("[{{\"id\": 2, \"{key}\": 5}}]")),
            "{key}"
        );
    }
    assert!(!undated("jsonl", "not JSON\n"));
    assert!(!undated("jsonl", "{}\n"));
}
