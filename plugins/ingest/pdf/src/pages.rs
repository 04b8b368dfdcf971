//! The pages of a file, in their order.

use std::collections::HashSet;

use crate::PdfError;
use crate::budget::Budget;
use crate::content::Reader;
use crate::file::File;
use crate::object::{Dict, Object};

/// A part of the tree of pages that is still to be looked at, with the
/// resources that it has from the parts above.
struct Branch<'a> {
    node: &'a Object,
    resources: Option<&'a Dict>,
}

/// What the pages say.
#[derive(Default)]
pub(crate) struct Texts {
    /// The text of each page.
    pub(crate) pages: Vec<String>,
    /// The numbers, from 1, of those that are damaged.
    pub(crate) damaged: Vec<usize>,
    /// Whether a part of their tree is not in the file.
    pub(crate) lacks_pages: bool,
}

/// The text of each page.
pub(crate) fn texts(file: &File<'_>, budget: &mut Budget<'_>) -> Result<Texts, PdfError> {
    let mut pages = in_tree(file, budget)?;
    if pages.is_empty() {
        pages = anywhere(file);
    }
    budget.check_pages(pages.len())?;
    let mut reader = Reader::new(file);
    let mut texts = Texts {
        lacks_pages: budget.take_damage(),
        ..Texts::default()
    };
    for (number, (page, resources)) in (1..).zip(pages) {
        let text = reader.text(page, resources, budget)?;
        budget.take_text(text.len())?;
        texts.pages.push(text);
        if budget.take_damage() {
            texts.damaged.push(number);
        }
    }
    Ok(texts)
}

type Page<'a> = (&'a Dict, Option<&'a Dict>);

fn in_tree<'a>(file: &'a File<'_>, budget: &mut Budget<'_>) -> Result<Vec<Page<'a>>, PdfError> {
    let mut pages = Vec::new();
    let mut seen = HashSet::new();
    let root = file.pages().into_iter();
    let mut left: Vec<Branch<'a>> = root
        .map(|node| Branch {
            node,
            resources: None,
        })
        .collect();
    while let Some(Branch { node, resources }) = left.pop() {
        // A tree has each part once; only a reference can lead back.
        if let Object::Reference(number) = node
            && !seen.insert(*number)
        {
            continue;
        }
        let Some(dict) = file.resolve(node).and_then(Object::dict) else {
            budget.note_damage();
            continue;
        };
        let resources = file.dict(dict, b"Resources").or(resources);
        match file.get(dict, b"Kids").and_then(Object::list) {
            Some(kids) => {
                // Many parts may share one list.
                budget.take_branches(kids.len())?;
                left.extend(kids.iter().rev().map(|node| Branch { node, resources }));
            }
            None => pages.push((dict, resources)),
        }
    }
    Ok(pages)
}

/// Where the tree is damaged: every page there is, in the order of the file.
fn anywhere<'a>(file: &'a File<'_>) -> Vec<Page<'a>> {
    let dicts = file.order.iter();
    let dicts = dicts.filter_map(|number| file.objects.get(number)?.dict());
    let pages = dicts.filter(|dict| {
        let kind = dict.get(b"Type".as_slice());
        kind.is_some_and(|kind| kind.is_name(b"Page"))
    });
    pages
        .map(|page| (page, file.dict(page, b"Resources")))
        .collect()
}
