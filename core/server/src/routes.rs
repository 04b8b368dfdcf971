//! The table of routes. Each is added with the types of what it takes and
//! gives, so that the OpenAPI document has every route and no other.

mod headers;

use axum::Router;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::routing::{MethodFilter, on};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::access::{Access, security_schemes};
use crate::openai::{ErrorBody, is_openai};
use crate::problem::Problem;
use crate::state::App;
use headers::{headers, idempotency_key};

/// What a route is: the group that it is listed in, what it does, and the
/// statuses of its problems beside those of every route.
pub(crate) type About = (&'static str, &'static str, &'static [u16]);

/// The statuses of problems that every route has: an origin that is not
/// allowed or a key without the scope, a body that comes too slowly or is too
/// large, another host, too many requests, a fault of the service.
const OF_EVERY_ROUTE: [u16; 6] = [403, 408, 413, 421, 429, 500];
/// The status of a key that is missing or not valid.
const LOGIN_REFUSED: u16 = 401;

/// Routes with their description.
pub(crate) struct Routes {
    /// Whether callers must show a key or token.
    is_login_required: bool,
    router: Router<App>,
    generator: SchemaGenerator,
    paths: Map<String, Value>,
}

/// A body or query string as the document has it.
struct Content {
    media: &'static str,
    schema: Value,
}

/// What is written of a route.
struct Operation {
    method: Method,
    path: &'static str,
    about: About,
    query: Option<Value>,
    request: Option<Content>,
    answer: Content,
}

impl Operation {
    fn get(path: &'static str, about: About, query: Option<Value>, answer: Content) -> Self {
        Self {
            method: Method::GET,
            path,
            about,
            query,
            request: None,
            answer,
        }
    }

    fn post(path: &'static str, about: About, request: Content, answer: Content) -> Self {
        Self {
            method: Method::POST,
            path,
            about,
            query: None,
            request: Some(request),
            answer,
        }
    }
}

impl Routes {
    pub fn new(is_login_required: bool) -> Self {
        let settings = SchemaSettings::draft2020_12();
        let settings = settings.with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self {
            is_login_required,
            router: Router::new(),
            generator: settings.into_generator(),
            paths: Map::new(),
        }
    }

    /// Adds `GET` with a query string `Q` and the JSON answer `A`.
    pub fn get<Q: JsonSchema, A: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let query = self.schema::<Q>();
        let answer = self.json::<A>();
        self.add(Operation::get(path, about, Some(query), answer), handler);
    }

    /// Adds `POST` with the JSON body `B` and the JSON answer `A`.
    pub fn post<B: JsonSchema, A: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let request = self.json::<B>();
        let answer = self.json::<A>();
        self.add(Operation::post(path, about, request, answer), handler);
    }

    /// Adds `DELETE` with the JSON answer `A`.
    pub fn delete<A: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let answer = self.json::<A>();
        let mut operation = Operation::get(path, about, None, answer);
        operation.method = Method::DELETE;
        self.add(operation, handler);
    }

    /// Adds `POST` with a form of fields and files, described by `B`.
    pub fn post_form<B: JsonSchema, A: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let request = Content {
            media: "multipart/form-data",
            schema: self.schema::<B>(),
        };
        let answer = self.json::<A>();
        self.add(Operation::post(path, about, request, answer), handler);
    }

    /// Adds `GET` with a query string `Q` and a stream of events.
    pub fn get_stream<Q: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let query = self.schema::<Q>();
        let answer = events();
        self.add(Operation::get(path, about, Some(query), answer), handler);
    }

    /// Adds `POST` with the JSON body `B` and a stream of events.
    pub fn post_stream<B: JsonSchema, H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        handler: H,
    ) {
        let request = self.json::<B>();
        let answer = events();
        self.add(Operation::post(path, about, request, answer), handler);
    }

    /// Adds `GET` with a text or a file of this media type.
    pub fn get_file<H: Handler<T, App>, T: 'static>(
        &mut self,
        path: &'static str,
        about: About,
        media: &'static str,
        handler: H,
    ) {
        self.add(Operation::get(path, about, None, file(media)), handler);
    }

    /// Describes the header `Idempotency-Key` of a `POST` that was added.
    pub fn takes_idempotency_key(&mut self, path: &str) {
        if let Some(parameters) = self.paths[path]["post"]["parameters"].as_array_mut() {
            parameters.push(idempotency_key());
        }
    }

    /// Describes the stream of events that a `POST` that was added gives on
    /// request.
    pub fn may_stream(&mut self, path: &str) {
        let Content { media, schema } = events();
        self.paths[path]["post"]["responses"]["200"]["content"][media] =
            json!({ "schema": schema });
    }

    /// Describes the JSON `A` that a `GET` that was added gives with another
    /// status, in the place of a problem.
    pub fn also_answers<A: JsonSchema>(&mut self, path: &str, status: u16, meaning: &str) {
        let answer = content(meaning, self.json::<A>());
        self.paths[path]["get"]["responses"][status.to_string()] = answer;
    }

    /// The router, and the OpenAPI document of all that was added.
    pub fn finish(mut self) -> (Router<App>, Value) {
        // So that the schemas of errors are among the definitions.
        self.schema::<Problem>();
        self.schema::<ErrorBody>();
        let schemas = self.generator.take_definitions(true);
        let document = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Gannet",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Search for the logbooks and documents of a facility.",
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "headers": headers(),
                "securitySchemes": security_schemes(),
            },
        });
        (self.router, document)
    }

    fn add<H: Handler<T, App>, T: 'static>(&mut self, operation: Operation, handler: H) {
        let filter = match operation.method {
            Method::POST => MethodFilter::POST,
            Method::DELETE => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let router = std::mem::take(&mut self.router);
        self.router = router.route(operation.path, on(filter, handler));
        let access = Access::of(&operation.method, operation.path);
        let security = access.security(self.is_login_required);
        let key = operation.method.as_str().to_ascii_lowercase();
        let key = key.as_str();
        let methods = self
            .paths
            .entry(operation.path)
            .or_insert_with(|| json!({}));
        methods[key] = described(operation, access);
        methods[key]["security"] = security;
    }

    fn json<T: JsonSchema>(&mut self) -> Content {
        Content {
            media: "application/json",
            schema: self.schema::<T>(),
        }
    }

    fn schema<T: JsonSchema>(&mut self) -> Value {
        self.generator.subschema_for::<T>().to_value()
    }
}

