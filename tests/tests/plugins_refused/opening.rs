//! Files whose fault shows only when they are opened or started.

use serde_json::json;

use super::compiled::with_manifest;
use super::hosts::{error_of, goes_on, is_on, settings};
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

/// The file is good; one module of it is not, and is left out.
#[tokio::test(flavor = "multi_thread")]
async fn a_constructor_that_panics_leaves_its_module_out() {
    let folder = PluginFolder::new();
    folder.put("gannet_test_inline");
    let with = |required: bool| {
        let file = json!({"file": "libgannet_test_inline.so", "required": required});
        let mut settings = settings(&folder, &[file]);
        settings.push(is_on("failing"));
        let way = "search_modules.failing.settings.way".to_owned();
        settings.push((way, "constructor".to_owned()));
        settings
    };
    let status = goes_on(&with(false)).await;
    assert!(!status.search_modules.contains(&"failing".to_owned()));
    let [left_out] = &status.left_out[..] else {
        panic!("{:?}", status.left_out);
    };
    for text in [left_out, &error_of(&with(true)).await] {
        assert!(text.contains("search_modules.failing"), "{text}");
        assert!(text.contains("panicked: constructor of 42"), "{text}");
    }
}
