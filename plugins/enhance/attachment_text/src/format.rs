//! What a file is, by its name, its type and its first bytes.

use gannet_plugin::entry::Attachment;

/// Formats with text that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Plain,
    Html,
    Pdf,
}

const PLAIN: [&str; 11] = [
    "txt", "text", "md", "markdown", "rst", "csv", "tsv", "log", "json", "yaml", "yml",
];

impl Format {
    /// By the first bytes where they tell; what is called a PDF file and is
    /// none is not read.
    pub(crate) fn of(attachment: &Attachment, bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        named(attachment).filter(|format| *format != Self::Pdf)
    }
}

/// Whether a file is worth fetching.
pub(crate) fn may_have_text(attachment: &Attachment) -> bool {
    named(attachment).is_some()
}

fn named(attachment: &Attachment) -> Option<Format> {
    let name = attachment.filename.as_deref().or(attachment.url.as_deref());
    let ending = name.and_then(|name| name.rsplit_once('.'));
    let ending = ending.map(|(_, ending)| ending.to_ascii_lowercase());
    match ending.as_deref() {
        Some("pdf") => return Some(Format::Pdf),
        Some("html" | "htm") => return Some(Format::Html),
        Some(ending) if PLAIN.contains(&ending) => return Some(Format::Plain),
        _ => {}
    }
    let media = attachment.mime_type.as_deref().unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    match media {
        "application/pdf" => Some(Format::Pdf),
        "text/html" => Some(Format::Html),
        "application/json" => Some(Format::Plain),
        media if media.starts_with("text/") => Some(Format::Plain),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attachment(name: &str, media: &str) -> Attachment {
        Attachment::default()
            .with_filename(name.to_owned())
            .with_mime_type(media.to_owned())
    }

    #[test]
    fn formats_are_told_by_name_type_and_beginning() {
        for (name, media, bytes, format) in [
            ("Trace.CSV", "", "t,v", Some(Format::Plain)),
            ("a.html", "text/plain", "<p>", Some(Format::Html)),
            ("report", "application/pdf", "%PDF-1.4", Some(Format::Pdf)),
            ("report.pdf", "", "PK", None),
            (
                "notes",
                "text/plain; charset=utf-8",
                "x",
                Some(Format::Plain),
            ),
            ("scope.png", "image/png", "\u{89}PNG", None),
            ("all.zip", "application/zip", "PK", None),
        ] {
            let attachment = attachment(name, media);
            assert_eq!(Format::of(&attachment, bytes.as_bytes()), format, "{name}");
        }
    }
}
