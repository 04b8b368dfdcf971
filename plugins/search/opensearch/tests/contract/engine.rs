//! A scripted server: checks each request by the specification, and answers a
//! search over the documents that it was given. Scores are counts of words.

use std::sync::{Mutex, PoisonError};

use gannet_plugin::http::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};

use crate::specification::{check_search, single};

/// The documents of one index, by id.
pub struct Engine {
    index: String,
    documents: Mutex<Vec<(String, Value)>>,
}

impl Engine {
    pub fn new(index: &str) -> Self {
        Self {
            index: index.to_owned(),
            documents: Mutex::default(),
        }
    }

    pub fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let path = request.url.strip_prefix("http://").unwrap();
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let body = || serde_json::from_slice::<Value>(&request.body).unwrap();
        let is_known = parts[0] == self.index;
        match (request.method.as_str(), &parts[1..]) {
            ("PUT", []) | ("DELETE", []) => json_of(200, &json!({ "acknowledged": true })),
            ("PUT", ["_doc", id]) => {
                self.documents().push(((*id).to_owned(), body()));
                json_of(201, &json!({ "result": "created" }))
            }
            ("POST", ["_search"]) => {
                let content_type = request
                    .headers
                    .iter()
                    .find(|(name, _)| name == "content-type");
                assert_eq!(content_type.unwrap().1, "application/json");
                check_search(&body());
                match is_known {
                    true => self.search(&body()),
                    false => no_such_index(parts[0]),
                }
            }
            (method, _) => panic!("no such route: {method} {path}"),
        }
    }

    fn search(&self, body: &Value) -> HttpResponse {
        let documents = self.documents();
        let scored = documents.iter().filter_map(|(id, document)| {
            let score = score(&body["query"], id, document)?;
            Some((id, document, score))
        });
        let mut found: Vec<_> = scored.collect();
        match body.get("sort") {
            None => found.sort_by(|a, b| b.2.total_cmp(&a.2)),
            Some(sort) => {
                let (field, options) = single(&sort[0]);
                assert_eq!(options["order"], "desc");
                found.sort_by_key(|(_, document, _)| {
                    std::cmp::Reverse(document[field].as_str().unwrap_or_default())
                });
            }
        }
        let size = body["size"].as_u64().unwrap_or(10) as usize;
        let is_sorted = body.get("sort").is_some();
        let hits = found.into_iter().take(size).map(|(id, document, score)| {
            json!({
                "_index": self.index, "_id": id, "_source": document,
                "_score": if is_sorted { Value::Null } else { score.into() },
            })
        });
        json_of(
            200,
            &answer(
                hits.collect(),
                json!({"total": 1, "successful": 1, "skipped": 0, "failed": 0}),
            ),
        )
    }

    fn documents(&self) -> std::sync::MutexGuard<'_, Vec<(String, Value)>> {
        self.documents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A whole answer with these hits and shards.
pub fn answer(hits: Vec<Value>, shards: Value) -> Value {
    json!({
        "took": 3, "timed_out": false, "_shards": shards,
        "hits": { "max_score": null, "hits": hits },
    })
}

pub fn json_of(status: u16, body: &Value) -> HttpResponse {
    HttpResponse::new(status, body.to_string())
}

fn no_such_index(index: &str) -> HttpResponse {
    let cause = json!({
        "type": "index_not_found_exception", "reason": format!("no such index [{index}]"),
        "resource.type": "index_or_alias", "resource.id": index,
    });
    json_of(
        404,
        &json!({ "error": { "root_cause": [cause], "type": "index_not_found_exception",
        "reason": format!("no such index [{index}]") }, "status": 404 }),
    )
}

/// The score of a document, `None` where the query does not match.
fn score(query: &Value, id: &str, document: &Value) -> Option<f64> {
    let (kind, body) = single(query);
    let matched = |matches: bool| matches.then_some(1.0);
    match kind {
        "match_all" => Some(1.0),
        "match_none" => None,
        "ids" => matched(body["values"].as_array().unwrap().contains(&id.into())),
        "bool" => score_bool(body.as_object().unwrap(), id, document),
        "range" => {
            let (field, bounds) = single(body);
            let mut bounds = bounds.as_object().unwrap().iter();
            matched(bounds.all(|(sign, bound)| is_within(&document[field], sign, bound)))
        }
        "term" | "wildcard" => {
            let (field, options) = single(body);
            let fold = options["case_insensitive"] == true;
            let wanted = folded(options["value"].as_str().unwrap(), fold);
            let values = values(&document[field]);
            let mut values = values.iter().map(|value| folded(value, fold));
            matched(values.any(|value| match kind {
                "term" => value == wanted,
                _ => is_like(&value, &wanted),
            }))
        }
        _ => {
            let (field, text) = single(body);
            let held = words(&values(&document[field]).join(" "));
            let asked = words(text.as_str().unwrap());
            let is_here = |place: &[String]| match kind {
                "match_phrase" => place == asked,
                _ => {
                    let (last, first) = asked.split_last().unwrap();
                    place.starts_with(first) && place[first.len()].starts_with(last.as_str())
                }
            };
            if kind != "match" {
                return matched(held.windows(asked.len()).any(is_here));
            }
            let count = asked.iter().filter(|word| held.contains(word)).count();
            (count > 0).then_some(count as f64)
        }
    }
}

fn score_bool(parts: &Map<String, Value>, id: &str, document: &Value) -> Option<f64> {
    let part = |name: &str| {
        parts
            .get(name)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let mut sum = 0.0;
    for query in part("must") {
        sum += score(query, id, document)?;
    }
    for query in part("filter") {
        score(query, id, document)?;
    }
    if part("must_not").any(|query| score(query, id, document).is_some()) {
        return None;
    }
    let should: Vec<f64> = part("should")
        .filter_map(|query| score(query, id, document))
        .collect();
    let is_optional = parts.contains_key("must") || !parts.contains_key("should");
    (is_optional || !should.is_empty()).then(|| sum + should.iter().sum::<f64>())
}

fn is_within(value: &Value, sign: &str, bound: &Value) -> bool {
    let order = match (value.as_f64(), bound.as_f64()) {
        (Some(value), Some(bound)) => value.partial_cmp(&bound),
        // Times in UTC are ordered as their texts are.
        _ => value
            .as_str()
            .zip(bound.as_str())
            .map(|(value, bound)| value.cmp(bound)),
    };
    order.is_some_and(|order| match sign {
        "gte" => order.is_ge(),
        "gt" => order.is_gt(),
        "lte" => order.is_le(),
        _ => order.is_lt(),
    })
}

/// Whether a text fits a pattern of `*`, `?` and `\` before what is none.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut letters = pattern.chars();
    match letters.next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = letters.as_str();
            let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            starts.any(|at| is_like(&text[at..], rest))
        }
        Some(letter) => {
            let wanted = match letter {
                '\\' => letters.next(),
                other => Some(other),
            };
            let mut held = text.chars();
            let first = held.next();
            let fits = first.is_some() && (letter == '?' || first == wanted);
            fits && is_like(held.as_str(), letters.as_str())
        }
    }
}

fn values(value: &Value) -> Vec<String> {
    match value {
        Value::Array(members) => members.iter().flat_map(values).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn folded(text: &str, fold: bool) -> String {
    if fold {
        text.to_lowercase()
    } else {
        text.to_owned()
    }
}
