//! Files that say themselves that they do not fit.

use gannet_abi::manifest::{ABI_STABLE, CONTRACT};

use super::compiled::compiled;
use super::{expect_refused, plugin_with};

#[tokio::test(flavor = "multi_thread")]
async fn another_major_version_of_the_contract_is_refused() {
    let ours = format!("contract={CONTRACT}\n");
    let theirs = format!("contract={}.{}\n", CONTRACT.major + 1, CONTRACT.minor);
    let words = [
        &*CONTRACT.to_string(),
        &theirs["contract=".len()..theirs.len() - 1],
    ];
    expect_refused(&plugin_with(&ours, &theirs), "contract", &words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_abi_stable_is_refused() {
    let bytes = plugin_with(&format!("abi_stable={ABI_STABLE}\n"), "abi_stable=0.10\n");
    expect_refused(&bytes, "abi_stable", &["0.10", ABI_STABLE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_whose_panics_end_the_process_is_refused() {
    let bytes = plugin_with("panic=unwind\n", "panic=abort\n\n");
    expect_refused(&bytes, "panic", &["panic = \"unwind\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_that_cannot_be_read_is_refused() {
    let form = plugin_with("plugin manifest 1\n", "plugin manifest 7\n");
    expect_refused(&form, "manifest", &["has an unknown format"]).await;
    let line = plugin_with("\nroot=", "\nruut=");
    expect_refused(&line, "manifest", &["`root=…`"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_that_is_no_plugin_is_refused() {
    let bytes = compiled("int sum(int x) { return x + 1; }", &["-shared", "-fPIC"]);
    expect_refused(&bytes, "manifest", &["no manifest", "export_plugin!"]).await;
}
