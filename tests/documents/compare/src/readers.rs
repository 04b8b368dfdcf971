//! The readers that are compared: each makes a text of the bytes of a file.

use std::io::Cursor;

use mail_parser::{MessageParser, PartType};

type Read = Result<String, String>;

/// A reader, and the formats that it is for.
pub struct Reader {
    pub name: &'static str,
    pub formats: &'static [&'static str],
    /// Makes a text of bytes in this format.
    pub read: fn(&[u8], &str) -> Read,
}

/// Those that this program was built with.
pub fn readers() -> Vec<Reader> {
    let mut readers = vec![
        Reader {
            name: "own",
            formats: &[
                "pdf", "docx", "pptx", "xlsx", "odt", "odp", "ods", "rtf", "epub",
            ],
            read: own,
        },
        Reader {
            name: "mail-parser",
            formats: &["eml"],
            read: |bytes, _| mail(bytes),
        },
    ];
    others(&mut readers);
    readers
}

fn own(bytes: &[u8], format: &str) -> Read {
    if format == "pdf" {
        let read = gannet_pdf::read(bytes, &gannet_pdf::Limits::default());
        let document = read.map_err(|error| error.to_string())?;
        return Ok(document.pages.join("\n\n"));
    }
    let read = gannet_office::read(bytes, &gannet_office::Limits::default());
    let document = read.map_err(|error| error.to_string())?;
    let mut text = String::new();
    for part in document.parts {
        // As the adapter has it: the title only where the text has it not.
        if !part.text.starts_with(&part.title) {
            text += &format!("{}\n", part.title);
        }
        text += &format!("{}\n\n", part.text);
    }
    Ok(text)
}

fn mail(bytes: &[u8]) -> Read {
    let message = MessageParser::default().parse(bytes);
    let message = message.ok_or("no mail")?;
    let mut text = format!("{}\n\n", message.subject().unwrap_or_default());
    for part in message.text_bodies() {
        match &part.body {
            PartType::Text(part) => text += part,
            PartType::Html(part) => text += &gannet_sources::html_text(part).text,
            _ => {}
        }
    }
    Ok(text)
}

#[allow(clippy::ptr_arg, reason = "without its features nothing is added")]
fn others(readers: &mut Vec<Reader>) {
    #[cfg(feature = "pdf_oxide")]
    readers.push(Reader {
        name: "pdf_oxide",
        formats: &["pdf"],
        read: |bytes, _| pdf_oxide(bytes),
    });
    #[cfg(feature = "pdf-extract")]
    readers.push(Reader {
        name: "pdf-extract",
        formats: &["pdf"],
        read: |bytes, _| {
            pdf_extract::extract_text_from_mem(bytes).map_err(|error| error.to_string())
        },
    });
    #[cfg(feature = "unpdf")]
    readers.push(Reader {
        name: "unpdf",
        formats: &["pdf"],
        read: |bytes, _| {
            let document = unpdf::parse_bytes(bytes).map_err(|error| error.to_string())?;
            let options = unpdf::RenderOptions::default();
            unpdf::render::to_markdown(&document, &options).map_err(|error| error.to_string())
        },
    });
    #[cfg(feature = "undoc")]
    readers.push(Reader {
        name: "undoc",
        formats: &["docx", "pptx", "xlsx"],
        read: |bytes, _| {
            let document = undoc::parse_bytes(bytes).map_err(|error| error.to_string())?;
            let options = undoc::render::RenderOptions::default();
            undoc::render::to_markdown(&document, &options).map_err(|error| error.to_string())
        },
    });
    #[cfg(feature = "office_oxide")]
    readers.push(Reader {
        name: "office_oxide",
        formats: &["docx", "pptx", "xlsx"],
        read: office_oxide,
    });
    #[cfg(feature = "kreuzberg")]
    readers.push(Reader {
        name: "kreuzberg",
        formats: &[
            "docx", "pptx", "xlsx", "odt", "odp", "ods", "rtf", "epub", "eml",
        ],
        read: kreuzberg,
    });
    #[cfg(feature = "calamine")]
    readers.push(Reader {
        name: "calamine",
        formats: &["xlsx", "ods"],
        read: |bytes, _| calamine(bytes),
    });
    let _ = (readers, Cursor::new(()));
}

#[cfg(feature = "pdf_oxide")]
fn pdf_oxide(bytes: &[u8]) -> Read {
    let text = |error: pdf_oxide::Error| error.to_string();
    let document = pdf_oxide::PdfDocument::from_bytes(bytes.to_vec()).map_err(text)?;
    let pages = 0..document.page_count().map_err(text)?;
    let pages: Result<Vec<String>, String> = pages
        .map(|page| document.extract_text(page).map_err(text))
        .collect();
    Ok(pages?.join("\n\n"))
}

#[cfg(feature = "office_oxide")]
fn office_oxide(bytes: &[u8], format: &str) -> Read {
    use office_oxide::{Document, DocumentFormat};
    let format = match format {
        "docx" => DocumentFormat::Docx,
        "pptx" => DocumentFormat::Pptx,
        _ => DocumentFormat::Xlsx,
    };
    let document = Document::from_reader(Cursor::new(bytes.to_vec()), format);
    Ok(document.map_err(|error| error.to_string())?.to_markdown())
}

#[cfg(feature = "kreuzberg")]
fn kreuzberg(bytes: &[u8], format: &str) -> Read {
    let kind = match format {
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "odt" => "application/vnd.oasis.opendocument.text",
        "odp" => "application/vnd.oasis.opendocument.presentation",
        "ods" => "application/vnd.oasis.opendocument.spreadsheet",
        "rtf" => "application/rtf",
        "epub" => "application/epub+zip",
        _ => "message/rfc822",
    };
    let config = kreuzberg::ExtractionConfig::default();
    let read = kreuzberg::extract_bytes_sync(bytes, kind, &config);
    Ok(read.map_err(|error| error.to_string())?.content)
}

#[cfg(feature = "calamine")]
fn calamine(bytes: &[u8]) -> Read {
    use calamine::Reader as _;
    let text = |error: calamine::Error| error.to_string();
    let book = calamine::open_workbook_auto_from_rs(Cursor::new(bytes));
    let mut book = book.map_err(text)?;
    let mut lines = String::new();
    for name in book.sheet_names() {
        lines += &format!("{name}\n");
        let sheet = book.worksheet_range(&name).map_err(text)?;
        for row in sheet.rows() {
            let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
            lines += &format!("{}\n", cells.join(" | "));
        }
    }
    Ok(lines)
}
