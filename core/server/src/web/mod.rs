//! The web interface: one page for every address of it, and the files that the
//! page loads. They are part of the program; nothing is loaded from elsewhere.

mod files;
mod page;
mod script;

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::problem::Problem;
use crate::state::App;
use files::{FILES, WebFile};
use page::{PAGE, page};
use script::script;

/// Where the files are.
const FOLDER: &str = "/assets/";
/// Addresses that show the page. What it shows, it reads from the address.
const PAGES: [&str; 8] = [
    "/",
    "/browse",
    "/entry/{entry_id}",
    "/new",
    "/saved",
    "/status",
    "/plugins",
    "/agent",
];
/// What the page may load and do, beside its styles: its own scripts and
/// requests, no inline script, and it may not be framed. `blob:` is for pictures
/// that are read with a key.
const POLICY: &str = "default-src 'none'; script-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
/// The policy with the styles that are in the page, and no others.
static POLICY_WITH_STYLES: LazyLock<String> =
    LazyLock::new(|| format!("{POLICY}; style-src {}", PAGE.styles));

/// What is sent, by name, with its ETag.
static SENT: LazyLock<HashMap<&str, (WebFile, String)>> = LazyLock::new(|| {
    let files = FILES.iter().copied().chain([page(), script()]);
    files.map(|file| (file.name, (file, file.tag()))).collect()
});

/// The routes. They are no part of the interface for programs, and so not of
/// its document.
pub(crate) fn add(router: Router<App>) -> Router<App> {
    let router = PAGES
        .into_iter()
        .fold(router, |router, path| router.route(path, get(show)));
    router.route("/assets/{file}", get(file))
}

/// Whether this is the address of a page or file, which tell nothing of the
/// entries and so need no key.
pub(crate) fn is_page(path: &str) -> bool {
    let is_plain = PAGES.contains(&path) && !path.contains('{');
    is_plain || path.starts_with("/entry/") || path.starts_with(FOLDER)
}

async fn show(headers: HeaderMap) -> Result<Response, Problem> {
    send(page::NAME, &headers)
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    match name == page::NAME {
        true => Err(no_file(&name)),
        false => send(&name, &headers),
    }
}

fn no_file(name: &str) -> Problem {
    Problem::not_found(format!("there is no file `{name}`"))
}

/// Scripts are asked for again each time, and answered in a few bytes: a page
/// never runs with those of another version. A browser shows the icon anew with
/// every address, at each key of what is typed.
fn cache_control(file: &WebFile) -> &'static str {
    match file.media.starts_with("image/") {
        true => "max-age=86400",
        false => "no-cache",
    }
}

/// The file, or nothing where the browser has it already.
fn send(name: &str, request: &HeaderMap) -> Result<Response, Problem> {
    let (file, tag) = SENT.get(name).ok_or_else(|| no_file(name))?;
    let known = request.get(header::IF_NONE_MATCH);
    let known = known.and_then(|known| known.to_str().ok()).unwrap_or("");
    let is_known = known.split(',').any(|one| one.trim() == tag.as_str());
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => file.bytes.into_response(),
    };
    let values = [
        (header::CONTENT_TYPE, file.media),
        (header::CACHE_CONTROL, cache_control(file)),
        (header::CONTENT_SECURITY_POLICY, POLICY_WITH_STYLES.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let headers = response.headers_mut();
    for (name, value) in values {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// The limit of the whole interface.
    const MOST_BYTES: usize = 150_000;

    #[test]
    fn the_interface_has_less_than_150_kilobytes_compressed() {
        let loaded = [page(), script(), FILES[0]];
        let sizes = loaded.iter().map(|file| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(file.bytes).unwrap();
            encoder.finish().unwrap().len()
        });
        let size: usize = sizes.sum();
        assert!(size < MOST_BYTES, "{size} bytes");
    }

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let mut served: Vec<String> = FILES.iter().map(|file| file.name.to_owned()).collect();
        let page = ["index.html", "style.css", "unified.css", "views.css"];
        served.extend(page.map(str::to_owned));
        names.sort();
        served.sort();
        assert_eq!(names, served);
    }

    #[test]
    fn the_page_loads_one_script() {
        let page = std::str::from_utf8(page().bytes).unwrap();
        assert_eq!(page.matches("<script").count(), 1);
        let address = format!("src=\"{FOLDER}{}\"", script().name);
        assert!(page.contains(&address), "{address}");
    }

    #[test]
    fn nothing_but_the_styles_is_inline_and_nothing_from_elsewhere() {
        let page = std::str::from_utf8(page().bytes).unwrap();
        assert_eq!(page.matches("<style").count(), 1);
        for part in ["style=", "onclick", "onload", "//", "url(", "@import"] {
            assert!(!page.contains(part), "{part}");
        }
        for file in FILES {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for part in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "eval(",
                "document.write",
            ] {
                assert!(!text.contains(part), "{}: {part}", file.name);
            }
        }
    }

    #[test]
    fn pages_and_files_need_no_key() {
        for path in ["/", "/browse", "/entry/A-1", "/assets/app.js", "/agent"] {
            assert!(is_page(path), "{path}");
        }
        for path in [
            "/api/entries",
            "/entry",
            "/status/x",
            "/api/status",
            "/metrics",
        ] {
            assert!(!is_page(path), "{path}");
        }
    }
}
