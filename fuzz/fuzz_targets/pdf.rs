//! Any bytes are read as a PDF file, or refused.

#![no_main]

use gannet_pdf::{Limits, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits {
        max_decoded_bytes: 4 << 20,
        max_text_bytes: 1 << 20,
        ..Limits::default()
    };
    let _ = read(bytes, &limits);
});
