//! Any text can be searched for in a store without an error.

#![no_main]
#![allow(dead_code)]

mod any_text;

use std::sync::LazyLock;

use any_text::Fixture;
use libfuzzer_sys::fuzz_target;

static FIXTURE: LazyLock<Fixture> = LazyLock::new(Fixture::new);

fuzz_target!(|text: &str| FIXTURE.search(text));
