//! What an index asks of its collection.

use std::sync::Arc;

use gannet_index::VectorSpec;
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::client::{Client, is_missing};
use super::error::QdrantError;
use super::filter::{DOC, any_of, any_passage};
use super::settings::Settings;

/// The name of the vector of a passage. The point that says how far the index
/// got has none, so that no search finds it.
const VECTOR: &str = "passage";
/// Set for one passage of each entry, to count entries by.
pub(crate) const FIRST: &str = "first";
/// The id of that point, which no passage has.
const STATE_ID: u64 = u64::MAX;
/// Rows that one request names at most.
const MOST_ROWS: usize = 10_000;
/// Vectors that are read at a time.
const MOST_READ: usize = 500;

/// A collection, whether it is there or not.
#[derive(Debug, Clone)]
pub(crate) struct Collection {
    pub(crate) client: Arc<Client>,
    pub(crate) name: String,
    pub(crate) settings: Arc<Settings>,
}

/// How far an index got, and what it had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) model: String,
    pub(crate) dimension: usize,
    pub(crate) applied: i64,
    pub(crate) mark: Option<i64>,
    pub(crate) vectors: usize,
    /// Whether points are being written, so that `vectors` need not be right.
    pub(crate) is_writing: bool,
}

/// Passages, and the entries that they are of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) vectors: usize,
    pub(crate) entries: u64,
}

