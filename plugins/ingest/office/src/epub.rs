//! Books.

use std::collections::HashMap;

use gannet_sources::html_text;

use crate::archive::Archive;
use crate::relations::resolved;
use crate::xml::{Node, visit};
use crate::{Document, OfficeError, Part, Place, Result, properties};

pub(crate) fn read(archive: &mut Archive<'_>) -> Result<Document> {
    let container = archive.needed("META-INF/container.xml")?;
    let mut main = None;
    visit(&container, |node| {
        if let Node::Start(element) = node
            && element.name() == "rootfile"
        {
            main = main.take().or(element.attribute("full-path"));
        }
        Ok(())
    })?;
    let main = main.ok_or(OfficeError::NotOffice)?;
    let package = archive.needed(&main)?;
    let mut document = Document {
        format: "epub",
        ..Document::default()
    };
    properties::read(&package, &mut document)?;
    let folder = main.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (number, part) in (1..).zip(chapters(&package, folder)?) {
        let Some(html) = archive.text(&part)? else {
            continue;
        };
        let page = html_text(&html);
        archive.budget.take_text(page.text.len())?;
        document.parts.push(Part {
            place: Place::Chapter(number),
            title: page.title,
            text: page.text,
        });
    }
    Ok(document)
}

/// The parts of a book in the order of reading.
fn chapters(package: &str, folder: &str) -> Result<Vec<String>> {
    let (mut items, mut order) = (HashMap::new(), Vec::new());
    visit(package, |node| {
        if let Node::Start(element) = node {
            match element.name() {
                "item" => {
                    let id = element.attribute("id").unwrap_or_default();
                    let part = element.attribute("href").unwrap_or_default();
                    items.insert(id, resolved(folder, &part));
                }
                "itemref" => order.extend(element.attribute("idref")),
                _ => {}
            }
        }
        Ok(())
    })?;
    // One that is named again is read once.
    let chapters = order.into_iter().filter_map(|id| items.remove(&id));
    Ok(chapters.collect())
}
