//! The web interface: pages, files and their headers.

use reqwest::Method;

use crate::service::{Answer, Service};

const PAGES: [&str; 7] = [
    "/",
    "/browse",
    "/entry/SKY-1",
    "/new",
    "/status",
    "/plugins",
    "/agent",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_address_of_the_interface_shows_the_page() {
    let service = Service::start().await;
    let first = service.get("/").await;
    assert!(first.text.contains("/assets/gannet.js"));
    for path in PAGES {
        let page = service.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(page.text, first.text, "{path}");
    }
    assert_eq!(service.get("/nowhere").await.problem(404), "no_such_route");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_files_are_restricted_to_this_origin() {
    let service = Service::start().await;
    for path in ["/", "/assets/gannet.js", "/assets/icon.svg"] {
        let answer = service.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let policy = answer.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "style-src 'sha256-",
            "connect-src 'self';",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {part}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("x-frame-options"), "DENY");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_have_their_type_and_others_are_not_there() {
    let service = Service::start().await;
    for (file, media) in [
        ("app.js", "text/javascript; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ] {
        let answer = service.get(&format!("/assets/{file}")).await;
        assert_eq!(answer.header("content-type"), media);
    }
    for file in ["nothing.js", "..%2FCargo.toml", "index.html", "style.css"] {
        let answer = service.get(&format!("/assets/{file}")).await;
        assert_eq!(answer.problem(404), "not_found", "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_the_browser_has_is_not_sent_again() {
    let service = Service::start().await;
    let first = service.get("/assets/gannet.js").await;
    assert_eq!(first.header("cache-control"), "no-cache");
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let again = |tag: &str| {
        let request = service.request(Method::GET, "/assets/gannet.js");
        request.header("if-none-match", tag).send()
    };
    let known = Answer::of(again(&tag).await.unwrap()).await;
    assert_eq!((known.status, known.text.as_str()), (304, ""));
    let other = Answer::of(again("W/\"other\"").await.unwrap()).await;
    assert_eq!(other.status, 200);
}

/// A browser shows the icon anew at each key of what is typed.
#[tokio::test(flavor = "multi_thread")]
async fn the_icon_is_not_asked_for_at_each_key() {
    let service = Service::start().await;
    let icon = service.get("/assets/icon.svg").await;
    assert_eq!(icon.header("cache-control"), "max-age=86400");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_compressed_for_browsers_that_take_it() {
    let service = Service::start().await;
    let request = service.request(Method::GET, "/assets/gannet.js");
    let answer = request.header("accept-encoding", "gzip").send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.headers()["content-encoding"], "gzip");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_need_no_key_and_what_they_show_does() {
    let service = Service::with(&[("server.auth.required", "true")]).await;
    for path in PAGES.into_iter().chain(["/assets/gannet.js"]) {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    for path in [
        "/api/site",
        "/api/plugins",
        "/api/status/details",
        "/api/entries/A-1/related",
    ] {
        assert_eq!(service.get(path).await.problem(401), "login_required");
    }
}
