//! The tools, as a client of MCP sees and calls them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod session;

use std::collections::BTreeSet;

use gannet_core::registry::schema::Schema;
use gannet_tests::HOSTILE_TEXTS;
use serde_json::{Value, json};
use session::{Session, host_of_pumps, ids};

#[tokio::test(flavor = "multi_thread")]
async fn every_search_module_and_pipeline_is_a_tool_and_few_tools_write() {
    let host = host_of_pumps(1, &[]).await;
    let mut session = Session::with(&host).await;
    let tools = session.tools().await;
    let names: BTreeSet<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let expected = [
        "agent",
        "browse",
        "capabilities",
        "count_entries",
        "digest",
        "entries_by_ids",
        "entry_get",
        "filter_options",
        "keyword_search",
        "rag",
        "recurrence",
        "saved_search_create",
        "saved_search_delete",
        "saved_search_matches",
        "saved_searches",
        "semantic_search",
        "status",
        "thread",
        "trend",
        "unified",
    ];
    assert_eq!(names, expected.into());
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let writes = ["saved_search_create", "saved_search_delete"].contains(&name);
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    let instructions = session.started["instructions"].as_str().unwrap();
    assert!(instructions.contains("link it verbatim"), "{instructions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_of_a_plugin_is_a_tool_with_its_own_name_and_description() {
    let settings = [
        ("search_modules.manuals.enabled", "true"),
        ("search_modules.manuals.plugin", "keyword"),
        ("search_modules.manuals.description", "Searches manuals."),
        // The name of a tool of the server itself.
        ("pipelines.browse.plugin", "rag"),
    ];
    let host = host_of_pumps(2, &settings).await;
    let mut session = Session::with(&host).await;
    let tools = session.tools().await;
    let named = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!(named("manuals_search")["description"], "Searches manuals.");
    assert!(named("browse")["inputSchema"]["properties"]["cursor"].is_object());
    let found = session
        .done("manuals_search", json!({ "query": "pump" }))
        .await;
    assert_eq!(found["mode"], "manuals");
    assert_eq!(found["results_found"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_pipeline_finds_beside_entries_is_in_the_details() {
    let settings = [
        ("pipelines.history.enabled", "true"),
        ("pipelines.history.plugin", "recurrence"),
    ];
    let host = host_of_pumps(3, &settings).await;
    let mut session = Session::with(&host).await;
    for (name, query, key) in [
        ("recurrence", "e1", "groups"),
        ("history", "e1", "entries"),
        ("thread", "e1", "steps"),
        ("digest", "2024", "sections"),
        ("trend", "how many entries", "change_points"),
    ] {
        let reply = session.done(name, json!({ "query": query })).await;
        assert!(reply["details"][key].is_array(), "{name}: {reply}");
    }
    let plain = session.done("keyword_search", json!({ "query": "pump" }));
    assert_eq!(plain.await["details"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_result_meets_the_schema_of_its_tool() {
    let host = host_of_pumps(3, &[("server.allow_mcp_writes", "true")]).await;
    host.enhance().await;
    let mut session = Session::with(&host).await;
    let saved = session.done("saved_search_create", json!({ "query": "leak" }));
    let saved = saved.await["search_id"].clone();
    let calls = [
        ("agent", json!({ "query": "which pump stopped?" })),
        ("browse", json!({ "page_size": 2 })),
        ("capabilities", json!({})),
        (
            "count_entries",
            json!({ "question": "the last two entries", "group_by": "author" }),
        ),
        ("entries_by_ids", json!({ "entry_ids": ["e1", "none"] })),
        (
            "entry_create",
            json!({ "subject": "Leak", "details": "at the pump" }),
        ),
        ("entry_get", json!({ "entry_id": "e1" })),
        ("filter_options", json!({ "field": "authors" })),
        ("keyword_search", json!({ "query": "pump" })),
        ("rag", json!({ "query": "which pump stopped?" })),
        ("digest", json!({ "query": "last shift" })),
        ("recurrence", json!({ "query": "e1" })),
        ("thread", json!({ "query": "e1" })),
        (
            "trend",
            json!({ "query": "trips", "by": "author", "unit": "year" }),
        ),
        ("saved_search_create", json!({ "query": "pump" })),
        ("saved_searches", json!({})),
        ("saved_search_matches", json!({})),
        ("saved_search_delete", json!({ "search_id": saved })),
        ("semantic_search", json!({ "query": "pump" })),
        ("status", json!({})),
        ("unified", json!({ "query": "which pump stopped?" })),
    ];
    let tools = session.tools().await;
    assert_eq!(tools.len(), calls.len());
    for (name, arguments) in calls {
        let reply = session.done(name, arguments).await;
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let schema = Schema::new(&tool["outputSchema"]).unwrap();
        let faults = schema.faults(&reply);
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cases_of_ariels_tools_hold() {
    let host = host_of_pumps(30, &[]).await;
    let mut session = Session::with(&host).await;
    for case in gannet_tests::cases("ariel.jsonl", "mcp") {
        let (input, expected) = (&case["input"], &case["expected"]);
        match input["tool"].as_str() {
            None => text_limits(&mut session, expected).await,
            Some("browse") => {
                let page = session.done("browse", json!({ "page_size": 500 })).await;
                assert_eq!(page["page_size"], expected["page_size_used"]);
            }
            Some("keyword_search") if input["exclude_entry_ids"].is_string() => {
                let query = |exclude: &[&str]| json!({ "query": "pump", "max_results": 10, "exclude_entry_ids": exclude });
                let all = ids(&session.done("keyword_search", query(&[])).await);
                let seen = [all[0].as_str(), all[4].as_str()];
                let others = ids(&session.done("keyword_search", query(&seen)).await);
                assert_eq!(others.len(), 10, "others take their places");
                assert!(others.iter().all(|id| !seen.contains(&id.as_str())));
            }
            // This host has no logbook that takes entries; with one it is tested
            // over HTTP.
            Some("entry_publish") => {
                let (kind, _) = session
                    .failed("entry_publish", json!({ "entry_id": "e1" }))
                    .await;
                assert_eq!(kind, "not_supported");
            }
            Some(tool) => {
                let mut arguments = input.clone();
                arguments.as_object_mut().unwrap().shift_remove("tool");
                if input["entry_ids"] == "51 ids" {
                    let many: Vec<String> = (0..51).map(|number| format!("e{number}")).collect();
                    arguments["entry_ids"] = json!(many);
                }
                let (kind, message) = session.failed(tool, arguments).await;
                assert_eq!(kind, expected["error_type"], "{case}: {message}");
                let part = expected["message_contains"].as_str().unwrap_or_default();
                assert!(message.contains(part), "{case}: {message}");
            }
        }
    }
}

/// The capability of Osprey is none of the tools; an agent that knows it is
/// told which ones there are.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_logbook_search_says_which_tools_to_use() {
    let host = host_of_pumps(1, &[]).await;
    let mut session = Session::with(&host).await;
    let reply = session
        .call("logbook_search", json!({ "query": "pump" }))
        .await;
    assert!(reply.is_error);
    assert_eq!(reply.content["error_type"], "not_supported");
    let suggestion = reply.content["suggestions"].to_string();
    assert!(suggestion.contains("`rag`"), "{suggestion}");
    let found = session
        .done("keyword_search", json!({ "query": "pump" }))
        .await;
    assert_eq!(found["results_found"], 1);
}

async fn text_limits(session: &mut Session, expected: &Value) {
    let chars = |entry: &Value| entry["raw_text"].as_str().unwrap().chars().count();
    let found = session
        .done("keyword_search", json!({ "query": "pump" }))
        .await;
    assert_eq!(chars(&found["entries"][0]), expected["search tools"]);
    assert_eq!(found["entries"][0]["text_truncated"], true);
    let page = session.done("browse", json!({})).await;
    assert_eq!(chars(&page["entries"][0]), expected["browse"]);
    let several = session
        .done("entries_by_ids", json!({ "entry_ids": ["e1"] }))
        .await;
    assert_eq!(chars(&several["entries"][0]), expected["entries_by_ids"]);
    let whole = session.done("entry_get", json!({ "entry_id": "e1" })).await;
    assert!(chars(&whole) > 1900);
    assert_eq!(whole["text_truncated"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn browse_filters_in_the_store_and_pages_to_the_end() {
    let host = host_of_pumps(25, &[]).await;
    let mut session = Session::with(&host).await;
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = json!({ "author": "smith", "page_size": 5, "cursor": cursor });
        let page = session.done("browse", page).await;
        seen.extend(ids(&page));
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    let expected: Vec<String> = (0..25)
        .rev()
        .step_by(2)
        .map(|number| format!("e{number}"))
        .collect();
    assert_eq!(seen, expected);
    let (kind, _) = session.failed("browse", json!({ "cursor": "zz" })).await;
    assert_eq!(kind, "validation_error");
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_without_an_offset_are_in_the_zone_of_the_facility() {
    let host = host_of_pumps(2, &[("timezone", "Europe/Berlin")]).await;
    let mut session = Session::with(&host).await;
    // 23:00 UTC on the first is midnight of the second in Berlin.
    for tool in ["browse", "keyword_search"] {
        let day = |date: &str| match tool {
            "browse" => json!({ "start_date": date, "end_date": date }),
            _ => json!({ "query": "pump", "start_date": date, "end_date": date }),
        };
        let found = session.done(tool, day("2024-03-02")).await;
        assert_eq!(found["results_found"], 2, "{tool}");
        let shown = found["entries"][0]["timestamp"].as_str().unwrap();
        assert!(
            shown.starts_with("2024-03-02T00:0") && shown.ends_with("+01:00"),
            "{shown}"
        );
        assert_eq!(
            session.done(tool, day("2024-03-01")).await["results_found"],
            0
        );
        let (kind, _) = session.failed(tool, day("31 foo")).await;
        assert_eq!(kind, "validation_error");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_have_the_address_that_the_configuration_gives_them() {
    let template = "https://logbook.example/entry?id={entry_id}";
    let host = host_of_pumps(1, &[("server.entry_url", template)]).await;
    let mut session = Session::with(&host).await;
    let entry = session.done("entry_get", json!({ "entry_id": "e0" })).await;
    assert_eq!(entry["entry_url"], "https://logbook.example/entry?id=e0");

    let host = host_of_pumps(1, &[]).await;
    let mut session = Session::with(&host).await;
    let entry = session.done("entry_get", json!({ "entry_id": "e0" })).await;
    assert_eq!(entry.get("entry_url"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_is_stored_only_where_that_is_allowed_and_asked_for() {
    let entry = |draft: Value| {
        json!({
            "subject": "Cryostat quench", "details": "Recovered after 2 h.", "author": "Ann",
            "logbook": "Operations", "tags": ["cryo"], "draft": draft,
        })
    };
    let host = host_of_pumps(1, &[]).await;
    let (kind, _) = Session::with(&host)
        .await
        .failed("entry_create", entry(Value::Null))
        .await;
    assert_eq!(kind, "not_supported");

    let host = host_of_pumps(1, &[("server.allow_mcp_writes", "true")]).await;
    let mut session = Session::with(&host).await;
    let drafted = session.done("entry_create", entry(Value::Null)).await;
    assert_eq!(
        (&drafted["status"], &drafted["entry"]["entry_id"]),
        (&json!("draft"), &json!(""))
    );
    assert_eq!(session.done("status", json!({})).await["entries"], 1);

    let stored = session.done("entry_create", entry(false.into())).await;
    assert_eq!(stored["status"], "stored");
    host.gannet.store().flush().await.unwrap();
    let found = session
        .done("keyword_search", json!({ "query": "quench tag:cryo" }))
        .await;
    assert_eq!(ids(&found), [stored["entry"]["entry_id"].as_str().unwrap()]);
    let (kind, _) = session
        .failed("entry_create", json!({ "subject": " ", "details": "x" }))
        .await;
    assert_eq!(kind, "validation_error");
}

#[tokio::test(flavor = "multi_thread")]
async fn c5_no_text_breaks_the_session() {
    let host = host_of_pumps(3, &[]).await;
    let mut session = Session::with(&host).await;
    let long = "ÅNGSTRÖM \u{1F986} \"(".repeat(4000);
    assert!(long.len() > 64 << 10);
    let mut texts: Vec<&str> = HOSTILE_TEXTS.to_vec();
    texts.push(&long);
    for text in texts {
        for tool in ["keyword_search", "rag"] {
            session.call(tool, json!({ "query": text })).await;
        }
        for (tool, key) in [
            ("entry_get", "entry_id"),
            ("browse", "author"),
            ("filter_options", "field"),
        ] {
            session.call(tool, json!({ key: text })).await;
        }
    }
    for line in [
        &b"{ not json"[..],
        b"\xff\xfe",
        b"[]",
        b"{\"jsonrpc\":\"2.0\"}",
        b"\"\\ud800\"",
    ] {
        session.send(line).await;
    }
    let wrong = [
        json!({}),
        json!({ "query": 5 }),
        json!({ "query": "x", "colour": "red" }),
    ];
    for arguments in wrong {
        let (kind, _) = session.failed("keyword_search", arguments).await;
        assert_eq!(kind, "validation_error");
    }
    let unknown = session
        .request("tools/call", json!({ "name": "rm", "arguments": {} }))
        .await;
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("there is no tool")
    );
    assert_eq!(session.done("status", json!({})).await["entries"], 3);
}
