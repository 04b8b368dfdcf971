//! Names that begin alike or fit a pattern, as terms to search for.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures::TryStreamExt;
use sqlx::{PgConnection, Row};

use super::columns::push_quoted;
use crate::error::{DatabaseContext, StoreError};
use crate::postgres::clean::holds_nul;
use gannet_analysis::{Family, query_analyser, terms_of};

/// A pattern ends at so many names, or after so long.
const MOST_NAMES: usize = 2_000;
const LONGEST_LOOK: Duration = Duration::from_millis(250);
/// A term that no entry has: terms are letters and digits.
const NO_TERM: &str = "'='";

/// The names of a family, as a part of a `tsquery`.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) query: String,
    /// Whether a bound ended the search for names.
    pub(super) is_cut: bool,
}

/// Looks the names of a family up.
pub(super) async fn look_up(
    connection: &mut PgConnection,
    tenant: &str,
    family: &Family,
) -> Result<Names, StoreError> {
    if holds_nul(&family.prefix) {
        return Ok(Names {
            query: NO_TERM.to_owned(),
            is_cut: false,
        });
    }
    let (names, is_cut) = fitting(connection, tenant, family).await?;
    let mut analyser = query_analyser();
    let mut alternatives = BTreeSet::new();
    let is_plain = family.pattern.is_none() && family.prefix.chars().all(char::is_alphanumeric);
    for name in &names {
        let terms = terms_of(&mut analyser, name);
        // Found by its beginning anyway.
        if is_plain && terms.len() == 1 && terms[0].starts_with(&family.prefix) {
            continue;
        }
        alternatives.extend(in_sequence(&terms));
    }
    if is_plain && !family.prefix.is_empty() {
        let mut beginning = String::new();
        push_quoted(&mut beginning, &family.prefix);
        alternatives.insert(format!("{beginning}:*"));
    }
    let query = Vec::from_iter(alternatives).join(" | ");
    Ok(Names {
        query: if query.is_empty() {
            NO_TERM.to_owned()
        } else {
            format!("({query})")
        },
        // A beginning alone finds its names without the list.
        is_cut: is_cut && !is_plain,
    })
}

/// The words of the vocabulary that fit.
async fn fitting(
    connection: &mut PgConnection,
    tenant: &str,
    family: &Family,
) -> Result<(Vec<String>, bool), StoreError> {
    let begun = Instant::now();
    let mut names: Vec<String> = Vec::new();
    let mut rows =
        sqlx::query("SELECT word FROM gannet_words WHERE tenant = $1 AND word >= $2 AND word < $3 ORDER BY word")
            .bind(tenant)
            .bind(&family.prefix)
            .bind(format!("{}{}", family.prefix, char::MAX))
            .fetch(connection);
    while let Some(row) = rows.try_next().await.doing("look names up")? {
        if names.len() == MOST_NAMES || begun.elapsed() > LONGEST_LOOK {
            return Ok((names, true));
        }
        let name: &str = row.try_get(0).doing("look names up")?;
        let pattern = family.pattern.as_ref();
        if pattern.is_none_or(|pattern| pattern.is_match(name)) {
            names.push(name.to_owned());
        }
    }
    Ok((names, false))
}

/// Terms one after the other, as a part of a `tsquery`.
pub(super) fn in_sequence(terms: &[String]) -> Option<String> {
    if terms.is_empty() {
        return None;
    }
    let mut query = String::from("(");
    for (index, term) in terms.iter().enumerate() {
        if index > 0 {
            query.push_str(" <-> ");
        }
        push_quoted(&mut query, term);
    }
    query.push(')');
    Some(query)
}
