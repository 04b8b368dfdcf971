//! Words of a query that are in no entry of the tenant.

use gannet_api::Filter;
use gannet_api::query::Node;
use sqlx::{Connection, PgConnection, QueryBuilder};
use strsim::osa_distance;

use super::candidates::{Scope, push_scope};
use super::columns::push_quoted;
use super::statistics::Statistics;
use crate::error::{DatabaseContext, StoreError};
use gannet_analysis::{
    NearWord, QueryWord, Spelling, code_beginning, compound_heads, compounds_of, farthest,
    german_terms, hyphenated, is_compound, is_german, may_stand_for, most_frequent, other_german,
    query_analyser, rows_of, terms_of, words_of,
};

/// How alike, by pg_trgm, words must be that are compared letter by letter.
/// Two words of four letters with one different are at 0.25, two of nine with
/// two different at 0.2.
const ALIKE: &str = "0.15";
/// Codes that stand for their beginning at most.
const MOST_CODES: i64 = 20;

/// Looks the words of a query up, and the nearest ones of those that are in
/// no entry.
pub(super) async fn check_spelling(
    connection: &mut PgConnection,
    tenant: &str,
    root: &Node,
    is_plain: bool,
    statistics: &mut Statistics,
) -> Result<Spelling, StoreError> {
    let everywhere = Scope {
        tenant,
        filter: &Filter::none(),
    };
    let mut spelling = Spelling::default();
    let words = words_of(root, &mut query_analyser());
    let names = names_of(connection, tenant, &words).await?;
    let german = german_terms();
    let mut terms: Vec<String> = words.iter().map(|word| word.term.clone()).collect();
    terms.extend(german.iter().cloned());
    statistics.look_up(connection, tenant, &terms).await?;
    let found = german.iter().map(|term| statistics.documents_with(term));
    let is_german = is_german(found.sum(), statistics.documents as u64);
    let uncounted = words.iter().filter(|word| !statistics.knows(&word.term));
    let uncounted: Vec<&str> = uncounted.map(|word| word.term.as_str()).collect();
    // Not counted may mean not counted yet.
    let present = match uncounted.is_empty() {
        true => Vec::new(),
        false => present(connection, &everywhere, &uncounted).await?,
    };
    let known = words.into_iter().map(|word| {
        let is_known = statistics.knows(&word.term) || present.contains(&word.term);
        (word, is_known)
    });
    let words: Vec<(QueryWord, bool)> = known.collect();
    let heads = match is_german {
        true => compound_heads(&words, is_plain),
        false => Vec::new(),
    };
    let compounds = compounds(connection, &everywhere, &heads, statistics).await?;
    for (word, is_known) in words {
        let mut own = hyphenated(&word.written);
        own.retain(|name| names.contains(name));
        own.extend(compounds_of(&word, &heads, &compounds));
        if !own.is_empty() {
            let rows = rows_of(&own);
            let terms: Vec<String> = rows.iter().flatten().cloned().collect();
            statistics.look_up(connection, tenant, &terms).await?;
            let rarity = |term: &str| statistics.rarity(term, 0);
            spelling.add_rows(&word, rows, is_known.then_some(rarity));
        }
        if let Some(german) = other_german(&word.written, is_known, is_german) {
            let found = in_entries(connection, &everywhere, &[&german], statistics).await?;
            let other = found.into_iter().find(|found| found.term != word.term);
            if let Some(other) = other {
                spelling.add_german(&word, other, is_known);
                continue;
            }
        }
        if is_known || !own.is_empty() {
            continue;
        }
        let codes = codes(connection, &everywhere, &word, statistics).await?;
        if !codes.is_empty() {
            spelling.add_codes(&word, &codes);
            continue;
        }
        let near = nearest_words(connection, &everywhere, &word, statistics).await?;
        spelling.correct(&word, &near);
    }
    Ok(spelling)
}

/// The names with a hyphen that entries have for some words.
async fn names_of(
    connection: &mut PgConnection,
    tenant: &str,
    words: &[QueryWord],
) -> Result<Vec<String>, StoreError> {
    let names = words.iter().flat_map(|word| hyphenated(&word.written));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Ok(names);
    }
    sqlx::query_scalar("SELECT word FROM gannet_words WHERE tenant = $1 AND word = ANY($2)")
        .bind(tenant)
        .bind(&names)
        .fetch_all(connection)
        .await
        .doing("look names up")
}

/// The longer words of entries that end with one of some words.
async fn compounds(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    heads: &[String],
    statistics: &mut Statistics,
) -> Result<Vec<String>, StoreError> {
    if heads.is_empty() {
        return Ok(Vec::new());
    }
    let patterns: Vec<String> = heads.iter().map(|head| format!("%{head}%")).collect();
    let mut longer: Vec<String> =
        sqlx::query_scalar("SELECT word FROM gannet_words WHERE tenant = $1 AND word LIKE ANY($2)")
            .bind(scope.tenant)
            .bind(&patterns)
            .fetch_all(&mut *connection)
            .await
            .doing("look compounds up")?;
    longer.retain(|word| heads.iter().any(|head| is_compound(word, head)));
    longer.sort_unstable();
    let longer: Vec<&String> = longer.iter().collect();
    let found = in_entries(connection, scope, &longer, statistics).await?;
    Ok(found.into_iter().map(|found| found.word).collect())
}

