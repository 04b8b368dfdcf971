//! The calls that ARIEL's web client makes, in its order, and what it reads of
//! the answers. The client is that of als-apg/osprey at b686132c0.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::service::{Answer, Service, column};

#[tokio::test(flavor = "multi_thread")]
async fn a_visit_of_ariels_web_client_is_answered() {
    let service = Service::start().await;

    let capabilities = service.get("/api/capabilities").await.json(200);
    let modes = &capabilities["categories"]["direct"]["modes"];
    let names = column(modes, "name");
    assert!(names.iter().any(|name| name == "keyword"), "{names:?}");
    assert_eq!(capabilities["shared_parameters"][0]["name"], "max_results");
    let authors = service.get("/api/filter-options/authors").await.json(200);
    let option = |name: &str| json!({ "value": name, "label": name });
    assert_eq!(authors["options"], json!([option("Lee"), option("Voss")]));

    // Its form sends the parameters of the shared section beside those of the mode.
    let search = json!({
        "query": "cavity", "mode": "keyword", "max_results": 10,
        "advanced_params": { "author": "lee", "include_highlights": true, "other_mode": 1 },
    });
    let found = service.post("/api/search", search).await.json(200);
    let mut ids = column(&found["entries"], "entry_id");
    ids.sort();
    assert_eq!(ids, ["A", "C"]);
    assert_eq!(found["total_results"], 2);
    let highlight = found["entries"][0]["highlights"][0].as_str().unwrap();
    assert!(highlight.contains("<b>cavity</b>"), "{highlight}");
    let notes = found["diagnostics"].to_string();
    assert!(notes.contains("no parameter `other_mode`"), "{notes}");

    let page = service
        .get("/api/entries?page=2&page_size=2&sort_order=desc")
        .await
        .json(200);
    assert_eq!(column(&page["entries"], "entry_id"), ["A"]);
    assert_eq!(
        (&page["total"], &page["total_pages"]),
        (&json!(3), &json!(2))
    );
    let of_lee = service
        .get("/api/entries?author=Lee&sort_order=asc")
        .await
        .json(200);
    assert_eq!(column(&of_lee["entries"], "entry_id"), ["A", "C"]);
    assert_eq!(of_lee["total"], 2);
    let entry = service.get("/api/entries/B").await.json(200);
    assert_eq!(entry["author"], "Voss");
    assert_eq!(entry["timestamp"], "2024-01-05T08:00:00+00:00");

    let info = service.get("/api/publish-info").await.json(200);
    assert_eq!(info["supports_write"], false);
    let draft = json!({ "subject": "Pump", "details": "Exchanged.", "tags": ["vacuum"] });
    let made = service.post("/api/drafts", draft).await.json(200);
    let path = format!("/api/drafts/{}", made["draft_id"].as_str().unwrap());
    assert_eq!(service.get(&path).await.json(200)["subject"], "Pump");

    let entry = json!({
        "subject": "Pump", "details": "TP-3 was exchanged.", "author": null, "logbook": "Vacuum",
        "shift": "Day", "tags": ["vacuum"], "metadata": null, "auth_user": null,
        "auth_password": null,
    });
    let written = service.post("/api/entries", entry).await.json(200);
    let id = written["entry_id"].as_str().unwrap();
    let shown = service.get(&format!("/api/entries/{id}")).await.json(200);
    assert_eq!(shown["raw_text"], "Pump\n\nTP-3 was exchanged.");
    assert_eq!(
        (&shown["author"], &shown["metadata"]["logbook"]),
        (&json!("Anonymous"), &json!("Vacuum"))
    );

    let status = service.get("/api/status").await.json(200);
    assert_eq!(
        (&status["healthy"], &status["entry_count"]),
        (&json!(true), &json!(4))
    );
    assert!(
        status["enabled_search_modules"]
            .to_string()
            .contains("keyword")
    );
}

