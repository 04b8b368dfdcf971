//! Entries with their files as an RO-Crate in a ZIP archive, the form `.eln`
//! that electronic lab notebooks exchange.
//!
//! RO-Crate 1.1 (w3id.org/ro/crate/1.1) and the ELN Consortium's conventions:
//! one folder in the archive, and in it `ro-crate-metadata.json` beside a
//! folder for each entry.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Seek, Write};

use gannet_api::{Attachment, Entry, Error};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::uploaded_files::uploaded_id;
use crate::{Gannet, HostError};

/// The folder in the archive.
const ROOT: &str = "export";
/// Letters of a folder's or a file's name at most.
const LONGEST_NAME: usize = 100;

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ElnReport {
    /// Entries.
    pub entries: u64,
    /// Files that are in the archive.
    pub files: u64,
    /// Files that are named by their addresses alone: they are elsewhere.
    pub linked: u64,
}

/// The description, as far as it was made.
#[derive(Default)]
struct Graph {
    nodes: Vec<Value>,
    parts: Vec<Value>,
    people: BTreeSet<String>,
    /// Names of folders, which do not tell upper from lower case everywhere.
    folders: BTreeSet<String>,
    report: ElnReport,
}

impl Gannet {
    /// Writes entries of a tenant, with the files that were uploaded for them,
    /// as an archive. Files elsewhere are named and not fetched. The same
    /// entries give the same bytes.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an id that is not there, [`HostError::Store`],
    /// [`HostError::Output`] when `out` cannot be written.
    pub async fn export_eln(
        &self,
        tenant: &str,
        ids: &[String],
        out: impl Write + Seek + Send,
    ) -> Result<ElnReport, HostError> {
        let entries = self.store().entries(tenant, ids).await?;
        let is_there = |id: &&String| entries.iter().any(|entry| entry.entry_id == **id);
        if let Some(missing) = ids.iter().find(|id| !is_there(id)) {
            return Err(Error::not_found("entry", missing).into());
        }
        let mut archive = Archive(ZipWriter::new(out));
        let mut graph = Graph::default();
        for entry in &entries {
            self.add(entry, &mut graph, &mut archive)?;
        }
        let newest = entries.iter().map(|entry| entry.timestamp).max();
        let document = graph.document(newest.unwrap_or_default());
        archive.file("ro-crate-metadata.json", document.as_bytes())?;
        archive.finish()?;
        Ok(graph.report)
    }

    fn add<W: Write + Seek>(
        &self,
        entry: &Entry,
        graph: &mut Graph,
        archive: &mut Archive<W>,
    ) -> Result<(), HostError> {
        let folder = graph.folder(&entry.entry_id);
        let mut files = Vec::new();
        for (number, attachment) in entry.attachments.iter().enumerate() {
            let Some(bytes) = self.uploaded(attachment)? else {
                files.extend(graph.link(attachment));
                continue;
            };
            let name = attachment.filename.as_deref().unwrap_or("file");
            let path = format!("{folder}/{:02}-{}", number + 1, plain(name));
            archive.file(&path, &bytes)?;
            files.push(graph.file(&format!("./{path}"), attachment, &bytes));
        }
        graph.entry(entry, &format!("./{folder}/"), files);
        Ok(())
    }

    /// The bytes of a file that was uploaded; none of one that is elsewhere.
    fn uploaded(&self, attachment: &Attachment) -> Result<Option<Vec<u8>>, HostError> {
        let Some(id) = uploaded_id(attachment) else {
            return Ok(None);
        };
        let path = self.config().store.attachments().join(id);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(HostError::File { path, source }),
        }
    }
}

impl Graph {
    /// A folder of its own for an entry.
    fn folder(&mut self, id: &str) -> String {
        let name = plain(id);
        let mut folder = name.clone();
        let mut number = 1;
        while !self.folders.insert(folder.to_lowercase()) {
            number += 1;
            folder = format!("{name}-{number}");
        }
        folder
    }

    fn file(&mut self, id: &str, attachment: &Attachment, bytes: &[u8]) -> Value {
        self.report.files += 1;
        self.node(json!({
            "@id": id,
            "@type": "File",
            "name": attachment.filename,
            "description": attachment.caption,
            "encodingFormat": attachment.mime_type,
            "contentSize": bytes.len().to_string(),
            "sha256": hexadecimal(bytes),
        }))
    }

