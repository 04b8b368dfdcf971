//! Counts of the values that some entries have.

use gannet_api::FilterField;
use serde_json::Value;

use super::read::metadata_paths;
use super::{Records, json_numbers};
use crate::error::{SqliteContext, StoreError};
use crate::stored::{most_frequent_folded, scalars};
use gannet_index::{FoldedValue, folded_value};

/// Entries that are looked up in one query.
const CHUNK: usize = 10_000;

macro_rules! values_among {
    ($column:literal) => {
        concat!(
            "SELECT ",
            $column,
            ", count(*) FROM json_each(?1) j CROSS JOIN entries e ON e.doc = j.value \
             WHERE ",
            $column,
            " <> '' GROUP BY 1"
        )
    };
}

impl Records {
    /// The values of a field with the number of these entries that have them,
    /// most frequent first, then by value. Members of lists count one by one,
    /// and values that differ in their case only as one, as filters take them.
    pub(crate) async fn values_among(
        &self,
        docs: &[i64],
        field: &FilterField,
        limit: usize,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let mut values = Vec::new();
        for docs in docs.chunks(CHUNK) {
            values.extend(self.stored_values(field, docs).await?);
        }
        Ok(most_frequent_folded(values.into_iter(), limit))
    }

    /// The values as they are stored, with the number of the entries.
    async fn stored_values(
        &self,
        field: &FilterField,
        docs: &[i64],
    ) -> Result<Vec<(Value, u64)>, StoreError> {
        let docs = json_numbers(docs);
        match column_statement(field) {
            Some(statement) => self.column_values(statement, docs).await,
            None => self.metadata_values(field, docs).await,
        }
    }

    /// The same values as an entry that has them spells them; without their
    /// case where it has been changed or deleted since.
    pub(crate) async fn spelt(
        &self,
        values: Vec<FoldedValue>,
        field: &FilterField,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let rows: Vec<i64> = values.iter().map(|value| value.row).collect();
        let mut texts = Vec::new();
        for (value, _) in self.stored_values(field, &rows).await? {
            scalars(&value, &mut texts);
        }
        let spelt = values.into_iter().map(|value| {
            let own = texts.iter().find(|text| folded_value(text) == value.folded);
            (own.cloned().unwrap_or(value.folded), value.count)
        });
        Ok(spelt.collect())
    }

    async fn column_values(
        &self,
        statement: &'static str,
        docs: String,
    ) -> Result<Vec<(Value, u64)>, StoreError> {
        let rows: Vec<(String, i64)> = sqlx::query_as(statement)
            .bind(docs)
            .fetch_all(&self.readers)
            .await
            .doing("count the values of a field")?;
        let values = rows.into_iter();
        Ok(values
            .map(|(value, count)| (Value::from(value), count.unsigned_abs()))
            .collect())
    }

    async fn metadata_values(
        &self,
        field: &FilterField,
        docs: String,
    ) -> Result<Vec<(Value, u64)>, StoreError> {
        let Some(paths) = metadata_paths(field) else {
            return Ok(Vec::new());
        };
        let rows: Vec<(Option<String>, i64)> = sqlx::query_as(
            "SELECT coalesce(e.added -> ?2, e.metadata -> ?2, e.added -> ?3, e.metadata -> ?3, \
             e.added -> ?4, e.metadata -> ?4) AS value, count(*) \
             FROM json_each(?1) j CROSS JOIN entries e ON e.doc = j.value GROUP BY value",
        )
        .bind(docs)
        .bind(&paths[0])
        .bind(&paths[1])
        .bind(&paths[2])
        .fetch_all(&self.readers)
        .await
        .doing("count the values of a field")?;
        let values = rows.into_iter().filter_map(|(json, count)| {
            let value = serde_json::from_str(&json?).ok()?;
            Some((value, count.unsigned_abs()))
        });
        Ok(values.collect())
    }
}

/// `None` for metadata. Timestamps were refused before.
fn column_statement(field: &FilterField) -> Option<&'static str> {
    match field {
        FilterField::Author => Some(values_among!("e.author")),
        FilterField::SourceSystem => Some(values_among!("e.source_system")),
        FilterField::Kind => Some(values_among!("e.kind")),
        FilterField::EntryId | FilterField::Timestamp => Some(values_among!("e.entry_id")),
        FilterField::Metadata(_) => None,
    }
}
