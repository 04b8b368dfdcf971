//! Which adapter reads a file: by its first bytes, its first records, and then
//! the extension of its name.

use gannet_api::time_name_rank;
use serde_json::{Map, Value};

use super::file_text::{Text, text_of};

/// The adapter of a file, and what is known of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileKind {
    pub(super) adapter: &'static str,
    /// What a document's format is called, which is its usual extension.
    pub(super) format: &'static str,
    /// Whether no record among the first ones has any time.
    pub(super) is_undated: bool,
}

/// First bytes, and what a file that has them is.
const BINARY: [(&[u8], &str); 18] = [
    (b"\x89PNG", "a picture, which has no text"),
    (b"\xff\xd8\xff", "a picture, which has no text"),
    (b"GIF8", "a picture, which has no text"),
    (b"II*\0", "a picture, which has no text"),
    (b"MM\0*", "a picture, which has no text"),
    (b"BM", "a picture, which has no text"),
    (b"RIFF", "a recording or a picture, which has no text"),
    (b"ID3", "a recording, which has no text"),
    (b"OggS", "a recording, which has no text"),
    (b"\x1f\x8b", "an archive: unpack it"),
    (b"BZh", "an archive: unpack it"),
    (b"\xfd7zXZ", "an archive: unpack it"),
    (b"7z\xbc\xaf", "an archive: unpack it"),
    (b"Rar!", "an archive: unpack it"),
    (b"\x28\xb5\x2f\xfd", "an archive: unpack it"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "a database"),
    (
        b"\xd0\xcf\x11\xe0",
        "a file of an old Office program: save it as .docx, .xlsx, .pptx or .eml",
    ),
];

/// Extensions of documents that begin like an archive, and the part by which
/// one with another extension is known.
const OFFICE: [(&str, &[u8]); 7] = [
    ("docx", b"word/"),
    ("xlsx", b"xl/"),
    ("pptx", b"ppt/"),
    ("odt", b"mimetypeapplication/vnd.oasis.opendocument.text"),
    (
        "ods",
        b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
    ),
    (
        "odp",
        b"mimetypeapplication/vnd.oasis.opendocument.presentation",
    ),
    ("epub", b"mimetypeapplication/epub+zip"),
];

impl FileKind {
    fn of(adapter: &'static str) -> Self {
        Self {
            adapter,
            format: "",
            is_undated: false,
        }
    }

    fn document(format: &'static str) -> Self {
        Self {
            format,
            ..Self::of("files")
        }
    }

    /// Finds it by the name and the beginning of a file; `is_cut` says that the
    /// file goes on.
    ///
    /// # Errors
    /// What it is, for a person, where no adapter reads it.
    pub(super) fn find(extension: &str, beginning: &[u8], is_cut: bool) -> Result<Self, String> {
        if beginning.is_empty() && extension != "jsonl" && extension != "ndjson" {
            return Err("empty".to_owned());
        }
        if beginning.starts_with(b"%PDF-") {
            return Ok(Self::document("pdf"));
        }
        if beginning.starts_with(b"{\\rtf") {
            return Ok(Self::document("rtf"));
        }
        if beginning.starts_with(b"PK") && beginning.get(2).is_some_and(|byte| *byte < 9) {
            return office(extension, beginning);
        }
        let known = BINARY
            .iter()
            .find(|(bytes, _)| beginning.starts_with(bytes));
        let text = text_of(beginning, is_cut);
        match (text, known) {
            // What begins with the letters of a signature may be a text.
            (Some(text), None | Some((b"BM" | b"RIFF" | b"ID3" | b"BZh" | b"GIF8", _))) => {
                Self::of_text(extension, &text)
            }
            (_, Some((_, what))) => Err((*what).to_owned()),
            (None, None) => Err("a binary file of a kind that no adapter reads".to_owned()),
        }
    }

    fn of_text(extension: &str, text: &Text) -> Result<Self, String> {
        let start = text.text.trim_start();
        if start.starts_with("$@MID@$:") {
            return Ok(Self::of("elog"));
        }
        let may_be_json = !matches!(extension, "md" | "markdown" | "rst");
        if may_be_json
            && begins_as_json(start)
            && let Some(kind) = json(extension, text)
        {
            return Ok(kind);
        }
        if is_mailbox(start) {
            return Ok(Self::document("mbox"));
        }
        if is_mail(start) {
            return Ok(Self::document("eml"));
        }
        match extension {
            "jsonl" | "ndjson" => return Ok(Self::of("jsonl")),
            "json" => return Ok(Self::of("generic_json")),
            "csv" | "tsv" | "tab" => return Ok(Self::of("csv")),
            "md" | "markdown" | "rst" => return Ok(Self::document("md")),
            "html" | "htm" | "xhtml" => return Ok(Self::document("html")),
            "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" => {
                return Err(format!(
                    "not what its name says: its content is no {extension}"
                ));
            }
            _ => {}
        }
        let lower = start
            .get(..start.floor_char_boundary(15))
            .unwrap_or_default();
        let lower = lower.to_ascii_lowercase();
        if lower.starts_with("<!doctype html") || lower.starts_with("<html") {
            return Ok(Self::document("html"));
        }
        if lower.starts_with("<?xml") {
            return Err("XML of a kind that no adapter reads".to_owned());
        }
        match is_table(text) {
            true => Ok(Self::of("csv")),
            false => Ok(Self::document("txt")),
        }
    }
}

