//! Any text is a valid query, and reading it takes bounded time.

#![no_main]
#![allow(dead_code)]

mod any_text;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| any_text::read(text));
