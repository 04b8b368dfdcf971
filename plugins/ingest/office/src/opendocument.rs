//! OpenDocument: texts, sheets and slides.

use crate::archive::Archive;
use crate::flow::append;
use crate::flow::{Flow, joined};
use crate::properties;
use crate::sheet_cells::Rows;
use crate::xml::{Element, Node, visit};
use crate::{Document, OfficeError, Part, Place, Result};

/// Blanks that one element stands for at most.
const BLANKS: usize = 80;

pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let mimetype = archive.text("mimetype")?.unwrap_or_default();
    let is_of = |kind: &str| mimetype.contains(kind);
    let format = match () {
        () if is_of("spreadsheet") => "ods",
        () if is_of("presentation") => "odp",
        () if is_of("opendocument") => "odt",
        () => return Err(OfficeError::NotOffice),
    };
    if let Some(manifest) = archive.text("META-INF/manifest.xml")?
        && manifest.contains("encryption-data")
    {
        return Err(OfficeError::Encrypted);
    }
    let mut document = properties::document(archive, format, "meta.xml")?;
    let xml = archive.needed("content.xml")?;
    let mut reading = Reading {
        format,
        ..Reading::default()
    };
    visit(&xml, |node| {
        match node {
            Node::Start(element) => reading.start(element),
            Node::Text(text) => reading.text(text),
            Node::End(name) => reading.end(name, archive)?,
        }
        Ok(())
    })?;
    document.parts = match format {
        "odt" => reading.flow.parts(),
        _ => reading.parts,
    };
    Ok(document)
}

/// A document that is being read.
#[derive(Default)]
struct Reading {
    format: &'static str,
    flow: Flow,
    parts: Vec<Part>,
    /// The open paragraphs, and the level of each that is a heading.
    open: Vec<(String, Option<usize>)>,
    sheet: Option<Rows>,
    row: Vec<String>,
    /// Of the title of a slide.
    is_in_title: bool,
    title: String,
    slides: usize,
    /// Within how many elements whose text is not the document's.
    left_out: usize,
}

/// Elements whose text is not that of the document: deleted parts, and notes of
/// speakers' slides have their own page.
fn is_left_out(name: &str) -> bool {
    matches!(name, "tracked-changes" | "annotation" | "forms")
}

impl Reading {
    fn start(&mut self, element: &Element<'_>) {
        let name = element.name();
        let repeated = |name: &str| {
            let times = element.attribute(name).and_then(|times| times.parse().ok());
            times.unwrap_or(1_usize)
        };
        match name {
            _ if is_left_out(name) => self.left_out += 1,
            "h" => {
                let level = element.attribute("outline-level");
                let level = level.and_then(|level| level.parse().ok()).unwrap_or(1);
                self.open.push((String::new(), Some(level)));
            }
            "p" => self.open.push((String::new(), None)),
            "s" => self.push(&" ".repeat(repeated("c").min(BLANKS))),
            "tab" => self.push("\t"),
            "line-break" => self.push("\n"),
            "table" if self.format == "ods" => {
                self.sheet = Some(Rows::new(element.attribute("name").unwrap_or_default()));
            }
            "table-row" if self.format == "ods" => self.row.clear(),
            "table-row" => self.flow.start_row(),
            "table-cell" if self.format == "ods" => self.row.push(String::new()),
            "table-cell" => self.flow.start_cell(),
            "frame" if self.format == "odp" => {
                self.is_in_title = element.attribute("class").as_deref() == Some("title");
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        self.push(text);
    }

    fn push(&mut self, text: &str) {
        if self.left_out > 0 {
            return;
        }
        if let Some((open, _)) = self.open.last_mut() {
            open.push_str(text);
        }
    }

    fn end(&mut self, name: &str, archive: &mut Archive<'_>) -> Result<()> {
        let budget = &mut archive.budget;
        match name {
            _ if is_left_out(name) => self.left_out = self.left_out.saturating_sub(1),
            "p" | "h" => {
                let Some((text, level)) = self.open.pop() else {
                    return Ok(());
                };
                if self.is_in_title {
                    append(&mut self.title, &text);
                }
                match (self.row.last_mut(), level) {
                    (Some(cell), _) if self.format == "ods" => {
                        append(cell, &text);
                    }
                    (_, Some(level)) if self.format == "odt" => {
                        self.flow.heading(level, &text, budget)?;
                    }
                    _ => self.flow.paragraph(&text, budget)?,
                }
            }
            "table-row" if self.format == "ods" => {
                if let Some(sheet) = &mut self.sheet {
                    sheet.add(joined(&self.row), budget)?;
                }
                self.row.clear();
            }
            "table-row" => self.flow.end_row(),
            "table-cell" if self.format != "ods" => self.flow.end_cell(),
            "table" => {
                let sheet = self.sheet.take();
                self.parts.extend(sheet.into_iter().flat_map(Rows::parts));
            }
            "frame" => self.is_in_title = false,
            "page" if self.format == "odp" => {
                self.slides += 1;
                self.parts.push(Part {
                    place: Place::Slide(self.slides),
                    title: std::mem::take(&mut self.title),
                    text: std::mem::take(&mut self.flow).text(),
                });
            }
            _ => {}
        }
        Ok(())
    }
}
