//! Files that are no whole library for this machine. Opening a file that is
//! cut off can kill the process, so none of these comes that far.

use gannet_core::registry::loading::{DylibWish, preflight};
use object::{Object, ObjectSection};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::compiled::compiled;
use super::{expect_refused, folder_with, hosts, plugin};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_cut_off_is_refused_wherever_the_cut_is() {
    let whole = plugin();
    for percent in [1, 30, 80, 99] {
        let cut = &whole[..whole.len() * percent / 100];
        expect_refused(cut, "object", &["damaged"]).await;
    }
    expect_refused(&whole[..whole.len() - 1], "object", &["damaged"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_and_an_empty_file_are_refused() {
    for bytes in [&b"#!/bin/sh\necho no library here\n"[..], b""] {
        expect_refused(bytes, "object", &["not a shared library"]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_for_another_machine_is_refused() {
    let other = match cfg!(target_arch = "aarch64") {
        true => object::elf::EM_X86_64,
        false => object::elf::EM_AARCH64,
    };
    let mut bytes = plugin();
    bytes[18..20].copy_from_slice(&other.0.to_ne_bytes());
    expect_refused(
        &bytes,
        "object",
        &[std::env::consts::ARCH, "x86_64", "aarch64"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_refused() {
    let bytes = compiled("int main() { return 0; }", &["-pie", "-fPIE"]);
    expect_refused(&bytes, "object", &["a program"]).await;
}

/// Nothing but its checksum tells that such a file is not what it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_byte_that_flipped_in_the_code_is_found_by_the_pin_alone() {
    let whole = plugin();
    let mut flipped = whole.clone();
    flipped[middle_of_the_code(&whole)] ^= 0x40;
    let folder = folder_with(&flipped);
    let unpinned = preflight(&DylibWish::of("libx.so"), &folder.rules());
    assert_eq!(unpinned.unwrap().manifest.name, "gannet-test-numbered");

    let pin = format!("{:x}", Sha256::digest(&whole));
    let wish = json!({"file": "libx.so", "sha256": pin});
    hosts::expect_refused(&folder, wish, "pin", &[&pin]).await;
}

fn middle_of_the_code(bytes: &[u8]) -> usize {
    let file = object::File::parse(bytes).unwrap();
    let code = file.section_by_name(".text").unwrap();
    let (start, length) = code.file_range().unwrap();
    usize::try_from(start + length / 2).unwrap()
}
