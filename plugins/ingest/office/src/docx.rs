//! Text documents in the format of Word.

use std::collections::HashMap;

use crate::archive::Archive;
use crate::flow::Flow;
use crate::properties;
use crate::xml::{Element, Node, visit};
use crate::{Document, Result};

pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let mut document = properties::document(archive, "docx", "docProps/core.xml")?;
    let levels = levels(archive)?;
    let mut flow = Flow::default();
    let body = archive.needed("word/document.xml")?;
    add(&body, &levels, &mut flow, archive)?;
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(xml) = archive.text(notes)? {
            add(&xml, &HashMap::new(), &mut flow, archive)?;
        }
    }
    document.parts = flow.parts();
    Ok(document)
}

/// The level of each style of headings. Their names are English in every
/// language, their ids are not.
fn levels(archive: &mut Archive<'_>) -> Result<HashMap<String, usize>> {
    let mut levels = HashMap::new();
    let Some(xml) = archive.text("word/styles.xml")? else {
        return Ok(levels);
    };
    let mut style = String::new();
    visit(&xml, |node| {
        let Node::Start(element) = node else {
            return Ok(());
        };
        match element.name() {
            "style" => style = element.attribute("styleId").unwrap_or_default(),
            "name" => {
                let name = element.attribute("val").unwrap_or_default().to_lowercase();
                let level = name.strip_prefix("heading ").map(str::parse::<usize>);
                match level {
                    Some(Ok(level)) => drop(levels.insert(style.clone(), level)),
                    _ if name == "title" => drop(levels.insert(style.clone(), 1)),
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(levels)
}

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph {
    text: String,
    level: Option<usize>,
    is_in_text: bool,
}

impl Paragraph {
    fn start(&mut self, element: &Element<'_>, levels: &HashMap<String, usize>) {
        match element.name() {
            "t" => self.is_in_text = true,
            "tab" => self.text.push('\t'),
            "br" | "cr" => self.text.push('\n'),
            "noBreakHyphen" => self.text.push('-'),
            "pStyle" => {
                let style = element.attribute("val").unwrap_or_default();
                self.level = self.level.or(levels.get(&style).copied());
            }
            "outlineLvl" => {
                let level = element
                    .attribute("val")
                    .and_then(|level| level.parse().ok());
                self.level = level
                    .filter(|level| *level < 9)
                    .map(|level: usize| level + 1);
            }
            _ => {}
        }
    }
}

fn add(
    xml: &str,
    levels: &HashMap<String, usize>,
    flow: &mut Flow,
    archive: &mut Archive<'_>,
) -> Result<()> {
    // A text box has paragraphs within one.
    let mut open: Vec<Paragraph> = Vec::new();
    visit(xml, |node| {
        match node {
            Node::Start(element) => match element.name() {
                "p" => open.push(Paragraph::default()),
                "tr" => flow.start_row(),
                "tc" => flow.start_cell(),
                _ => {
                    if let Some(paragraph) = open.last_mut() {
                        paragraph.start(element, levels);
                    }
                }
            },
            Node::Text(text) => {
                if let Some(paragraph) = open.last_mut().filter(|one| one.is_in_text) {
                    paragraph.text.push_str(text);
                }
            }
            Node::End("t") => {
                if let Some(paragraph) = open.last_mut() {
                    paragraph.is_in_text = false;
                }
            }
            Node::End("p") => {
                let Some(paragraph) = open.pop() else {
                    return Ok(());
                };
                let budget = &mut archive.budget;
                return match paragraph.level {
                    Some(level) => flow.heading(level, &paragraph.text, budget),
                    None => flow.paragraph(&paragraph.text, budget),
                };
            }
            Node::End("tc") => flow.end_cell(),
            Node::End("tr") => flow.end_row(),
            Node::End(_) => {}
        }
        Ok(())
    })
}
