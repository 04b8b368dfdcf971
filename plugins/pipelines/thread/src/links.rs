//! The entries that an entry refers to or that refer to it, and its replies.

use std::collections::{BTreeSet, VecDeque};

use gannet_plugin::filter::Filter;
use gannet_plugin::prelude::{Context, Diagnostic, Entry, Pipeline, Result};
use gannet_plugin::query::{first_named_ids, linked_ids, named_ids, reference_query};
use gannet_plugin::search::TextSearch;

use crate::step::{Kind, Step, add};
use crate::thread::Threads;

/// The fields in which mails have the ids of messages: their own, and those that
/// they answer.
const MESSAGE_ID: &str = "message_id";
const IN_REPLY_TO: &str = "in_reply_to";
/// Ids of messages that are looked for, of one entry.
const MOST_MESSAGES: usize = 20;
/// Ids that are looked up of one entry.
const MOST_IDS: usize = 200;
/// Texts that are looked at for a reference.
const MOST_TEXTS: usize = 100;
/// Entries of a thread of replies.
const MOST_REPLIES: usize = 50;

/// The steps of explicit references and replies.
///
/// # Errors
/// The host's.
pub(crate) async fn linked(asked: &Entry, filter: &Filter, context: &Context) -> Result<Vec<Step>> {
    let named = named_ids(asked);
    if named.len() > MOST_IDS {
        let message = format!(
            "{} may name {} other entries; the first {MOST_IDS} were looked up",
            asked.entry_id,
            named.len()
        );
        context.diagnose(Diagnostic::info(Threads::NAME, message));
    }
    let mut entries = context.entries(first_named_ids(asked, MOST_IDS)).await?;
    entries.extend(naming(asked, filter, context).await?);
    entries.extend(answered_mails(asked, filter, context).await?);
    let mut steps = Vec::new();
    let mut replies = VecDeque::new();
    for entry in entries {
        let step = direct(asked, &named, &entry);
        if matches!(step.kinds[..], [Kind::Reply | Kind::RepliedTo]) {
            replies.push_back(entry);
        }
        add(&mut steps, step);
    }
    add_thread(asked, (replies, filter), &mut steps, context).await?;
    Ok(steps)
}

/// The entries that name an entry, by its id or by that of its message.
async fn naming(asked: &Entry, filter: &Filter, context: &Context) -> Result<Vec<Entry>> {
    let mut query = reference_query(&asked.entry_id);
    for message in linked_ids(asked, MESSAGE_ID) {
        query = format!("{query} OR {}", field_query(IN_REPLY_TO, &message));
    }
    let mut entries = found(query, filter, context).await?;
    entries.retain(|one| named_ids(one).contains(&asked.entry_id) || is_reply(asked, one));
    Ok(entries)
}

/// The mails that a mail answers, which it names by the ids of messages.
async fn answered_mails(mail: &Entry, filter: &Filter, context: &Context) -> Result<Vec<Entry>> {
    let ids = linked_ids(mail, IN_REPLY_TO).into_iter();
    let messages = ids.filter(|id| id.contains('@')).take(MOST_MESSAGES);
    let queries: Vec<String> = messages.map(|id| field_query(MESSAGE_ID, &id)).collect();
    if queries.is_empty() {
        return Ok(Vec::new());
    }
    let mut entries = found(queries.join(" OR "), filter, context).await?;
    entries.retain(|one| is_reply(one, mail));
    Ok(entries)
}

fn field_query(field: &str, value: &str) -> String {
    format!("meta.{field}:\"{}\"", value.replace('"', " "))
}

async fn found(query: String, filter: &Filter, context: &Context) -> Result<Vec<Entry>> {
    let mut request = TextSearch::new(query, MOST_TEXTS);
    request.filter = filter.clone();
    let hits = context.text_search(request).await?;
    let ids = hits.into_iter().map(|hit| hit.entry_id).collect();
    context.entries(ids).await
}

/// What an entry is to one that names it or is named by it.
fn direct(asked: &Entry, named: &BTreeSet<String>, other: &Entry) -> Step {
    if is_reply(other, asked) {
        let why = format!("{} is a reply to it", asked.entry_id);
        return Step::new(other, Kind::RepliedTo).because(why);
    }
    if is_reply(asked, other) {
        let why = format!("a reply to {}", asked.entry_id);
        return Step::new(other, Kind::Reply).because(why);
    }
    match named.contains(&other.entry_id) {
        true => {
            let why = format!("{} refers to it", asked.entry_id);
            Step::new(other, Kind::ReferredTo).because(why)
        }
        false => {
            let why = format!("refers to {}", asked.entry_id);
            Step::new(other, Kind::RefersTo).because(why)
        }
    }
}

/// Follows replies up to the first entry, and down to the last ones.
async fn add_thread(
    asked: &Entry,
    (mut waiting, filter): (VecDeque<Entry>, &Filter),
    steps: &mut Vec<Step>,
    context: &Context,
) -> Result<()> {
    let mut seen: BTreeSet<String> = waiting.iter().map(|one| one.entry_id.clone()).collect();
    seen.insert(asked.entry_id.clone());
    while let Some(entry) = waiting.pop_front() {
        if seen.len() > MOST_REPLIES {
            break;
        }
        let mut ids = first_named_ids(&entry, MOST_IDS);
        ids.retain(|id| !seen.contains(id));
        let mut others = context.entries(ids).await?;
        others.extend(naming(&entry, filter, context).await?);
        others.extend(answered_mails(&entry, filter, context).await?);
        for other in others {
            let step = match (is_reply(&entry, &other), is_reply(&other, &entry)) {
                (true, _) => {
                    Step::new(&other, Kind::Reply).because(format!("a reply to {}", entry.entry_id))
                }
                (_, true) => Step::new(&other, Kind::RepliedTo)
                    .because(format!("{} is a reply to it", entry.entry_id)),
                _ => continue,
            };
            if seen.len() > MOST_REPLIES || !seen.insert(other.entry_id.clone()) {
                continue;
            }
            add(steps, step);
            waiting.push_back(other);
        }
    }
    Ok(())
}

/// Whether an entry is a reply to another: the older one lists it, or it says so
/// itself, by the id of the entry or of its message.
fn is_reply(parent: &Entry, child: &Entry) -> bool {
    let answered = linked_ids(child, IN_REPLY_TO);
    let messages = linked_ids(parent, MESSAGE_ID);
    linked_ids(parent, "replies").contains(&child.entry_id)
        || answered.contains(&parent.entry_id)
        || messages.iter().any(|message| answered.contains(message))
}
