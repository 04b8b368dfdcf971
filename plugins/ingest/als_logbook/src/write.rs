//! Entries as the logbook takes them: a document in XML.

use gannet_plugin::http::HttpRequest;
use gannet_plugin::prelude::Result;
use gannet_plugin::publish::{Credentials, PublishRequest};
use gannet_sources::{WriteSettings, entry_tags, xml_element};

/// Characters of an id at most; a longer text is a message.
const LONGEST_ID: usize = 64;

/// The request that writes an entry.
///
/// # Errors
/// Those of [`WriteSettings::address`].
pub(crate) fn post(
    settings: &WriteSettings,
    request: &PublishRequest,
    credentials: &Credentials,
) -> Result<HttpRequest> {
    let document = document(settings, request, credentials);
    Ok(HttpRequest::new("POST", settings.address()?)
        .header("content-type", "application/xml")
        .with_body(document.into_bytes()))
}

/// The document. Tags are the logbook's categories.
fn document(
    settings: &WriteSettings,
    request: &PublishRequest,
    credentials: &Credentials,
) -> String {
    let list = |name: &str, items: String| match items.is_empty() {
        true => items,
        false => format!("<{name}>{items}</{name}>"),
    };
    let logbook = settings.logbook(request).into_iter();
    let logbook = logbook.map(|name| xml_element("logbook", name));
    let categories = entry_tags(request).map(|tag| xml_element("category", tag));
    let entry = [
        xml_element("subject", request.subject()),
        xml_element("details", request.details()),
        xml_element("level", settings.level(request)),
        list("logbooks", logbook.collect()),
        list("categories", categories.collect()),
    ];
    format!(
        "<root>{}{}<entry>{}</entry></root>",
        xml_element("author", &credentials.user),
        xml_element("password", &credentials.password),
        entry.concat(),
    )
}

/// The id in an answer: the text of the first element `id`, the attribute `id`
/// of the first element, or the whole answer where it is nothing but an id.
pub(crate) fn id_of(answer: &str) -> Option<String> {
    let root = root_tag(answer);
    let is_page = root
        .get(..5)
        .is_some_and(|tag| tag.eq_ignore_ascii_case("<html"));
    let of_element = || between(answer, "<id>", "</id>");
    let found = match answer.starts_with('<') {
        true if is_page => return None,
        true => of_element().or_else(|| between(root, " id=\"", "\""))?,
        false => answer,
    };
    let id = found.trim();
    let is_id = (1..=LONGEST_ID).contains(&id.len())
        && id
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.:".contains(letter));
    is_id.then(|| id.to_owned())
}

/// The first tag, after declarations and comments.
fn root_tag(document: &str) -> &str {
    let mut tags = document.split_inclusive('>').map(str::trim_start);
    tags.find(|tag| !tag.starts_with("<?") && !tag.starts_with("<!"))
        .unwrap_or_default()
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_plugin::prelude::Entry;
    use gannet_plugin::testing;
    use gannet_test_adapters::cases;
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn request(subject: &str, details: &str, metadata: Value) -> PublishRequest {
        let text = format!("{subject}\n\n{details}");
        let mut entry = Entry::new("L", "here", Timestamp::UNIX_EPOCH, text);
        entry.metadata = metadata.as_object().unwrap().clone();
        entry.metadata.insert("title".to_owned(), subject.into());
        PublishRequest::new(entry)
    }

    #[test]
    fn the_document_is_ariels() {
        for case in cases("als_xml", "als_logbook") {
            let input = &case["input"];
            let text = |key: &str| input[key].as_str().unwrap();
            let metadata = json!({"logbook": text("logbook"), "tags": input["categories"]});
            let request = request(text("subject"), text("details"), metadata);
            let credentials = Credentials::new(text("author"), text("password"));
            let settings: WriteSettings = testing::settings(json!({})).unwrap();
            assert_eq!(
                document(&settings, &request, &credentials),
                case["expected"]
            );
        }
    }

    #[test]
    fn no_text_leaves_its_element_and_what_is_not_named_is_configured_or_left_out() {
        let credentials = Credentials::new("u", "</password><a>&");
        let settings: WriteSettings = testing::settings(json!({})).unwrap();
        let request = request("a\u{0}b", "x", json!({"level": "Problem"}));
        assert_eq!(
            document(&settings, &request, &credentials),
            "<root><author>u</author><password>&lt;/password&gt;&lt;a&gt;&amp;</password><entry>\
             <subject>ab</subject><details>x</details><level>Problem</level></entry></root>"
        );
        let settings: WriteSettings = testing::settings(json!({"logbook": "Ops"})).unwrap();
        let document = document(&settings, &request, &credentials);
        assert!(document.contains("<logbooks><logbook>Ops</logbook></logbooks></entry>"));
    }

    #[test]
    fn an_answer_names_the_id_or_none() {
        for answer in [
            "<?xml version=\"1.0\"?><root><id>4711</id></root>",
            "<r><entry><id> 4711 </id></entry></r>",
            "<?xml version=\"1.0\"?>\n<!-- x --><entry id=\"4711\"/>",
            "4711",
        ] {
            assert_eq!(id_of(answer).as_deref(), Some("4711"), "{answer}");
        }
        for answer in [
            "",
            "<html><body id=\"main\">Log in</body></html>",
            "<!DOCTYPE html>\n<HTML id=\"x\"><title>Log in</title><id>7</id></HTML>",
            "<root><error>no such logbook</error></root>",
            "<root><id></id></root>",
            "entry was not written",
            "<root><id>47",
        ] {
            assert_eq!(id_of(answer), None, "{answer}");
        }
    }
}