#[derive(Deserialize)]
struct Point {
    id: u64,
    #[serde(default)]
    payload: Option<Map<String, Value>>,
    #[serde(default)]
    vector: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Found {
    points: Vec<ScoredPoint>,
}

/// A point with its cosine.
#[derive(Deserialize)]
pub(crate) struct ScoredPoint {
    pub(crate) id: u64,
    pub(crate) score: f32,
}

#[derive(Deserialize)]
struct Count {
    count: usize,
}

#[derive(Deserialize)]
struct Info {
    status: String,
}

impl State {
    pub(crate) fn is_of(&self, spec: &VectorSpec) -> bool {
        self.model == spec.model && self.dimension == spec.dimension
    }
}

impl Collection {
    pub(crate) fn damaged(&self, reason: impl Into<String>) -> QdrantError {
        QdrantError::Damaged {
            collection: self.name.clone(),
            reason: reason.into(),
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/collections/{}{rest}", self.name)
    }

    /// Asks something of a collection that must be there.
    fn ask<T: serde::de::DeserializeOwned>(
        &self,
        action: &'static str,
        method: Method,
        rest: &str,
        body: &Value,
    ) -> Result<T, QdrantError> {
        let asked = self.client.ask(action, method, &self.path(rest), body);
        asked.map_err(|error| match is_missing(&error) {
            true => self.damaged("is gone"),
            false => error,
        })
    }

    fn post<T: serde::de::DeserializeOwned>(
        &self,
        action: &'static str,
        rest: &str,
        body: &Value,
    ) -> Result<T, QdrantError> {
        self.ask(action, Method::POST, rest, body)
    }

    /// Makes the collection, without a point; one of this name goes away.
    pub(crate) fn make(&self, spec: &VectorSpec) -> Result<(), QdrantError> {
        self.remove()?;
        let mut body = json!({
            "vectors": { VECTOR: {
                "size": spec.dimension, "distance": "Cosine", "on_disk": self.settings.on_disk,
            } },
        });
        let quantization = self.settings.quantization.config();
        if !quantization.is_null() {
            body["quantization_config"] = quantization;
        }
        let made = "make a collection";
        let _: Value = self.client.ask(made, Method::PUT, &self.path(""), &body)?;
        for (field, schema) in [(DOC, "integer"), (FIRST, "bool")] {
            let body = json!({ "field_name": field, "field_schema": schema });
            let _: Value = self.ask(made, Method::PUT, "/index?wait=true", &body)?;
        }
        Ok(())
    }

    /// Removes the collection, if it is there.
    pub(crate) fn remove(&self) -> Result<(), QdrantError> {
        let action = "remove a collection";
        let path = self.path("");
        let removed = self
            .client
            .ask::<Value>(action, Method::DELETE, &path, &Value::Null);
        match removed {
            Err(error) if !is_missing(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether the server has an error of the collection.
    pub(crate) fn check_health(&self) -> Result<(), QdrantError> {
        let info: Info = self.ask("examine a collection", Method::GET, "", &Value::Null)?;
        match info.status.as_str() {
            "red" => Err(self.damaged("has status `red`; see the log of the server")),
            _ => Ok(()),
        }
    }

    /// Compares what the collection has with what it says.
    pub(crate) fn check_counts(&self, state: &State, counts: Counts) -> Result<(), QdrantError> {
        match state.is_writing || state.vectors == counts.vectors {
            true => Ok(()),
            false => Err(self.damaged(format!(
                "has {} passages, where {} were written",
                counts.vectors, state.vectors
            ))),
        }
    }

    /// How far the index got.
    pub(crate) fn state(&self) -> Result<State, QdrantError> {
        let body = json!({ "ids": [STATE_ID], "with_payload": true, "with_vector": false });
        let points: Vec<Point> = self.post("read its state", "/points", &body)?;
        let payload = points.into_iter().next().and_then(|point| point.payload);
        let state = payload.and_then(|mut payload| payload.remove("state"));
        let state = state.and_then(|state| serde_json::from_value(state).ok());
        state.ok_or_else(|| self.damaged("does not say how far it got"))
    }

    pub(crate) fn put_state(&self, state: &State) -> Result<(), QdrantError> {
        let point = json!({ "id": STATE_ID, "vector": {}, "payload": { "state": state } });
        self.put(vec![point])
    }

    /// Writes points, and waits until they can be found.
    pub(crate) fn put(&self, points: Vec<Value>) -> Result<(), QdrantError> {
        let body = json!({ "points": points });
        let _: Value = self.ask("write points", Method::PUT, "/points?wait=true", &body)?;
        Ok(())
    }

    /// A passage as a point.
    pub(crate) fn point(id: u64, doc: i64, is_first: bool, vector: &[f32]) -> Value {
        let payload = match is_first {
            true => json!({ DOC: doc, FIRST: true }),
            false => json!({ DOC: doc }),
        };
        json!({ "id": id, "vector": { VECTOR: vector }, "payload": payload })
    }

    /// Deletes the passages of entries.
    pub(crate) fn delete(&self, docs: &[i64]) -> Result<(), QdrantError> {
        for docs in docs.chunks(MOST_ROWS) {
            let body = json!({ "filter": { "must": [any_of(docs)] } });
            let _: Value = self.post("delete points", "/points/delete?wait=true", &body)?;
        }
        Ok(())
    }

    /// All passages.
    pub(crate) fn count_all(&self) -> Result<Counts, QdrantError> {
        self.count(any_passage())
    }

    /// Passages of these entries.
    pub(crate) fn count_of(&self, docs: &[i64]) -> Result<Counts, QdrantError> {
        let mut counts = Counts::default();
        for docs in docs.chunks(MOST_ROWS) {
            let found = self.count(any_of(docs))?;
            counts.vectors += found.vectors;
            counts.entries += found.entries;
        }
        Ok(counts)
    }

    fn count(&self, condition: Value) -> Result<Counts, QdrantError> {
        let count = |must: Value| {
            let body = json!({ "filter": { "must": must }, "exact": true });
            let count: Count = self.post("count points", "/points/count", &body)?;
            Ok::<usize, QdrantError>(count.count)
        };
        let vectors = count(json!([condition]))?;
        let first = json!({ "key": FIRST, "match": { "value": true } });
        let entries = match vectors {
            0 => 0,
            _ => count(json!([condition, first]))? as u64,
        };
        Ok(Counts { vectors, entries })
    }

    /// The nearest passages: those with the condition, and not of `except`.
    pub(crate) fn nearest(
        &self,
        vector: &[f32],
        limit: usize,
        condition: Option<&Value>,
        except: &[i64],
    ) -> Result<Vec<ScoredPoint>, QdrantError> {
        let mut filter = Map::new();
        if let Some(condition) = condition {
            filter.insert("must".to_owned(), json!([condition]));
        }
        if !except.is_empty() {
            filter.insert("must_not".to_owned(), json!([any_of(except)]));
        }
        let mut body = json!({
            "query": vector, "using": VECTOR, "limit": limit, "with_payload": false,
            "params": { "exact": self.settings.exact },
        });
        if !filter.is_empty() {
            body["filter"] = filter.into();
        }
        let found: Found = self.post("search", "/points/query", &body)?;
        Ok(found.points)
    }

    /// The vectors of points; those that are not there are left out.
    pub(crate) fn vectors(&self, ids: &[u64]) -> Result<Vec<(u64, Vec<f32>)>, QdrantError> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MOST_READ) {
            let body = json!({ "ids": ids, "with_payload": false, "with_vector": true });
            let points: Vec<Point> = self.post("read points", "/points", &body)?;
            let vectors = points.into_iter().filter_map(|point| {
                let vector = point.vector?.remove(VECTOR)?;
                Some((point.id, serde_json::from_value(vector).ok()?))
            });
            found.extend(vectors);
        }
        Ok(found)
    }
}
