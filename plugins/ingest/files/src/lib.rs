//! Ingestion adapter for a folder of documents: plain text, Markdown, HTML, PDF,
//! office documents, and mail.
//!
//! Each file becomes an entry of the kind `document`. Its id is the path from
//! the folder, `manuals/rf/start.md`, so the folder can move. Its time is that
//! of the front matter, or else of the last change:
//!
//! ```text
//! ---
//! title: Start of the klystron
//! date: 2024-01-05 08:30
//! author: M. Lee
//! tags: [rf, manual]
//! ---
//! Warm up for ten minutes.
//! ```
//!
//! Without a title there, it is that of the page, or the heading that a
//! Markdown file begins with. Other keys of the front matter become metadata;
//! a block that is more than `key: value` and lists is text like the rest.
//! Encodings are found as by the `csv` adapter.
//!
//! Nothing outside of the folder is read: a symlink that leaves it is a
//! rejected record, and symlinks to folders are not followed. Hidden files and
//! files with other extensions are left out, which a diagnostic counts.
//!
//! An office document (DOCX, PPTX, XLSX, ODT, ODP, ODS, EPUB, RTF) is an entry
//! for each section, slide, sheet or chapter: `talk.pptx#slide=3`. Of a mailbox
//! each mail is an entry, `shift.mbox#message=3`, and files that are attached
//! to a mail are read as any other: `trip.eml#attachment=1`.
//!
//! Of a PDF file each page with text is an entry, with the file's id, `#page=`
//! and the page's number: `manuals/rf/start.pdf#page=3`. Its metadata has
//! `file`, `page` and `pages`. Pages that are pictures have no text; files that
//! open only with a password are rejected, and so are those that exceed a limit.
//!
//! ```
//! use gannet_files::Files;
//! use gannet_plugin::prelude::Adapter;
//!
//! assert_eq!(Files::descriptor().name, "files");
//! ```

mod confined;
mod document;
mod examples;
mod front_matter;
mod mail;
mod mailbox;
mod office;
mod pdf;

use std::path::PathBuf;
use std::sync::Arc;

use gannet_plugin::ingest::{self, Opened, RecordStream};
use gannet_plugin::prelude::{
    Adapter, Context, Descriptor, Diagnostic, FetchRequest, Result, Setup, settings,
};
use jiff::tz::TimeZone;

use confined::{Folder, Limits, has_extension};
use document::Conversion;

/// Extensions of files that are one entry each.
const TEXTS: [&str; 7] = ["txt", "text", "md", "markdown", "rst", "html", "htm"];

gannet_plugin::export_plugin! {
    adapters: [Files],
}

/// Brings in the documents of a folder.
pub struct Files {
    settings: Settings,
    zone: TimeZone,
    instance: String,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// The folder or file, when a call names none.
    pub source_url: Option<String>,
    /// Where entries say they came from.
    #[setting(default = "files")]
    pub source_system: String,
    /// What sort of text it is.
    #[setting(default = "document")]
    pub kind: String,
    /// The files of a folder that are read, by the ends of their names.
    #[setting(default = [
        "txt", "text", "md", "markdown", "rst", "html", "htm", "pdf", "eml", "mbox", "docx",
        "pptx", "xlsx", "odt", "odp", "ods", "rtf", "epub",
    ])]
    pub extensions: Vec<String>,
    /// How large a file may be, in bytes.
    #[setting(default = 4 << 20)]
    pub max_bytes: u64,
    /// How large a PDF file, an office document or a mail may be, in bytes.
    #[setting(default = 64 << 20, max = 1 << 30)]
    pub max_pdf_bytes: u64,
    /// How many pages a PDF file may have.
    #[setting(default = 5_000)]
    pub max_pages: usize,
    /// How many files a folder may have that are read.
    #[setting(default = 1_000_000)]
    pub max_files: usize,
    /// How many folders may stand in each other.
    #[setting(default = 64)]
    pub max_depth: usize,
}

impl Adapter for Files {
    const NAME: &'static str = "files";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::adapter(
            Self::NAME,
            "Files",
            "Reads a folder of documents: text, Markdown, HTML, PDF, office documents, mail.",
        );
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    fn new(settings: Settings, setup: &Setup) -> Result<Self> {
        Ok(Self {
            zone: setup.zone()?,
            instance: setup.instance.clone(),
            settings,
        })
    }

    async fn fetch(&self, request: FetchRequest, context: &Context) -> Result<RecordStream> {
        let path = ingest::source_path(&request, self.settings.source_url.as_deref())?;
        let conversion = Arc::new(Conversion {
            source_system: self.settings.source_system.clone(),
            kind: self.settings.kind.clone(),
            tenant: context.call.tenant.to_string(),
            zone: self.zone.clone(),
            max_bytes: self.settings.max_bytes,
            max_pdf_bytes: self.settings.max_pdf_bytes,
            max_pages: self.settings.max_pages,
        });
        let limits = Limits {
            files: request.files.iter().map(PathBuf::from).collect(),
            extensions: self.settings.extensions.clone(),
            max_files: self.settings.max_files,
            max_depth: self.settings.max_depth,
        };
        let (context, instance) = (context.clone(), self.instance.clone());
        ingest::from_blocking(request, move || {
            let (folder, listing) = Folder::open(&path, &limits)?;
            if listing.left_out > 0 {
                let message = format!(
                    "{} files with other extensions are left out",
                    listing.left_out
                );
                context.diagnose(Diagnostic::info(&instance, message));
            }
            let folder = Arc::new(folder);
            // A PDF file is as many records as it has pages, and so on.
            let is_text = |file: &PathBuf| has_extension(file, &TEXTS);
            let has_parts = !listing.files.iter().all(is_text);
            let files = listing.files.into_iter();
            Ok(Opened {
                total: (!has_parts).then_some(files.len() as u64),
                records: files
                    .flat_map(move |file| conversion.records(&folder, &file))
                    .map(Ok),
            })
        })
        .await
    }
}
