//! An office document or a book as entries: one for each part.

use gannet_office::{Document, Limits, OfficeError, Part, Place};
use gannet_plugin::ingest::{Read, join_title, read_timestamp};
use gannet_plugin::prelude::Entry;
use jiff::Timestamp;
use serde_json::Value;

use crate::document::{Conversion, Source};

impl Conversion {
    /// The parts of a document. The id of each is that of the file with the
    /// kind of part and its number or name: `#slide=3`.
    pub(crate) fn office_parts(&self, source: &Source<'_>, bytes: &[u8]) -> Read<Vec<Entry>> {
        let document = gannet_office::read(bytes, &Limits::default());
        let document = document.map_err(|error| match error {
            OfficeError::NotOffice => "an archive that is no document: unpack it".to_owned(),
            other => other.to_string(),
        })?;
        if document.parts.is_empty() {
            return Err("no text".to_owned());
        }
        // Properties are filled in by programs: a bad time is not the author's.
        let changed = document.changed.as_deref();
        let time =
            changed.and_then(|time| read_timestamp("date", &Value::from(time), &self.zone).ok());
        let time = time.unwrap_or(source.time);
        let parts = document.parts.iter();
        Ok(parts
            .map(|part| self.office_part(source, &document, part, time))
            .collect())
    }

    fn office_part(
        &self,
        source: &Source<'_>,
        document: &Document,
        part: &Part,
        time: Timestamp,
    ) -> Entry {
        let whole = document.title.as_deref().unwrap_or(source.name);
        let (kind, place, name) = match &part.place {
            Place::Whole => ("", String::new(), Value::Null),
            Place::Section(number) => ("section", number.to_string(), (*number).into()),
            Place::Slide(number) => ("slide", number.to_string(), (*number).into()),
            Place::Chapter(number) => ("chapter", number.to_string(), (*number).into()),
            Place::Sheet(name, 1) => ("sheet", name.clone(), name.clone().into()),
            Place::Sheet(name, row) => {
                let place = format!("{name}&row={row}");
                ("sheet", place, name.clone().into())
            }
        };
        let title = match (&part.place, part.title.as_str()) {
            (Place::Whole, _) => whole.to_owned(),
            (Place::Sheet(_, 1), name) => format!("{whole}, sheet {name}"),
            (Place::Sheet(_, row), name) => format!("{whole}, sheet {name} from row {row}"),
            (Place::Slide(_), "") => format!("{whole}, slide {place}"),
            (Place::Slide(_), title) => format!("{whole}, slide {place}: {title}"),
            (_, "") => format!("{whole}, {kind} {place}"),
            (_, title) => format!("{whole}: {title}"),
        };
        let id = match kind {
            "" => source.id.to_owned(),
            kind => format!("{}#{kind}={place}", source.id),
        };
        let text = match part.text.starts_with(&title) {
            true => part.text.clone(),
            false => join_title(&title, &part.text),
        };
        let mut entry = self.new_entry(&id, time, text, document.author.as_deref());
        self.describe(&mut entry, source, &title, document.format);
        if !kind.is_empty() {
            entry.metadata.insert("file".to_owned(), source.id.into());
            entry.metadata.insert(kind.to_owned(), name);
        }
        entry
    }
}