fn office(extension: &str, beginning: &[u8]) -> Result<FileKind, String> {
    let has = |part: &[u8]| beginning.windows(part.len()).any(|window| window == part);
    let by_name = OFFICE.iter().find(|(format, _)| *format == extension);
    let by_content = || OFFICE.iter().find(|(_, part)| has(part));
    match by_name.or_else(by_content) {
        Some((format, _)) => Ok(FileKind::document(format)),
        None => Err("an archive: unpack it".to_owned()),
    }
}

/// JSON, one record a line or one document; `None` where the text is neither.
fn json(extension: &str, text: &Text) -> Option<FileKind> {
    let lines = text.complete_lines().filter(|line| !line.trim().is_empty());
    let records: Vec<Option<Map<String, Value>>> =
        lines.map(|line| serde_json::from_str(line).ok()).collect();
    let first_is_record = records.first().is_some_and(Option::is_some);
    let is_lines = match extension {
        "jsonl" | "ndjson" => true,
        "json" => first_is_record && records.len() > 1,
        _ => first_is_record,
    };
    if is_lines {
        let records: Vec<_> = records.into_iter().flatten().collect();
        return Some(json_lines(&records));
    }
    let is_json = extension == "json" || text.text.contains("\":") || text.text.contains("\" :");
    is_json.then(|| {
        let has = |key: &str| keys(&text.text).any(|own| own == key);
        let mut kind = FileKind::of(match () {
            () if has("lognumber") => "jlab_logbook",
            () if has("entry_time") => "ornl_logbook",
            () if has("createdDate") && has("logs") => "olog",
            () => "generic_json",
        });
        let is_undated = has("id") && !keys(&text.text).any(names_a_time);
        kind.is_undated = kind.adapter == "generic_json" && is_undated;
        kind
    })
}

fn json_lines(records: &[Map<String, Value>]) -> FileKind {
    let all_have = |key: &str| records.iter().all(|record| record.contains_key(key));
    let has = |key: &str| records.iter().any(|record| record.contains_key(key));
    let is_als = all_have("subject") && all_have("details") && !has("text") && !has("raw_text");
    if !records.is_empty() && is_als {
        return FileKind::of("als_logbook");
    }
    let has_time = records
        .iter()
        .any(|record| record.keys().any(|key| names_a_time(key)));
    FileKind {
        is_undated: !records.is_empty() && all_have("id") && !has_time,
        ..FileKind::of("jsonl")
    }
}

fn names_a_time(key: &str) -> bool {
    time_name_rank(key).is_some()
}

/// Whether a text begins as JSON does: a line of a log may begin with a bracket
/// too.
fn begins_as_json(text: &str) -> bool {
    let mut marks = text.chars().filter(|one| !one.is_whitespace());
    match (marks.next(), marks.next()) {
        (Some('{'), second) => matches!(second, None | Some('"' | '}')),
        (Some('['), second) => matches!(second, None | Some('{' | '[' | '"' | ']')),
        _ => false,
    }
}

/// The keys of JSON that may be cut off.
fn keys(json: &str) -> impl Iterator<Item = &str> {
    let mut parts = json.split('"').peekable();
    std::iter::from_fn(move || {
        let part = parts.next()?;
        let is_key = parts
            .peek()
            .is_some_and(|next| next.trim_start().starts_with(':'));
        Some(is_key.then_some(part))
    })
    .flatten()
}

/// A file of several mails begins with a line `From ADDRESS DATE`.
fn is_mailbox(text: &str) -> bool {
    let Some((first, rest)) = text.split_once('\n') else {
        return false;
    };
    first.starts_with("From ") && is_mail(rest.trim_start_matches('>'))
}

/// Whether a text begins with the header of a mail: two fields that mails have
/// and no line of another form.
fn is_mail(text: &str) -> bool {
    const FIELDS: [&str; 10] = [
        "from",
        "to",
        "date",
        "subject",
        "received",
        "return-path",
        "message-id",
        "mime-version",
        "delivered-to",
        "content-type",
    ];
    let mut found = 0;
    for line in text.lines().take(100) {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else {
            return false;
        };
        if name.contains(|one: char| !one.is_ascii_alphanumeric() && one != '-') {
            return false;
        }
        found += usize::from(FIELDS.contains(&name.to_ascii_lowercase().as_str()));
    }
    found >= 3
}

/// Whether each of the first lines has as many tabs or semicolons, two at
/// least.
fn is_table(text: &Text) -> bool {
    let lines: Vec<&str> = text.complete_lines().take(20).collect();
    lines.len() >= 3
        && ['\t', ';'].iter().any(|delimiter| {
            let mut counts = lines.iter().map(|line| line.matches(*delimiter).count());
            let first = counts.next().unwrap_or_default();
            first >= 2 && counts.all(|count| count == first)
        })
}

#[cfg(test)]
#[path = "file_kind_tests.rs"]
mod tests;
