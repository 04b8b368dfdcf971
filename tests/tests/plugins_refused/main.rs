//! P1: what is wrong with a dylib is found before more of it runs than must,
//! it is said with its reason, and the host goes on without it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod compiled;
mod contents;
mod damage;
mod hosts;
mod names;
mod opening;
mod place;

use gannet_tests::dylibs::{PluginFolder, built, replaced};

/// A plugin as cargo built it: `numbered`, whose module is [`NAME`].
fn plugin() -> Vec<u8> {
    built("gannet_test_numbered")
}

/// The name of that module.
const NAME: &str = "numbered_0000";

/// That plugin with a text in it replaced by another of its length.
fn plugin_with(from: &str, to: &str) -> Vec<u8> {
    replaced(&plugin(), from, to)
}

/// A folder with one file, `libx.so`.
fn folder_with(bytes: &[u8]) -> PluginFolder {
    let folder = PluginFolder::new();
    folder.put_as("libx.so", bytes);
    folder
}

/// Expects that a file of these bytes is refused, in a host that goes on.
async fn expect_refused(bytes: &[u8], gate: &str, words: &[&str]) {
    hosts::expect_refused(
        &folder_with(bytes),
        serde_json::json!({"file": "libx.so"}),
        gate,
        words,
    )
    .await;
}