/// The first codes that entries have and that begin with a word.
async fn codes(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    word: &QueryWord,
    statistics: &mut Statistics,
) -> Result<Vec<String>, StoreError> {
    let Some(beginning) = code_beginning(&word.written) else {
        return Ok(Vec::new());
    };
    let words: Vec<String> = sqlx::query_scalar(
        "SELECT word FROM gannet_words WHERE tenant = $1 AND word >= $2 AND word < $3 \
         AND word ~ '^[a-z0-9]*$' ORDER BY word LIMIT $4",
    )
    .bind(scope.tenant)
    .bind(&beginning)
    .bind(format!("{beginning}{}", char::MAX))
    .bind(MOST_CODES)
    .fetch_all(&mut *connection)
    .await
    .doing("look codes up")?;
    let words: Vec<&String> = words.iter().collect();
    let found = in_entries(connection, scope, &words, statistics).await?;
    Ok(found.into_iter().map(|near| near.word).collect())
}

/// The nearest words of every word of a query that finds nothing, among those
/// of entries that pass its filters.
pub(super) async fn near_words(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    root: &Node,
    statistics: &mut Statistics,
) -> Result<Spelling, StoreError> {
    let mut spelling = Spelling::default();
    let mut analyser = query_analyser();
    for word in words_of(root, &mut analyser) {
        let near = nearest_words(connection, scope, &word, statistics).await?;
        spelling.widen(&word, &near);
    }
    Ok(spelling)
}

/// Of some terms, those that an entry of the scope has.
async fn present(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    terms: &[&str],
) -> Result<Vec<String>, StoreError> {
    let mut query = QueryBuilder::new("SELECT term FROM (VALUES ");
    let mut separator = "";
    for term in terms {
        let mut quoted = String::new();
        push_quoted(&mut quoted, term);
        query
            .push(separator)
            .push("(")
            .push_bind((*term).to_owned());
        query.push(", ").push_bind(quoted).push("::tsquery)");
        separator = ", ";
    }
    query.push(
        ") AS wanted (term, query) WHERE EXISTS (SELECT 1 FROM enhanced_entries e \
         WHERE e.terms @@ wanted.query AND ",
    );
    push_scope(&mut query, scope);
    query.push(")");
    query
        .build_query_scalar()
        .fetch_all(connection)
        .await
        .doing("look words up")
}

/// The words of the vocabulary nearest to one, of those that entries of the
/// scope have.
async fn nearest_words(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    word: &QueryWord,
    statistics: &mut Statistics,
) -> Result<Vec<NearWord>, StoreError> {
    for written in word.spellings() {
        if farthest(&written) == 0 {
            continue;
        }
        let alike = alike(connection, scope.tenant, &written).await?;
        for distance in 1..=farthest(&written) {
            let near: Vec<&String> = alike
                .iter()
                .filter(|near| **near != written)
                .filter(|near| osa_distance(near, &written) <= usize::from(distance))
                .collect();
            let near = in_entries(connection, scope, &near, statistics).await?;
            if !near.is_empty() {
                return Ok(most_frequent(near));
            }
        }
    }
    Ok(Vec::new())
}

/// Words that share letters in a row with one.
async fn alike(
    connection: &mut PgConnection,
    tenant: &str,
    word: &str,
) -> Result<Vec<String>, StoreError> {
    let mut transaction = connection.begin().await.doing("look words up")?;
    sqlx::query("SELECT set_config('pg_trgm.similarity_threshold', $1, true)")
        .bind(ALIKE)
        .execute(&mut *transaction)
        .await
        .doing("look words up")?;
    let length = i32::try_from(word.chars().count()).unwrap_or(i32::MAX);
    let mut words: Vec<String> = sqlx::query_scalar(
        "SELECT word FROM gannet_words WHERE tenant = $1 AND word % $2 \
         AND abs(char_length(word) - $3) <= 2",
    )
    .bind(tenant)
    .bind(word)
    .bind(length)
    .fetch_all(&mut *transaction)
    .await
    .doing("look words up")?;
    transaction.rollback().await.doing("look words up")?;
    words.retain(|near| may_stand_for(near, word));
    Ok(words)
}

/// Of some words, those that entries have, with the number of these. Words of
/// entries that are gone stay in the vocabulary.
async fn in_entries(
    connection: &mut PgConnection,
    scope: &Scope<'_>,
    words: &[&String],
    statistics: &mut Statistics,
) -> Result<Vec<NearWord>, StoreError> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut analyser = query_analyser();
    let terms: Vec<String> = words
        .iter()
        .map(|word| terms_of(&mut analyser, word).join(" "))
        .collect();
    let all: Vec<&str> = terms.iter().map(String::as_str).collect();
    let present = present(connection, scope, &all).await?;
    statistics
        .look_up(connection, scope.tenant, &present)
        .await?;
    Ok(words
        .iter()
        .zip(&terms)
        .filter(|(_, term)| present.contains(term))
        .map(|(word, term)| NearWord {
            word: (*word).clone(),
            term: term.clone(),
            entries: statistics.documents_with(term),
        })
        .collect())
}