/// A text, or bytes: JSON Schema describes those by an empty schema.
fn file(media: &'static str) -> Content {
    Content {
        media,
        schema: match media {
            "application/json" => json!({ "type": "object" }),
            text if text.starts_with("text/") => json!({ "type": "string" }),
            _ => json!({}),
        },
    }
}

/// Server-sent events, each with its JSON in `data`.
fn events() -> Content {
    let string = json!({ "type": "string" });
    Content {
        media: "text/event-stream",
        schema: json!({
            "type": "object",
            "properties": { "id": string, "event": string, "data": string },
            "required": ["data"],
        }),
    }
}

fn described(operation: Operation, access: Access) -> Value {
    let (tag, summary, statuses) = operation.about;
    let mut responses = Map::new();
    responses.insert("200".to_owned(), content("Success", operation.answer));
    let login = (access != Access::Open).then_some(&LOGIN_REFUSED);
    for status in statuses.iter().chain(&OF_EVERY_ROUTE).chain(login) {
        let mut error = content(meaning_of(*status), error_of(operation.path));
        if [429, 503].contains(status) {
            error["headers"]["Retry-After"] = json!({ "$ref": "#/components/headers/RetryAfter" });
        }
        responses.insert(status.to_string(), error);
    }
    for (_, response) in &mut responses {
        response["headers"]["x-request-id"] = json!({ "$ref": "#/components/headers/RequestId" });
    }
    let mut parameters: Vec<Value> = path_parameters(operation.path).collect();
    // The schema of a query string is resolved when the document is complete.
    if let Some(query) = operation.query.filter(|query| query.get("$ref").is_some()) {
        parameters.push(json!({
            "name": "query", "in": "query", "style": "form", "explode": true, "schema": query,
        }));
    }
    let mut description = json!({
        "tags": [tag],
        "summary": summary,
        "operationId": operation_id(&operation.method, operation.path),
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(request) = operation.request {
        description["requestBody"] = content("Body", request);
        description["requestBody"]["required"] = true.into();
    }
    description
}

/// The body of an error of this path.
fn error_of(path: &str) -> Content {
    let (media, name) = match is_openai(path) {
        true => ("application/json", "OpenAiErrorBody"),
        false => ("application/problem+json", "Problem"),
    };
    Content {
        media,
        schema: json!({ "$ref": format!("#/components/schemas/{name}") }),
    }
}

fn content(description: &str, content: Content) -> Value {
    json!({
        "description": description,
        "content": { content.media: { "schema": content.schema } },
    })
}

/// A status in words.
fn meaning_of(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    let meaning = status.and_then(|status| status.canonical_reason());
    meaning.unwrap_or("Problem")
}

fn path_parameters(path: &str) -> impl Iterator<Item = Value> {
    let names = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": about_path_parameter(name),
            "schema": { "type": "string" },
        })
    })
}

fn about_path_parameter(name: &str) -> &'static str {
    match name {
        "entry_id" => "The id of an entry",
        "attachment_id" => "The id of a file, as entries have it in their addresses of files",
        "draft_id" => "The id of a draft",
        "search_id" => "The id of a saved search",
        "name" => "A name of the configuration",
        "field" => "A field of entries, such as `authors` or `source_systems`",
        "model" => "The name of a pipeline or search module",
        _ => "See the summary",
    }
}

fn operation_id(method: &Method, path: &str) -> String {
    let words = path.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    let method = method.as_str().to_ascii_lowercase();
    words.fold(method, |id, word| format!("{id}_{word}"))
}
