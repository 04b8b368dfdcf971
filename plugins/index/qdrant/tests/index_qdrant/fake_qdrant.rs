//! A server of Qdrant's HTTP interface, as far as the index uses it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::fake_filter::passes;

/// The server; its thread ends with the test.
pub struct FakeQdrant {
    url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    collections: BTreeMap<String, Collection>,
    /// Method and path of each request.
    requests: Vec<String>,
    refused: Vec<String>,
    /// A request with this in it is answered 500 when so many others passed.
    fault: Option<(String, usize)>,
    delay: Duration,
    is_gone: bool,
    key: Option<String>,
}

#[derive(Default)]
pub struct Collection {
    size: u64,
    pub points: BTreeMap<u64, Point>,
}

#[derive(Clone)]
pub struct Point {
    pub vector: Option<Vec<f64>>,
    pub payload: Map<String, Value>,
}

type Answer = Result<Value, (u16, String)>;

fn refused<T>(why: impl Into<String>) -> Result<T, (u16, String)> {
    Err((400, why.into()))
}

impl FakeQdrant {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &shared));
            }
        });
        Self { url, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    pub fn collections(&self) -> Vec<String> {
        self.state().collections.keys().cloned().collect()
    }

    /// What was asked and answered 400.
    pub fn refused(&self) -> Vec<String> {
        self.state().refused.clone()
    }

    /// What was asked since the last call.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }

    /// Refuses requests with this in their method and path from now on, after so
    /// many that pass.
    pub fn fail(&self, part: &str, passing: usize) {
        self.state().fault = Some((part.to_owned(), passing));
    }

    pub fn recover(&self) {
        let mut state = self.state();
        state.fault = None;
        state.is_gone = false;
        state.delay = Duration::ZERO;
    }

    pub fn be_slow(&self, delay: Duration) {
        self.state().delay = delay;
    }

    pub fn be_gone(&self) {
        self.state().is_gone = true;
    }

    pub fn ask_for_key(&self, key: &str) {
        self.state().key = Some(key.to_owned());
    }

    /// Does something to the only collection.
    pub fn change(&self, change: impl FnOnce(&mut Collection)) {
        let mut state = self.state();
        assert_eq!(state.collections.len(), 1);
        change(state.collections.values_mut().next().unwrap());
    }

    pub fn drop_collections(&self) {
        self.state().collections.clear();
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let (mut length, mut key) = (0, None);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim().split_once(':') else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().unwrap(),
                "api-key" => key = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let delay = state.lock().unwrap().delay;
        std::thread::sleep(delay);
        let mut state = state.lock().unwrap();
        if state.is_gone {
            return;
        }
        let asked: Vec<&str> = line.split(' ').take(2).collect();
        let asked = asked.join(" ");
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let answer = match state.key.is_some() && state.key != key {
            true => Err((401, "Must provide an API key".to_owned())),
            false => state.answer(&asked, &body),
        };
        if let Err((400, why)) = &answer {
            state.refused.push(format!("{asked}: {why}"));
        }
        drop(state);
        let (status, body) = match answer {
            Ok(result) => (
                200,
                json!({ "result": result, "status": "ok", "time": 0.001 }),
            ),
            Err((status, why)) => (status, json!({ "status": { "error": why }, "time": 0.0 })),
        };
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} -\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        if stream
            .write_all(format!("{head}{body}").as_bytes())
            .is_err()
        {
            return;
        }
    }
}

impl State {
    fn answer(&mut self, asked: &str, body: &Value) -> Answer {
        self.requests.push(asked.to_owned());
        if let Some((part, passing)) = &mut self.fault
            && asked.contains(part.as_str())
        {
            if *passing == 0 {
                return Err((500, "out of disk".to_owned()));
            }
            *passing -= 1;
        }
        let (method, path) = asked.split_once(' ').unwrap();
        let path = path.strip_prefix("/collections/").unwrap_or_default();
        let (name, rest) = path.split_once('/').unwrap_or((path, ""));
        let missing = || {
            (
                404,
                format!("Not found: Collection `{name}` doesn't exist!"),
            )
        };
        match (method, rest) {
            ("PUT", "") => {
                let vectors = body.pointer("/vectors/passage").cloned();
                let vectors = vectors.ok_or((400, "no vectors".to_owned()))?;
                if vectors["distance"] != "Cosine" || self.collections.contains_key(name) {
                    return refused("such a collection cannot be made");
                }
                let size = vectors["size"]
                    .as_u64()
                    .ok_or((400, "no size".to_owned()))?;
                let made = Collection {
                    size,
                    ..Collection::default()
                };
                self.collections.insert(name.to_owned(), made);
                Ok(json!(true))
            }
            ("DELETE", "") => Ok(json!(self.collections.remove(name).is_some())),
            _ => {
                let collection = self.collections.get_mut(name).ok_or_else(missing)?;
                collection.answer(method, rest, body)
            }
        }
    }
}

