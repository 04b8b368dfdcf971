//! A scripted server: checks each request by the specification, and answers it
//! over the points that it was given.

use std::sync::{Mutex, PoisonError};

use gannet_plugin::http::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use crate::specification::check_query;

/// The points of one collection.
pub struct Engine {
    collection: String,
    points: Mutex<Vec<Value>>,
}

impl Engine {
    pub fn new(collection: &str) -> Self {
        Self {
            collection: collection.to_owned(),
            points: Mutex::default(),
        }
    }

    pub fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let path = request.url.strip_prefix("http://").unwrap();
        let parts: Vec<&str> = path.split('/').skip(2).collect();
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        match (request.method.as_str(), &parts[1..]) {
            ("PUT" | "DELETE", []) | ("PUT", ["index"]) => json_of(200, &ok(true.into())),
            ("PUT", ["points"]) => {
                *self.points() = body["points"].as_array().unwrap().clone();
                json_of(
                    200,
                    &ok(json!({ "operation_id": 0, "status": "completed" })),
                )
            }
            ("POST", ["points", "query"]) => {
                check_query(request, &body);
                match parts[0] == self.collection {
                    true => self.query(&body),
                    false => error(
                        404,
                        &format!("Not found: Collection `{}` doesn't exist!", parts[0]),
                    ),
                }
            }
            (method, _) => panic!("no such route: {method} {path}"),
        }
    }

    fn query(&self, body: &Value) -> HttpResponse {
        let points = self.points();
        let fitting = points.iter().filter(|point| {
            body.get("filter")
                .is_none_or(|filter| passes(filter, point))
        });
        let vector = body["query"].as_array();
        let mut found: Vec<(f64, &Value)> = match vector {
            Some(vector) => {
                let least = body["score_threshold"].as_f64().unwrap_or(-1.0);
                let scored = fitting.map(|point| (cosine(vector, &point["vector"]), point));
                scored.filter(|(score, _)| *score >= least).collect()
            }
            None => fitting.map(|point| (0.0, point)).collect(),
        };
        match vector {
            Some(_) => found.sort_by(|a, b| b.0.total_cmp(&a.0)),
            None => {
                let key = body["query"]["order_by"]["key"].as_str().unwrap();
                found.sort_by_key(|(_, point)| std::cmp::Reverse(point["payload"][key].as_str()));
            }
        }
        let limit = body["limit"].as_u64().unwrap_or(10) as usize;
        let points = found.into_iter().take(limit).map(|(score, point)| {
            json!({ "id": point["id"], "version": 1, "score": score, "payload": point["payload"] })
        });
        json_of(
            200,
            &ok(json!({ "points": points.collect::<Vec<Value>>() })),
        )
    }

    fn points(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.points.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ok(result: Value) -> Value {
    json!({ "result": result, "status": "ok", "time": 0.001 })
}

/// `ErrorResponse`.
pub fn error(status: u16, message: &str) -> HttpResponse {
    json_of(
        status,
        &json!({ "status": { "error": message }, "time": 0.0001 }),
    )
}

pub fn json_of(status: u16, body: &Value) -> HttpResponse {
    HttpResponse::new(status, body.to_string())
}

fn cosine(asked: &[Value], held: &Value) -> f64 {
    let numbers =
        |values: &[Value]| -> Vec<f64> { values.iter().filter_map(Value::as_f64).collect() };
    let (a, b) = (numbers(asked), numbers(held.as_array().unwrap()));
    assert_eq!(a.len(), b.len(), "a vector of another dimension");
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
}

fn passes(filter: &Value, point: &Value) -> bool {
    let part = |name: &str| filter.get(name).and_then(Value::as_array);
    let all = part("must").is_none_or(|must| must.iter().all(|one| holds(one, point)));
    let any = part("should").is_none_or(|should| should.iter().any(|one| holds(one, point)));
    all && any
}

fn holds(condition: &Value, point: &Value) -> bool {
    if let Some(ids) = condition.get("has_id") {
        return ids.as_array().unwrap().contains(&point["id"]);
    }
    let Some(key) = condition["key"].as_str() else {
        return passes(condition, point);
    };
    let held = &point["payload"][key];
    let members = match held {
        Value::Array(members) => members.clone(),
        one => vec![one.clone()],
    };
    members.iter().any(|value| {
        if let Some(wanted) = condition["match"].get("value") {
            return value == wanted;
        }
        if let Some(text) = condition["match"].get("text") {
            return value
                .as_str()
                .is_some_and(|held| held.contains(text.as_str().unwrap()));
        }
        let bounds = condition["range"].as_object().unwrap();
        bounds
            .iter()
            .all(|(sign, bound)| is_within(value, sign, bound))
    })
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
