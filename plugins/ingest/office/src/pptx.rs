//! Slides in the format of PowerPoint.

use crate::archive::Archive;
use crate::flow::Flow;
use crate::flow::append;
use crate::properties;
use crate::relations::Relations;
use crate::xml::{Node, visit};
use crate::{Document, Part, Place, Result};

const MAIN: &str = "ppt/presentation.xml";

pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let mut document = properties::document(archive, "pptx", "docProps/core.xml")?;
    for (number, slide) in (1..).zip(slides(archive)?) {
        let (title, mut text) = shapes(archive, &slide)?;
        let relations = Relations::of(archive, &slide)?;
        if let Some(notes) = relations.of_type("/notesSlide") {
            let (_, notes) = shapes(archive, notes)?;
            if !notes.is_empty() {
                text = format!("{text}\n\n{notes}").trim().to_owned();
            }
        }
        document.parts.push(Part {
            place: Place::Slide(number),
            title,
            text,
        });
    }
    Ok(document)
}

/// The parts of the slides, in their order.
fn slides(archive: &mut Archive<'_>) -> Result<Vec<String>> {
    let relations = Relations::of(archive, MAIN)?;
    let xml = archive.needed(MAIN)?;
    let mut slides = Vec::new();
    visit(&xml, |node| {
        if let Node::Start(element) = node
            && element.name() == "sldId"
            && let Some(id) = element.relation()
            && let Some(part) = relations.part(&id)
        {
            slides.push(part.to_owned());
        }
        Ok(())
    })?;
    Ok(slides)
}

/// The title of a slide, and its whole text.
fn shapes(archive: &mut Archive<'_>, part: &str) -> Result<(String, String)> {
    let Some(xml) = archive.text(part)? else {
        return Ok(Default::default());
    };
    let (mut flow, mut title, mut text) = (Flow::default(), String::new(), String::new());
    let (mut is_in_text, mut is_title, mut is_left_out) = (false, false, false);
    visit(&xml, |node| {
        match node {
            Node::Start(element) => match element.name() {
                "sp" => (is_title, is_left_out) = (false, false),
                "ph" => {
                    let kind = element.attribute("type").unwrap_or_default();
                    is_title = matches!(kind.as_str(), "title" | "ctrTitle");
                    is_left_out = matches!(kind.as_str(), "sldNum" | "dt" | "ftr");
                }
                "t" => is_in_text = !is_left_out,
                "br" => text.push('\n'),
                "tr" => flow.start_row(),
                "tc" => flow.start_cell(),
                _ => {}
            },
            Node::Text(part) if is_in_text => text.push_str(part),
            Node::End("t") => is_in_text = false,
            Node::End("p") => {
                if is_title && !text.trim().is_empty() {
                    append(&mut title, &text);
                }
                flow.paragraph(&text, &mut archive.budget)?;
                text.clear();
            }
            Node::End("tc") => flow.end_cell(),
            Node::End("tr") => flow.end_row(),
            _ => {}
        }
        Ok(())
    })?;
    Ok((title, flow.text()))
}