impl Collection {
    fn answer(&mut self, method: &str, rest: &str, body: &Value) -> Answer {
        match (method, rest) {
            ("GET", "") => Ok(json!({ "status": "green" })),
            ("PUT", "index?wait=true") if body["field_schema"].is_string() => Ok(json!({})),
            ("PUT", "points?wait=true") => self.put(body),
            ("POST", "points") => self.read(body),
            ("POST", "points/delete?wait=true") => {
                let unwanted = self.passing(&body["filter"])?;
                unwanted.iter().for_each(|id| {
                    self.points.remove(id);
                });
                Ok(json!({ "status": "completed" }))
            }
            ("POST", "points/count") if body["exact"] == true => {
                Ok(json!({ "count": self.passing(&body["filter"])?.len() }))
            }
            ("POST", "points/query") => self.query(body),
            _ => refused(format!("no such request: {method} {rest}")),
        }
    }

    fn passing(&self, filter: &Value) -> Result<Vec<u64>, (u16, String)> {
        let mut ids = Vec::new();
        for (id, point) in &self.points {
            let passes = match filter.is_null() {
                true => Ok(true),
                false => passes(filter, &point.payload),
            };
            if passes.map_err(|why| (400, why))? {
                ids.push(*id);
            }
        }
        Ok(ids)
    }

    fn numbers(&self, vector: &Value) -> Result<Vec<f64>, (u16, String)> {
        let numbers = vector.as_array().into_iter().flatten();
        let numbers: Vec<f64> = numbers.filter_map(Value::as_f64).collect();
        match numbers.len() as u64 == self.size {
            true => Ok(numbers),
            false => refused("Wrong input: Vector dimension error"),
        }
    }

    /// Vectors are normalised when they are stored.
    fn put(&mut self, body: &Value) -> Answer {
        let points = body["points"].as_array().cloned().unwrap_or_default();
        for point in points {
            let id = point["id"].as_u64().ok_or((400, "no id".to_owned()))?;
            let vectors = point["vector"].as_object();
            let vectors = vectors.ok_or((400, "no vector".to_owned()))?;
            let vector = match vectors.get("passage") {
                Some(vector) => {
                    let numbers = self.numbers(vector)?;
                    let length = dot(&numbers, &numbers).sqrt();
                    Some(numbers.iter().map(|number| number / length).collect())
                }
                None if vectors.is_empty() => None,
                None => return refused("Wrong input: Not existing vector name"),
            };
            let payload = point["payload"].as_object().cloned().unwrap_or_default();
            self.points.insert(id, Point { vector, payload });
        }
        Ok(json!({ "status": "completed" }))
    }

    fn read(&self, body: &Value) -> Answer {
        let ids = body["ids"].as_array().into_iter().flatten();
        let found = ids.filter_map(|id| {
            let point = self.points.get(&id.as_u64()?)?;
            let mut shown = json!({ "id": id });
            if body["with_payload"] == true {
                shown["payload"] = point.payload.clone().into();
            }
            if body["with_vector"] == true {
                let vector = point.vector.as_ref();
                shown["vector"] = match vector {
                    Some(vector) => json!({ "passage": vector }),
                    None => json!({}),
                };
            }
            Some(shown)
        });
        Ok(found.collect())
    }

    fn query(&self, body: &Value) -> Answer {
        let known = [
            "query",
            "using",
            "filter",
            "limit",
            "with_payload",
            "params",
        ];
        let asked = body.as_object().ok_or((400, "no body".to_owned()))?;
        if let Some(other) = asked.keys().find(|key| !known.contains(&key.as_str())) {
            return refused(format!("unknown field `{other}`"));
        }
        if body["using"] != "passage" {
            return refused("Wrong input: Collection requires specified vector name");
        }
        let limit = body["limit"].as_u64().filter(|limit| *limit > 0);
        let limit = limit.ok_or((400, "limit must be at least 1".to_owned()))?;
        let query = self.numbers(&body["query"])?;
        let length = dot(&query, &query).sqrt();
        let mut points = Vec::new();
        for id in self.passing(&body["filter"])? {
            if let Some(vector) = &self.points[&id].vector {
                points.push((id, dot(&query, vector) / length));
            }
        }
        points.sort_by(|a, b| b.1.total_cmp(&a.1));
        points.truncate(usize::try_from(limit).unwrap());
        let points = points.iter().map(|(id, score)| {
            // Scores are numbers of 32 bits.
            json!({ "id": id, "version": 1, "score": *score as f32 })
        });
        Ok(json!({ "points": points.collect::<Vec<_>>() }))
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}
