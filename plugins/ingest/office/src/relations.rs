//! Which parts of a document another one names.

use std::collections::HashMap;

use crate::Result;
use crate::archive::Archive;
use crate::xml::{Node, visit};

/// The relations of a part: the type and the place of what it names, by id.
pub(crate) struct Relations(HashMap<String, (String, String)>);

impl Relations {
    /// Those of a part of this name.
    pub(crate) fn of(archive: &mut Archive<'_>, part: &str) -> Result<Self> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut found = HashMap::new();
        if let Some(xml) = archive.text(&format!("{folder}/_rels/{name}.rels"))? {
            visit(&xml, |node| {
                if let Node::Start(element) = node
                    && let Some(id) = element.attribute("Id")
                    && let Some(target) = element.attribute("Target")
                {
                    let kind = element.attribute("Type").unwrap_or_default();
                    found.insert(id, (kind, resolved(folder, &target)));
                }
                Ok(())
            })?;
        }
        Ok(Self(found))
    }

    /// The part with this id.
    pub(crate) fn part(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|(_, part)| part.as_str())
    }

    /// The part of a type that ends so.
    pub(crate) fn of_type(&self, end: &str) -> Option<&str> {
        let mut parts = self.0.values();
        parts
            .find(|(kind, _)| kind.ends_with(end))
            .map(|(_, part)| part.as_str())
    }
}

/// The name of a part, seen from a folder.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    if let Some(from_root) = target.strip_prefix('/') {
        return from_root.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
