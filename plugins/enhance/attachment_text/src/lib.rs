//! Reads the text of the files that are attached to an entry, so that a search
//! for words finds the entry by it. A hit shows the part of the file that
//! matched, with its name and page.
//!
//! Text, Markdown, HTML, CSV, logs and JSON are read, and the text of PDF
//! files. Pictures are not, and no archive is opened. Files that were uploaded
//! to this host are read; of others those below the addresses that the settings
//! name:
//!
//! ```yaml
//! enhancement_modules:
//!   attachment_text:
//!     enabled: true
//!     settings: { servers: ["https://elog.lab.example/files/"] }
//! ```
//!
//! A file that is too large, damaged or in another format is left out; the
//! entry is complete without it. A server that does not answer is a failure of
//! the entry, which is shown and tried again.
//!
//! ```
//! use gannet_attachment_text::AttachmentTexts;
//! use gannet_plugin::prelude::Enhancer;
//!
//! assert_eq!(AttachmentTexts::descriptor().execution_order, 5);
//! ```

mod address;
mod examples;
mod format;
mod texts;

use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::enhance::{Enhanced, Patch};
use gannet_plugin::entry::{ATTACHMENT_TEXT, Attachment, attachment_metadata};
use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::{
    Context, Descriptor, Enhancer, Entry, Error, Result, Setup, settings,
};

use texts::Texts;

gannet_plugin::export_plugin! {
    enhancers: [AttachmentTexts],
}

/// Adds the texts of its attachments to an entry.
pub struct AttachmentTexts {
    settings: Settings,
}

/// What the configuration can set.
#[settings]
#[derive(PartialEq, Eq)]
pub struct Settings {
    /// Beginnings of the addresses of attachments that are fetched from other
    /// servers. Each ends with `/`.
    pub servers: Vec<String>,
    /// Files of an entry that are read, the first ones.
    #[setting(default = 20, min = 1, max = 100)]
    pub max_files: usize,
    /// Bytes of a file; a larger one is left out.
    #[setting(default = 10 << 20, min = 1, max = 16 << 20)]
    pub max_file_bytes: usize,
    /// Bytes of text of all files of an entry; what follows is left out.
    #[setting(default = 64 << 10, min = 1, max = 1 << 20)]
    pub max_text_bytes: usize,
}

impl Enhancer for AttachmentTexts {
    const NAME: &'static str = "attachment_text";

    type Settings = Settings;

    fn descriptor() -> Descriptor {
        let descriptor = Descriptor::new(
            PluginKind::Enhancer,
            Self::NAME,
            "Attachment text",
            "Reads the text of attached files (text, Markdown, HTML, CSV, PDF), for text search.",
        )
        .at_order(5);
        let examples = examples::examples().into_iter();
        examples.fold(descriptor, Descriptor::with_example)
    }

    /// # Errors
    /// A server without `/` at its end: `https://log.lab` would permit
    /// `https://log.lab.example` too. One with a segment `..`.
    fn new(settings: Settings, _setup: &Setup) -> Result<Self> {
        for server in &settings.servers {
            let wrong = match (server.ends_with('/'), address::leads_elsewhere(server)) {
                (false, _) => "must end with `/`",
                (true, true) => "must have no segment `.` or `..`",
                (true, false) => continue,
            };
            return Err(Error::setting("servers", format!("`{server}` {wrong}")));
        }
        Ok(Self { settings })
    }

    async fn enhance(&self, entries: Vec<Entry>, context: &Context) -> Result<Vec<Enhanced>> {
        let mut done = Vec::with_capacity(entries.len());
        for entry in entries {
            let patch = self.patch(&entry, context).await;
            done.push(Enhanced::new(
                entry.entry_id,
                patch.map_err(|error| error.to_string()),
            ));
        }
        Ok(done)
    }
}

impl AttachmentTexts {
    async fn patch(&self, entry: &Entry, context: &Context) -> Result<Patch> {
        let mut texts = Texts::new(self.settings.max_text_bytes);
        for attachment in entry.attachments.iter().take(self.settings.max_files) {
            if texts.is_full() || !format::may_have_text(attachment) {
                continue;
            }
            let Some(bytes) = self.bytes(attachment, context).await? else {
                continue;
            };
            if bytes.len() <= self.settings.max_file_bytes {
                texts.add(attachment, &bytes);
            }
        }
        let texts = texts.into_parts();
        // Texts that were there and are none now are taken out.
        if texts.is_empty() && !entry.metadata.contains_key(ATTACHMENT_TEXT) {
            return Ok(Patch::default());
        }
        let texts = texts.iter();
        let metadata = texts.map(|of| (of.name.as_str(), of.page, of.text.clone()));
        Ok(Patch::default().with_metadata(attachment_metadata(metadata)))
    }

    /// The file; `None` for one that is not read, and one that is gone.
    async fn bytes(&self, attachment: &Attachment, context: &Context) -> Result<Option<Vec<u8>>> {
        let Some(url) = &attachment.url else {
            return Ok(None);
        };
        let is_named = |server: &String| address::is_below(url, server);
        let read = match self.settings.servers.iter().any(is_named) {
            true => context
                .http(HttpRequest::get(url))
                .await
                .map(|answer| answer.body),
            false => context.attachment(url).await,
        };
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            // It is not there, or too large: trying again would not help.
            Err(Error::NotFound { .. } | Error::InvalidInput { .. }) => Ok(None),
            Err(Error::Provider {
                retryable: false, ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
