//! Files that lie where they may not, that others can change, or that are not
//! those that were meant.

use std::os::unix::fs::symlink;

use gannet_tests::dylibs::set_mode;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::hosts::{expect_refused, listed};
use super::{folder_with, plugin};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_others_can_write_is_refused() {
    let folder = folder_with(&plugin());
    set_mode(&folder.path().join("libx.so"), 0o646);
    let wish = json!({"file": "libx.so"});
    expect_refused(&folder, wish, "permissions", &["libx.so", "chmod go-w"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_outside_of_the_folder_is_refused() {
    let (folder, elsewhere) = (folder_with(&plugin()), folder_with(&plugin()));
    let outside = elsewhere.path().join("libx.so");
    let inside = folder.path().display().to_string();
    let wish = json!({"file": outside});
    expect_refused(&folder, wish, "place", &["is outside of", &inside]).await;
    let wish = json!({"file": "libnone.so"});
    expect_refused(&folder, wish, "place", &["libnone.so", &inside]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_out_of_the_folder_is_refused() {
    let (folder, elsewhere) = (folder_with(&plugin()), folder_with(&plugin()));
    let outside = elsewhere.path().join("libx.so");
    symlink(&outside, folder.path().join("liblink.so")).unwrap();
    let wish = json!({"file": "liblink.so"});
    let words = ["is outside of", outside.to_str().unwrap()];
    expect_refused(&folder, wish, "place", &words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_checksum_is_refused_and_the_right_one_is_told() {
    let folder = folder_with(&plugin());
    let right = format!("{:x}", Sha256::digest(plugin()));
    let wrong = "a0".repeat(32);
    let wish = json!({"file": "libx.so", "sha256": wrong});
    expect_refused(&folder, wish, "pin", &[&right, &wrong]).await;
    let wish = json!({"file": "libx.so", "sha256": right});
    assert_eq!(listed(&folder, wish).reason, None);
}