    /// A file that is elsewhere; nothing for one without an address.
    fn link(&mut self, attachment: &Attachment) -> Option<Value> {
        let url = attachment.url.as_deref()?;
        self.report.linked += 1;
        Some(self.node(json!({
            "@id": url,
            "@type": "File",
            "name": attachment.filename,
            "description": attachment.caption,
            "encodingFormat": attachment.mime_type,
        })))
    }

    fn entry(&mut self, entry: &Entry, id: &str, files: Vec<Value>) {
        self.report.entries += 1;
        let keywords = entry.keywords.join(",");
        let author = (!entry.author.is_empty()).then(|| self.person(&entry.author));
        let part = self.node(json!({
            "@id": id,
            "@type": "Dataset",
            "identifier": entry.entry_id,
            "name": entry.title().unwrap_or(&entry.entry_id),
            "text": entry.raw_text,
            "encodingFormat": "text/plain",
            "author": author,
            "dateCreated": entry.timestamp.to_string(),
            "abstract": entry.summary,
            "keywords": (!keywords.is_empty()).then_some(keywords),
            "isBasedOn": entry.source_system,
            "variableMeasured": properties(entry),
            "hasPart": files,
        }));
        self.parts.push(part);
    }

    fn person(&mut self, name: &str) -> Value {
        let id = format!("#person-{}", plain(name));
        if self.people.insert(name.to_owned()) {
            self.node(json!({ "@id": id, "@type": "Person", "name": name }));
        }
        json!({ "@id": id })
    }

    /// Adds a node without the keys that have no value; returns a reference.
    fn node(&mut self, mut node: Value) -> Value {
        if let Value::Object(members) = &mut node {
            members.retain(|_, value| !value.is_null() && *value != json!([]));
        }
        let reference = json!({ "@id": node["@id"] });
        self.nodes.push(node);
        reference
    }

    fn document(&self, date: Timestamp) -> String {
        let mut graph = vec![
            json!({
                "@id": "ro-crate-metadata.json",
                "@type": "CreativeWork",
                "about": { "@id": "./" },
                "conformsTo": { "@id": "https://w3id.org/ro/crate/1.1" },
                "sdPublisher": { "@id": "#gannet" },
            }),
            json!({
                "@id": "#gannet",
                "@type": "Organization",
                "name": "Gannet",
            }),
            json!({
                "@id": "./",
                "@type": "Dataset",
                "name": "Logbook entries",
                "description": "Entries of a logbook with their files.",
                "datePublished": date.to_string(),
                "hasPart": self.parts,
            }),
        ];
        graph.extend(self.nodes.iter().cloned());
        let document = json!({
            "@context": "https://w3id.org/ro/crate/1.1/context",
            "@graph": graph,
        });
        format!("{document:#}\n")
    }
}

/// The metadata of an entry, by name.
fn properties(entry: &Entry) -> Vec<Value> {
    let mut members: Vec<(&String, &Value)> = entry.metadata.iter().collect();
    members.sort_by_key(|(name, _)| *name);
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    members
        .into_iter()
        .filter(|(name, value)| *name != "title" && !value.is_null())
        .map(|(name, value)| {
            json!({ "@type": "PropertyValue", "propertyID": name, "value": text(value) })
        })
        .collect()
}

/// A name for a file, whatever the system: letters, digits, `-`, `_` and `.`,
/// and no dot in front.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let letters = name.chars().map(|c| if is_plain(c) { c } else { '_' });
    let name: String = letters.take(LONGEST_NAME).collect();
    match name.trim_start_matches('.') {
        "" => "_".to_owned(),
        name => name.to_owned(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// An archive that is being written. Its files have no time of their own, so
/// that the same entries give the same bytes.
struct Archive<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> Archive<W> {
    fn file(&mut self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        let options = options.last_modified_time(zip::DateTime::default());
        let started = self.0.start_file(format!("{ROOT}/{path}"), options);
        started.map_err(|error| HostError::Output(error.into()))?;
        self.0.write_all(bytes).map_err(HostError::Output)
    }

    fn finish(self) -> Result<(), HostError> {
        let finished = self.0.finish();
        finished
            .map(drop)
            .map_err(|error| HostError::Output(error.into()))
    }
}
