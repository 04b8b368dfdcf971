//! Where digests and the matches of saved searches are delivered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gannet_api::{DEFAULT_TENANT, Secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place that messages are delivered to: exactly one of `file`, `feed`,
/// `webhook`, `mail` and `entry`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeliveryConfig {
    /// Whether messages are delivered here.
    pub enabled: bool,
    /// The tenant whose digests and saved searches may be delivered here.
    #[schemars(length(min = 1))]
    pub tenant: String,
    /// Whether saved searches that users make may be delivered here, and not
    /// only those of the configuration.
    pub for_users: bool,
    /// How often a message is tried before it is given up. The first wait is a
    /// minute; each further one is twice as long, up to an hour.
    #[schemars(range(min = 1, max = 100))]
    pub max_attempts: u32,
    /// A folder with a file for each message.
    pub file: Option<FileDelivery>,
    /// An Atom feed, which the service has at `/api/feeds/NAME`.
    pub feed: Option<FeedDelivery>,
    /// An HTTP server that each message is posted to as JSON.
    pub webhook: Option<WebhookDelivery>,
    /// Mail over SMTP.
    pub mail: Option<MailDelivery>,
    /// Entries of the logbook.
    pub entry: Option<EntryDelivery>,
}

/// A folder with a file for each message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDelivery {
    /// The folder; created if missing. The id of the message is the name of the
    /// file.
    pub folder: PathBuf,
}

/// An Atom feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedDelivery {
    /// Messages that the feed has, the newest ones.
    #[schemars(range(min = 1, max = 1000))]
    pub most: usize,
    /// A file that is written too, for a web server.
    pub path: Option<PathBuf>,
}

/// An HTTP server that each message is posted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookDelivery {
    /// The address. It has no user and no password; what the server asks for
    /// goes into `headers`.
    #[schemars(regex(pattern = r"^https?://"))]
    pub url: String,
    /// Headers of each request, by their names, as secrets.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
}

/// Mail over SMTP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MailDelivery {
    /// The host of the mail server.
    #[schemars(length(min = 1))]
    pub host: String,
    /// Its port; by `tls` when not set: 587, 465 or 25.
    #[serde(default)]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<u16>,
    /// How the connection is encrypted.
    #[serde(default)]
    pub tls: MailTls,
    /// A file with certificates (PEM) of authorities that the server's may be
    /// signed by, besides those of the system.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The user, where the server asks for one.
    #[serde(default)]
    pub user: Option<String>,
    /// The password of the user.
    #[serde(default)]
    pub password: Option<Secret>,
    /// Who the mails are from, such as `Gannet <gannet@lab.example>`.
    #[schemars(length(min = 3))]
    pub from: String,
    /// Who gets them.
    #[schemars(length(min = 1))]
    pub to: Vec<String>,
}

/// How the connection to a mail server is encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// From the command STARTTLS on, which the server must have.
    #[default]
    Starttls,
    /// From the start.
    Tls,
    /// Not at all, for a server on this machine.
    None,
}

/// Entries of the logbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EntryDelivery {
    /// The author of the entries.
    pub author: String,
    /// Their logbook.
    pub logbook: Option<String>,
}

impl MailDelivery {
    /// The port that is connected to.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(match self.tls {
            MailTls::Starttls => 587,
            MailTls::Tls => 465,
            MailTls::None => 25,
        })
    }
}

impl DeliveryConfig {
    /// What messages are delivered to: `file`, `feed`, `webhook`, `mail` or
    /// `entry`.
    pub fn kinds(&self) -> Vec<&'static str> {
        let all = [
            ("file", self.file.is_some()),
            ("feed", self.feed.is_some()),
            ("webhook", self.webhook.is_some()),
            ("mail", self.mail.is_some()),
            ("entry", self.entry.is_some()),
        ];
        let set = all.into_iter().filter(|(_, is_set)| *is_set);
        set.map(|(kind, _)| kind).collect()
    }

    /// Paths of the delivery, by their keys.
    pub(super) fn paths_mut(&mut self) -> Vec<(String, &mut PathBuf)> {
        let file = self.file.as_mut();
        let folder = file.map(|file| ("file.folder".to_owned(), &mut file.folder));
        let feed = self.feed.as_mut().and_then(|feed| feed.path.as_mut());
        let feed = feed.map(|path| ("feed.path".to_owned(), path));
        let headers = self.webhook.iter_mut().flat_map(|one| &mut one.headers);
        let headers = headers.filter_map(|(name, secret)| {
            Some((format!("webhook.headers.{name}.file"), secret.path_mut()?))
        });
        let mail = self.mail.iter_mut().flat_map(|mail| {
            let password = mail.password.as_mut();
            let password = password.and_then(|password| password.path_mut());
            let files = [
                ("mail.ca_file", mail.ca_file.as_mut()),
                ("mail.password.file", password),
            ];
            files
                .into_iter()
                .filter_map(|(key, path)| Some((key.to_owned(), path?)))
        });
        let all = folder.into_iter().chain(feed).chain(headers);
        all.chain(mail).collect()
    }
}

impl Default for DeliveryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            tenant: DEFAULT_TENANT.to_owned(),
            for_users: false,
            max_attempts: 10,
            file: None,
            feed: None,
            webhook: None,
            mail: None,
            entry: None,
        }
    }
}

impl Default for FeedDelivery {
    fn default() -> Self {
        Self {
            most: 50,
            path: None,
        }
    }
}

impl Default for EntryDelivery {
    fn default() -> Self {
        Self {
            author: "Gannet".to_owned(),
            logbook: None,
        }
    }
}
