//! A message as mail.

use std::time::Duration;

use gannet_outbound::resolve;
use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};

use super::{DeliveryError, Message};
use crate::config::{MailDelivery, MailTls};
use crate::outgoing::Outgoing;

/// How long the server may take for each command.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends a message. Its id is the `Message-ID`, by which a receiver can tell a
/// repetition.
pub(super) async fn send(
    outgoing: &Outgoing,
    to: &MailDelivery,
    message: &Message,
) -> Result<(), DeliveryError> {
    let mail = mail(to, message)?;
    let addresses = resolve(&to.host, to.port(), outgoing.is_private_host(&to.host)).await?;
    let tls = tls(to).await?;
    let mut refused = DeliveryError::Refused(format!("{} has no address", to.host));
    for address in addresses {
        let transport = transport(to, &address.ip().to_string(), tls.clone())?;
        match transport.send(mail.clone()).await {
            Ok(_) => return Ok(()),
            Err(error) => refused = DeliveryError::Refused(format!("{}: {error}", to.host)),
        }
    }
    Err(refused)
}

/// How the connection is encrypted.
async fn tls(to: &MailDelivery) -> Result<Tls, DeliveryError> {
    let wrap = match to.tls {
        MailTls::None => return Ok(Tls::None),
        MailTls::Starttls => Tls::Required,
        MailTls::Tls => Tls::Wrapper,
    };
    let unusable = |error| DeliveryError::Unusable(format!("no TLS: {error}"));
    let mut parameters = TlsParameters::builder(to.host.clone());
    if let Some(path) = &to.ca_file {
        let read = tokio::fs::read(path).await;
        let pem = read.map_err(|source| DeliveryError::File {
            path: path.clone(),
            source,
        })?;
        let authorities = Certificate::from_pem(&pem).map_err(unusable)?;
        parameters = parameters.add_root_certificate(authorities);
    }
    Ok(wrap(parameters.build().map_err(unusable)?))
}

fn transport(
    to: &MailDelivery,
    address: &str,
    tls: Tls,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, DeliveryError> {
    let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(address)
        .port(to.port())
        .timeout(Some(TIMEOUT))
        .tls(tls);
    if let Some(user) = &to.user {
        let password = to.password.as_ref().map(|password| password.read());
        let password = password.transpose()?.unwrap_or_default();
        builder = builder.credentials(Credentials::new(user.clone(), password));
    }
    Ok(builder.build())
}

fn mail(to: &MailDelivery, message: &Message) -> Result<lettre::Message, DeliveryError> {
    let mailbox = |address: &str| {
        let mailbox = address.parse::<Mailbox>();
        mailbox.map_err(|error| DeliveryError::Unusable(format!("`{address}`: {error}")))
    };
    let from = mailbox(&to.from)?;
    let id = format!("<{}@{}>", message.id, from.email.domain());
    let mut builder: MessageBuilder = lettre::Message::builder()
        .message_id(Some(id))
        .date(message.created_at.into())
        .from(from)
        .subject(&message.title);
    for address in &to.to {
        builder = builder.to(mailbox(address)?);
    }
    let mut text = message.text.clone();
    for entry in &message.entries {
        if let Some(url) = &entry.url {
            text.push_str(&format!("\n{}: {url}", entry.entry_id));
        }
    }
    let mail = builder.header(ContentType::TEXT_PLAIN).body(text);
    mail.map_err(|error| DeliveryError::Unusable(error.to_string()))
}
