//! Files whose fault shows only when they are opened or started.

use serde_json::json;

use super::compiled::with_manifest;
use super::hosts::{Settings, error_of, goes_on, is_on, settings};
use super::{NAME, expect_refused, plugin, plugin_with};
use gannet_tests::dylibs::{PluginFolder, places};

/// A field of a struct that crosses by value, as its layout names it.
#[tokio::test(flavor = "multi_thread")]
async fn a_struct_that_is_laid_out_otherwise_is_refused() {
    let bytes = plugin_with("remaining_ns", "remaining_xx");
    let words = ["AbiCall", "remaining_ns", "remaining_xx"];
    expect_refused(&bytes, "layout", &words).await;
}

/// Names of fields lie one after another; a character that begins in one and
/// ends in the next makes the checker panic.
#[tokio::test(flavor = "multi_thread")]
async fn layouts_that_cannot_be_read_refuse_the_file_and_the_host_goes_on() {
    let mut bytes = plugin();
    let places = places(&bytes, "remaining_ns");
    assert!(!places.is_empty());
    for at in places {
        let end = at + "remaining_ns".len();
        bytes[end - 1..=end].copy_from_slice("é".as_bytes());
    }
    expect_refused(&bytes, "layout", &["cannot be read", "damaged"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_of_another_making_is_refused() {
    let bytes = plugin_with("abi stable library for Rust", "ABI stable library for Rust");
    expect_refused(&bytes, "open", &["header does not match"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_whose_symbol_is_not_there_is_refused() {
    let bytes = plugin_with(
        "\nroot=gannet_plugin_root_v1",
        "\nroot=gannet_plugin_root_v9",
    );
    let words = ["gannet_plugin_root_v9__gannet-test-numbered", "no symbol"];
    expect_refused(&bytes, "open", &words).await;
}

/// Were it opened lazily, the process would end at the first use.
#[tokio::test(flavor = "multi_thread")]
async fn a_symbol_that_is_nowhere_is_refused() {
    let source = "extern int nowhere(int); int sum(int x) { return nowhere(x); }";
    expect_refused(&with_manifest(source), "open", &["nowhere"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_while_the_plugin_says_what_it_is_refuses_the_file() {
    let bytes = plugin_with(NAME, "panicking_000");
    let words = ["panicked", "panicking_000 has no number"];
    expect_refused(&bytes, "start", &words).await;
}

/// The host asks on a thread of its own, and waits for ten seconds.
#[tokio::test(flavor = "multi_thread")]
async fn a_descriptor_that_never_ends_refuses_the_file_and_the_host_goes_on() {
    let folder = PluginFolder::new();
    folder.put_as("libx.so", &plugin_with(NAME, "loopingly_000"));
    let settings = settings(&folder, &[json!({"file": "libx.so"})]);
    let report = goes_on(&settings).await.plugin_files.remove(0);
    assert_eq!(
        (report.file.as_str(), report.gate),
        ("libx.so", Some("start"))
    );
    let reason = report.reason.unwrap();
    let said = "the descriptor of `loopingly_000` took longer than 10000 ms";
    assert!(reason.contains(said), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_constructor_that_never_ends_leaves_its_module_out() {
    expect_left_out("construct", "the constructor of `failing` took longer").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_description_of_an_instance_that_never_ends_leaves_its_module_out() {
    expect_left_out("description", "the description of `failing` took longer").await;
}

/// The settings that load a module which fails in this way.
fn failing(folder: &PluginFolder, way: &str, required: bool) -> Settings {
    folder.put("gannet_test_inline");
    let file = json!({"file": "libgannet_test_inline.so", "required": required});
    let mut settings = settings(folder, &[file]);
    settings.push(is_on("failing"));
    let key = "search_modules.failing.settings.way".to_owned();
    settings.push((key, way.to_owned()));
    settings
}

/// A host whose module `failing` fails in this way goes on without it.
async fn expect_left_out(way: &str, words: &str) {
    let status = goes_on(&failing(&PluginFolder::new(), way, false)).await;
    assert!(!status.search_modules.contains(&"failing".to_owned()));
    let [left_out] = &status.left_out[..] else {
        panic!("{:?}", status.left_out);
    };
    assert!(left_out.contains("search_modules.failing"), "{left_out}");
    assert!(left_out.contains(words), "{left_out}");
}

/// The file is good; one module of it is not, and is left out.
#[tokio::test(flavor = "multi_thread")]
async fn a_constructor_that_panics_leaves_its_module_out() {
    let words = "panicked: constructor of 42";
    expect_left_out("constructor", words).await;
    let folder = PluginFolder::new();
    let error = error_of(&failing(&folder, "constructor", true)).await;
    assert!(error.contains("search_modules.failing"), "{error}");
    assert!(error.contains(words), "{error}");
}