/// What the client sent when it was run in a browser over Gannet: a search in
/// each of its modes with the parameters that it made of the capabilities,
/// browsing, an entry, a new entry, the status page. It shows the modes that
/// ARIEL's current version has, and asks for the capabilities on each page.
#[tokio::test(flavor = "multi_thread")]
async fn the_calls_recorded_from_ariels_web_client_are_answered() {
    let service = Service::start().await;
    service.host.enhance().await;
    service.gannet().store().flush().await.unwrap();
    let search = |mode: &str, parameters: Value| {
        let body = json!({
            "query": "why did the cavity trip?", "mode": mode, "max_results": 10,
            "advanced_params": parameters,
        });
        (Method::POST, "/api/search", body)
    };
    let get = |path| (Method::GET, path, Value::Null);
    let entry = json!({
        "subject": "Pump", "details": "TP-3 was exchanged.", "author": null, "logbook": null,
        "shift": null, "tags": [], "metadata": null, "auth_user": null, "auth_password": null,
    });
    let keyword = json!({ "include_highlights": true, "fuzzy_fallback": true, "max_results": 10 });
    let semantic = json!({ "similarity_threshold": 0, "max_results": 10 });
    for (method, path, body) in [
        get("/api/capabilities"),
        get("/api/publish-info"),
        search("keyword", keyword),
        search("semantic", semantic),
        get("/api/filter-options/source_systems"),
        get("/api/entries/A"),
        get("/api/entries?page=1&page_size=20&sort_order=desc"),
        get("/api/entries?page=2&page_size=20&sort_order=desc"),
        (Method::POST, "/api/entries", entry),
        get("/api/status"),
    ] {
        let request = service.request(method, path);
        let request = match body.is_null() {
            true => request,
            false => request.json(&body),
        };
        let answer = Answer::of(request.send().await.unwrap()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        if path == "/api/search" {
            let found: Value = serde_json::from_str(&answer.text).unwrap();
            assert_eq!(found["diagnostics"], json!([]), "{body}");
            let ids = column(&found["entries"], "entry_id");
            assert!(ids.contains(&"A".to_owned()), "{body}: {ids:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_an_upload_come_back_as_downloads() {
    let service = Service::with(&[("server.max_attachment_bytes", "1000")]).await;
    let form = |content: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nScope\r\n--x\r\n\
             Content-Disposition: form-data; name=\"details\"\r\n\r\nSee the picture.\r\n--x\r\n\
             Content-Disposition: form-data; name=\"tags\"\r\n\r\nrf, scope\r\n--x\r\n\
             Content-Disposition: form-data; name=\"files\"; filename=\"../page.html\"\r\n\
             Content-Type: text/html\r\n\r\n{content}\r\n--x--\r\n"
        )
    };
    let upload = async |content: &str| {
        let request = service.request(Method::POST, "/api/entries/upload");
        let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=x");
        Answer::of(request.body(form(content)).send().await.unwrap()).await
    };
    let page = "<script>alert(1)</script>";
    let written = upload(page).await.json(200);
    assert_eq!(written["attachment_count"], 1);
    let path = format!("/api/entries/{}", written["entry_id"].as_str().unwrap());
    let entry = service.get(&path).await.json(200);
    assert_eq!(entry["metadata"]["tags"], json!(["rf", "scope"]));
    let file = &entry["attachments"][0];
    assert_eq!(file["filename"], "page.html");
    let file = service.get(file["url"].as_str().unwrap()).await;
    assert_eq!((file.status, file.text.as_str()), (200, page));
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert!(
        file.header("content-disposition")
            .starts_with("attachment;")
    );
    assert_eq!(file.header("x-content-type-options"), "nosniff");

    let before = service.get("/api/entries").await.json(200)["total"].clone();
    assert_eq!(
        upload(&"x".repeat(1001)).await.problem(400),
        "file_too_large"
    );
    assert_eq!(service.get("/api/entries").await.json(200)["total"], before);
    for other in ["..%2F..%2Fstore.db", "0123", "%2Fetc%2Fpasswd"] {
        let path = format!("/api/attachments/{other}");
        assert_eq!(service.get(&path).await.problem(404), "not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_given_as_long_as_an_entry_names_it() {
    let service = Service::start().await;
    let form = "--x\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nScope\r\n--x\r\n\
         Content-Disposition: form-data; name=\"details\"\r\n\r\nA trace.\r\n--x\r\n\
         Content-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\n\
         text\r\n--x--\r\n";
    let request = service.request(Method::POST, "/api/entries/upload");
    let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=x");
    let written = Answer::of(request.body(form).send().await.unwrap()).await;
    let entry_id = written.json(200)["entry_id"].as_str().unwrap().to_owned();
    let store = service.gannet().store();
    let found = store
        .entries("default", std::slice::from_ref(&entry_id))
        .await
        .unwrap();
    let mut entry = found.into_iter().next().unwrap();
    let url = entry.attachments[0].url.clone().unwrap();
    assert_eq!(service.get(&url).await.text, "text");

    // The entry comes back under another id.
    entry.entry_id = "again".to_owned();
    store.upsert(vec![entry]).await.unwrap();
    store.delete("default", &[entry_id]).await.unwrap();
    for _ in 0..2 {
        assert_eq!(service.get(&url).await.text, "text");
    }

    store
        .delete("default", &["again".to_owned()])
        .await
        .unwrap();
    assert_eq!(service.get(&url).await.problem(404), "not_found");
    let id = url.rsplit('/').next().unwrap();
    let body = json!({ "subject": "x", "details": "y", "attachment_ids": [id] });
    let refused = service.post("/api/entries", body).await;
    assert_eq!(refused.problem(422), "invalid_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_enabled_mode_can_be_searched_and_no_other() {
    let off = ("enhancement_modules.text_embedding.enabled", "false");
    let service = Service::with(&[off]).await;
    let search = json!({ "query": "cavity", "mode": "semantic" });
    let unenhanced = service.post("/api/search", search).await;
    assert_eq!(unenhanced.problem(503), "unavailable");
    assert!(unenhanced.text.contains("gannet enhance"));
    let service = Service::start().await;
    service.host.enhance().await;
    let modes = service.modes();
    assert!(modes.len() >= 4, "{modes:?}");
    for mode in modes {
        let found = service
            .post("/api/search", json!({ "query": "cavity", "mode": mode }))
            .await;
        assert_eq!(found.json(200)["mode"], json!(mode));
    }
    let unknown = service
        .post("/api/search", json!({ "query": "x", "mode": "keywrd" }))
        .await;
    assert_eq!(unknown.problem(400), "unknown_mode");
    assert!(unknown.text.contains("keyword"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_by_cursor_are_the_whole_list_while_entries_are_added() {
    let service = Service::start().await;
    let mut seen: Vec<String> = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = service
            .get(&format!("/api/entries?page_size=1{cursor}"))
            .await
            .json(200);
        seen.extend(column(&page["entries"], "entry_id"));
        let entry = json!({ "subject": "New", "details": "Later than all." });
        service.post("/api/entries", entry).await.json(200);
        match &page["next_cursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            _ => break,
        }
    }
    assert_eq!(seen, ["C", "B", "A"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_have_the_address_of_the_facilitys_logbook() {
    let url = "https://logbook.example/entry?id={entry_id}";
    let service = Service::with(&[("server.entry_url", url)]).await;
    let entry = service.get("/api/entries/A").await.json(200);
    assert_eq!(entry["entry_url"], "https://logbook.example/entry?id=A");

    let form = json!({ "subject": "Pump", "details": "TP-3 was exchanged." });
    let reply = service.post("/api/entries", form).await.json(200);
    let address = format!("/api/entries/{}", reply["entry_id"].as_str().unwrap());
    let written_here = service.get(&address).await.json(200);
    assert_eq!(written_here["source_system"], "ARIEL Web");
    assert_eq!(written_here.get("entry_url"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_reads_or_writes_the_configuration() {
    let service = Service::start().await;
    assert_eq!(
        service.get("/api/config").await.problem(404),
        "no_such_route"
    );
    let put = service
        .request(Method::PUT, "/api/config")
        .body("store: {}");
    assert_eq!(
        Answer::of(put.send().await.unwrap()).await.problem(404),
        "no_such_route"
    );
}
