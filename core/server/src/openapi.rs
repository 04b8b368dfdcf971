//! `/openapi.json`, and `/docs`: the same as a page that needs no script and
//! no other server.

use std::fmt::Write;

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;

use crate::state::App;

/// What the page may load: nothing but its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color-scheme:light dark}code{font-size:.95em}summary{cursor:pointer;padding:.3rem 0}\
pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:.4rem}\
.m{display:inline-block;min-width:3.2rem;font-weight:700}";

/// The document as it is served.
#[derive(Clone)]
pub(crate) struct Document {
    /// `/openapi.json`.
    pub json: String,
    /// `/docs`.
    pub page: String,
}

impl Document {
    /// Completes a document and draws its page.
    pub fn new(mut document: Value) -> Self {
        expand_query_strings(&mut document);
        Self {
            page: page(&document),
            json: document.to_string(),
        }
    }
}

/// `GET /openapi.json`.
pub(crate) async fn json(app: App) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (headers, app.document().json.clone()).into_response()
}

/// `GET /docs`.
pub(crate) async fn docs(app: App) -> Response {
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, Html(app.document().page.clone())).into_response()
}

/// Each key of a query string becomes a parameter of its own.
fn expand_query_strings(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    let operations = paths
        .filter_map(|(_, methods)| methods.as_object_mut())
        .flatten();
    for (_, operation) in operations {
        let Some(parameters) = operation["parameters"].as_array_mut() else {
            continue;
        };
        let query = parameters
            .iter()
            .position(|one| one["schema"].get("$ref").is_some());
        let Some(query) = query.map(|at| parameters.remove(at)) else {
            continue;
        };
        let name = query["schema"]["$ref"].as_str().unwrap_or_default();
        let schema = &schemas[name.rsplit('/').next().unwrap_or_default()];
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            parameters.push(serde_json::json!({
                "name": name,
                "in": "query",
                "required": required.contains(&Value::from(name.as_str())),
                "description": schema["description"],
                "schema": schema,
            }));
        }
    }
}

fn page(document: &Value) -> String {
    let mut body = String::new();
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path, method, operation))
    });
    let mut operations: Vec<_> = operations.collect();
    operations.sort_by_key(|(path, method, operation)| {
        (
            operation["tags"][0].to_string(),
            (*path).clone(),
            (*method).clone(),
        )
    });
    let mut group = "";
    for (path, method, operation) in operations {
        let tag = operation["tags"][0].as_str().unwrap_or_default();
        if tag != group {
            group = tag;
            add(&mut body, format_args!("<h2>{}</h2>", escaped(tag)));
        }
        let summary = operation["summary"].as_str().unwrap_or_default();
        add(
            &mut body,
            format_args!(
                "<details><summary><span class=m>{}</span> <code>{}</code> {}</summary><pre>{}</pre></details>",
                method.to_ascii_uppercase(),
                escaped(path),
                escaped(summary),
                escaped(&pretty(operation)),
            ),
        );
    }
    add(&mut body, format_args!("<h2>Schemas</h2>"));
    let schemas = document["components"]["schemas"].as_object();
    for (name, schema) in schemas.into_iter().flatten() {
        add(
            &mut body,
            format_args!(
                "<details id=\"{0}\"><summary><code>{0}</code></summary><pre>{1}</pre></details>",
                escaped(name),
                escaped(&pretty(schema)),
            ),
        );
    }
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\"><title>Gannet: HTTP interface</title><style>{STYLE}</style>\
         <h1>Gannet: HTTP interface</h1><p>Drawn from <a href=\"/openapi.json\">/openapi.json</a>, \
         an OpenAPI 3.1 document.</p>{body}</html>"
    )
}

fn add(body: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = body.write_fmt(text);
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
