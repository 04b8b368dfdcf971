//! Sheets in the format of Excel.

use crate::archive::Archive;
use crate::flow::joined;
use crate::properties;
use crate::relations::Relations;
use crate::sheet_cells::{Formats, Rows, Strings};
use crate::xml::{Node, visit};
use crate::{Document, Result};

const MAIN: &str = "xl/workbook.xml";

pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let mut document = properties::document(archive, "xlsx", "docProps/core.xml")?;
    let relations = Relations::of(archive, MAIN)?;
    let xml = archive.needed(MAIN)?;
    let (mut sheets, mut is_from_1904) = (Vec::new(), false);
    visit(&xml, |node| {
        if let Node::Start(element) = node {
            match element.name() {
                "sheet" => {
                    let name = element.attribute("name").unwrap_or_default();
                    let id = element.relation().unwrap_or_default();
                    sheets.extend(relations.part(&id).map(|part| (name, part.to_owned())));
                }
                "workbookPr" => {
                    let value = element.attribute("date1904").unwrap_or_default();
                    is_from_1904 = matches!(value.as_str(), "1" | "true");
                }
                _ => {}
            }
        }
        Ok(())
    })?;
    let strings = Strings::read(archive, relations.of_type("/sharedStrings"))?;
    let formats = Formats::read(archive, relations.of_type("/styles"), is_from_1904)?;
    for (name, part) in sheets {
        if let Some(xml) = archive.text(&part)? {
            let mut rows = Rows::new(name);
            add(&xml, &strings, &formats, &mut rows, archive)?;
            document.parts.extend(rows.parts());
        }
    }
    Ok(document)
}

/// A cell that is being read.
#[derive(Default)]
struct Cell {
    kind: String,
    style: usize,
    text: String,
}

fn add(
    xml: &str,
    strings: &Strings,
    formats: &Formats,
    rows: &mut Rows,
    archive: &mut Archive<'_>,
) -> Result<()> {
    let (mut row, mut cell) = (Vec::new(), Cell::default());
    let mut bytes_of_row = 0;
    let mut is_in_value = false;
    visit(xml, |node| {
        match node {
            Node::Start(element) => match element.name() {
                "row" => {
                    row.clear();
                    bytes_of_row = 0;
                }
                "c" => {
                    let style = element.attribute("s").and_then(|style| style.parse().ok());
                    cell = Cell {
                        kind: element.attribute("t").unwrap_or_default(),
                        style: style.unwrap_or_default(),
                        text: String::new(),
                    };
                }
                "v" | "t" => is_in_value = true,
                // How a word is pronounced.
                "rPh" | "f" => is_in_value = false,
                _ => {}
            },
            Node::Text(text) if is_in_value => cell.text.push_str(text),
            Node::End("v" | "t") => is_in_value = false,
            Node::End("c") => {
                let text = cell.text.trim();
                let value = match cell.kind.as_str() {
                    "s" => strings.get(text).to_owned(),
                    "b" => (if text == "1" { "TRUE" } else { "FALSE" }).to_owned(),
                    "e" => String::new(),
                    "" | "n" => formats.shown(text, cell.style),
                    _ => text.to_owned(),
                };
                // Many cells may share one long string.
                bytes_of_row += value.len() + 1;
                archive.budget.check_text(bytes_of_row)?;
                row.push(value.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            Node::End("row") => rows.add(joined(&row), &mut archive.budget)?,
            _ => {}
        }
        Ok(())
    })
}
