//! Files that are no whole dynamic library for this machine.

use object::elf::{EM_AARCH64, EM_X86_64};
use proptest::prelude::*;

use super::*;
use crate::loading::fixtures::{CODE, compile};
use crate::loading::object_file::{manifest_section, target};
use gannet_abi::manifest::Manifest;

#[test]
fn what_is_no_library_at_all_is_refused() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\necho no library here\n"] {
        let refused = of_bytes(bytes).unwrap_err();
        assert!(
            matches!(refused, LoadError::NotALibrary { .. }),
            "{refused}"
        );
    }
}

#[test]
fn a_file_that_is_cut_off_is_refused_wherever_the_cut_is() {
    let whole = good_library();
    for percent in [1, 10, 30, 50, 80, 95, 99] {
        let cut = &whole[..whole.len() * percent / 100];
        assert_eq!(gate(cut), "object", "at {percent} %");
    }
    assert_eq!(gate(&whole[..whole.len() - 1]), "object");
}

#[test]
fn a_segment_beyond_the_end_is_refused() {
    // The length in the file of the first program header.
    let mut bytes = good_library().to_vec();
    bytes[64 + 32..64 + 40].copy_from_slice(&u64::MAX.to_ne_bytes());
    let refused = of_bytes(&bytes).unwrap_err();
    assert!(matches!(refused, LoadError::Damaged { .. }), "{refused}");
}

#[test]
fn another_machine_is_named() {
    let other = match cfg!(target_arch = "aarch64") {
        true => EM_X86_64,
        false => EM_AARCH64,
    };
    let mut bytes = good_library().to_vec();
    bytes[18..20].copy_from_slice(&other.0.to_ne_bytes());
    let refused = of_bytes(&bytes).unwrap_err();
    assert!(
        matches!(refused, LoadError::OtherTarget { .. }),
        "{refused}"
    );
    let text = refused.to_string();
    assert!(text.contains(std::env::consts::ARCH), "{text}");
}

#[test]
fn another_width_another_byte_order_and_another_system_are_refused() {
    let mut bytes = good_library().to_vec();
    bytes[4] = 1;
    assert_eq!(gate(&bytes), "object");
    let mut bytes = good_library().to_vec();
    bytes[5] = 3 - bytes[5];
    assert_eq!(gate(&bytes), "object");
    let mut mach_o = vec![0xcf, 0xfa, 0xed, 0xfe];
    mach_o.resize(64, 0);
    let refused = of_bytes(&mach_o).unwrap_err();
    assert!(refused.to_string().contains("mach-o"), "{refused}");
}

#[test]
fn a_program_and_an_object_file_are_refused() {
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let fixed = compile(&format!("{CODE}int main() {{ return 0; }}"), &["-no-pie"]);
    let movable = compile(
        &format!("{CODE}int main() {{ return 0; }}"),
        &["-pie", "-fPIE"],
    );
    let not_linked = compile(CODE, &["-c"]);
    for bytes in [program, fixed, movable, not_linked] {
        let refused = of_bytes(&bytes).unwrap_err();
        assert!(
            matches!(refused, LoadError::NotALibrary { .. }),
            "{refused}"
        );
    }
}

/// All that is read from bytes that may be anything.
fn read_all(bytes: &[u8]) {
    let _ = target(bytes);
    if let Ok(section) = manifest_section(bytes) {
        let _ = Manifest::read_section(section);
    }
}

/// Any place in a file, the tables at its beginning and end more often.
fn place(length: usize) -> impl Strategy<Value = usize> {
    prop_oneof![
        0..512.min(length),
        0..length,
        length.saturating_sub(2048)..length
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_flipped_byte_panics(
        flips in proptest::collection::vec((place(good_library().len()), any::<u8>()), 1..8),
    ) {
        let mut bytes = good_library().to_vec();
        for (at, byte) in flips {
            bytes[at] = byte;
        }
        read_all(&bytes);
    }

    #[test]
    fn no_length_panics_or_passes(length in 0..good_library().len()) {
        let cut = &good_library()[..length];
        read_all(cut);
        prop_assert!(manifest_section(cut).is_err());
    }

    #[test]
    fn no_file_of_any_form_panics(
        magic in prop_oneof![
            Just(&b"\x7fELF\x02\x01\x01"[..]),
            Just(&b"\xcf\xfa\xed\xfe"[..]),
            Just(&b"\xca\xfe\xba\xbe"[..]),
            Just(&b"MZ"[..]),
            Just(&b"!<arch>\n"[..]),
        ],
        rest in proptest::collection::vec(any::<u8>(), 0..512),
    ) {
        read_all(&[magic, &rest].concat());
    }
}
