//! Files that would take all memory, all time or the program with them.

use gannet_pdf::{Limits, PdfError, read};
use proptest::prelude::*;

use crate::made::{HELVETICA, Made, deflate, drawing, page};

/// Limits of a small file.
fn small() -> Limits {
    Limits {
        max_decoded_bytes: 1 << 20,
        max_pages: 10,
        max_text_bytes: 10_000,
    }
}

fn refused(file: &[u8]) -> &'static str {
    match read(file, &small()) {
        Err(PdfError::TooLarge { of, .. }) => of,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stream_that_decodes_to_gigabytes_is_refused() {
    let once = deflate(&vec![b' '; 64 << 20]);
    let bomb = Made::new()
        .object(9, HELVETICA)
        .stream(4, "/Filter /FlateDecode", &once)
        .object(3, &page(4));
    assert_eq!(refused(&bomb.with_pages(&[3])), "bytes of decoded data");
    let twice = deflate(&once);
    let bomb = Made::new()
        .object(9, HELVETICA)
        .stream(4, "/Filter [/FlateDecode /FlateDecode]", &twice)
        .object(3, &page(4));
    assert_eq!(refused(&bomb.with_pages(&[3])), "bytes of decoded data");
    let objects = Made::new().stream(4, "/Type /ObjStm /Filter /FlateDecode /N 1 /First 4", &once);
    assert_eq!(refused(&objects.with_pages(&[3])), "bytes of decoded data");
}

#[test]
fn drawings_that_contain_each_other_end() {
    let form = |other: u32| {
        format!(
            "/Subtype /Form /Resources << /XObject << /X {other} 0 R >> /Font << /F 9 0 R >> >>"
        )
    };
    let draws_it_often = b"/X Do ".repeat(200);
    let file = Made::new()
        .object(9, HELVETICA)
        .stream(10, &form(11), &draws_it_often)
        .stream(11, &form(10), &draws_it_often)
        .stream(4, "", b"/X Do")
        .object(
            3,
            "<< /Type /Page /Contents 4 0 R /Resources << /XObject << /X 10 0 R >> >> >>",
        )
        .with_pages(&[3]);
    assert_eq!(refused(&file), "bytes of decoded data");
}

#[test]
fn pages_that_lead_back_to_each_other_are_read_once() {
    let file = Made::new()
        .object(9, HELVETICA)
        .deflated(4, "", b"BT /F 10 Tf (Once) Tj ET")
        .object(3, &page(4))
        .object(5, "<< /Type /Pages /Kids [2 0 R 5 0 R 3 0 R] >>")
        .with_pages(&[3, 5, 3, 2]);
    assert_eq!(read(&file, &small()).unwrap().pages, ["Once"]);
}

#[test]
fn references_that_lead_nowhere_end() {
    let file = Made::new()
        .object(3, "3 0 R")
        .object(4, "5 0 R")
        .object(5, "4 0 R")
        .object(6, "<< /Type /Page /Contents 4 0 R /Resources 5 0 R >>")
        .with_pages(&[3, 4, 6]);
    assert_eq!(read(&file, &small()).unwrap().pages, [""]);
}

#[test]
fn more_pages_or_text_than_allowed_are_refused() {
    let made = (20..40).fold(Made::new(), |made, number| made.object(number, &page(4)));
    let numbers: Vec<u32> = (20..40).collect();
    assert_eq!(refused(&made.with_pages(&numbers)), "pages");
    let many = format!("BT /F 10 Tf {} ET", "(lorem ipsum) Tj ".repeat(1_000));
    assert_eq!(refused(&drawing(&many)), "bytes of text");
}

#[test]
fn lists_that_many_parts_share_are_bounded() {
    let kids: String = (10..2_500).map(|number| format!("{number} 0 R ")).collect();
    let shared = "<< /Type /Pages /Kids 3 0 R >>";
    let made = (10..2_500).fold(Made::new(), |made, number| made.object(number, shared));
    let file = made.object(3, &format!("[{kids}]")).with_pages(&[10]);
    assert_eq!(refused(&file), "parts of the tree of pages");
}

#[test]
fn many_small_objects_and_wide_fonts_are_bounded() {
    let list = format!("[{}]", "0 ".repeat(900_000));
    let made = (10..16).fold(Made::new(), |made, number| made.object(number, &list));
    assert_eq!(refused(&made.with_pages(&[3])), "objects");
    let widths = "0 65535 500 ".repeat(100);
    let font = format!("<< /Subtype /Type0 /DescendantFonts [<< /W [{widths}] >>] >>");
    let file = Made::new()
        .object(9, &font)
        .stream(4, "", b"BT /F 9 Tf")
        .object(3, &page(4))
        .with_pages(&[3]);
    assert_eq!(refused(&file), "bytes of decoded data");
}

#[test]
fn deep_nesting_ends() {
    for opening in ["[", "<<", "<</A ", "(", "q ", "<</A[", "BI ID "] {
        let deep = opening.repeat(200_000);
        let file = Made::new().object(3, &deep).with_pages(&[3]);
        let _ = read(&file, &small());
        let _ = read(&drawing(&deep), &small());
    }
}

#[test]
fn numbers_out_of_range_are_read_past() {
    let huge = "9".repeat(400);
    let content = format!(
        "BT /F {huge} Tf {huge} -{huge} Td (a) Tj 0 0 0 0 0 0 Tm (b) Tj /F -0 Tf 0 Tz (c) Tj ET"
    );
    let text = read(&drawing(&content), &small()).unwrap().pages.join("");
    assert!(text.contains('a') && text.contains('c'), "{text}");
    let file = Made::new()
        .stream(
            4,
            "/Type /ObjStm /N 99999999999 /First -5",
            b"1 99999999999 2 0",
        )
        .object(3_999_999_999, "<< /Type /Page >>")
        .with_pages(&[3_999_999_999]);
    assert_eq!(read(&file, &small()).unwrap().pages, [""]);
}

#[test]
fn a_file_that_is_cut_anywhere_gives_an_error_or_what_is_there() {
    let file = drawing("BT /F 10 Tf 72 700 Td [(Klystron) -300 (K2)] TJ ET");
    assert!(read(&file, &small()).unwrap().is_whole);
    // Behind the end is the end of its line.
    for length in 0..file.len() - 1 {
        if let Ok(document) = read(&file[..length], &small()) {
            assert!(!document.is_whole, "{length}");
        }
    }
}

#[test]
fn an_edited_file_that_is_cut_is_not_taken_for_its_earlier_state() {
    let mut file = drawing("BT /F 10 Tf (before) Tj ET");
    let edit = Made::new().stream(4, "", b"BT /F 10 Tf (after) Tj ET");
    let edit = edit.ended("<< /Root 1 0 R >>");
    file.extend(&edit[..edit.len() / 2]);
    assert!(!read(&file, &small()).unwrap().is_whole);
}

#[test]
fn a_file_without_one_of_its_pages_is_not_whole() {
    let with_pages = |pages: &[u32]| {
        let file = Made::new()
            .object(9, HELVETICA)
            .stream(4, "", b"BT /F 10 Tf (One) Tj ET")
            .object(3, &page(4))
            .with_pages(pages);
        read(&file, &small()).unwrap()
    };
    assert!(with_pages(&[3, 3]).is_whole);
    let document = with_pages(&[3, 5]);
    assert_eq!((document.pages.len(), document.is_whole), (1, false));
    assert_eq!(document.damaged_pages, [0_usize; 0]);
}

#[test]
fn a_page_that_cannot_be_decoded_is_named() {
    let mut file = Made::new()
        .object(9, HELVETICA)
        .stream(6, "", b"BT /F 10 Tf (One) Tj ET")
        .object(5, &page(6))
        .deflated(4, "", b"BT /F 10 Tf (Two) Tj ET")
        .object(3, &page(4))
        .with_pages(&[5, 3]);
    let document = read(&file, &small()).unwrap();
    assert_eq!(document.damaged_pages, [0_usize; 0]);
    // The last byte of the checksum.
    let end = b"\nendstream";
    let mut windows = file.windows(end.len());
    let at = windows.rposition(|window| window == end).unwrap();
    file[at - 1] ^= 1;
    let document = read(&file, &small()).unwrap();
    assert_eq!((document.pages.len(), document.is_whole), (2, true));
    assert_eq!(document.damaged_pages, [2]);
}

proptest! {
    #[test]
    fn changed_bytes_do_no_harm(changes in proptest::collection::vec((0_usize..700, any::<u8>()), 1..20)) {
        let mut file = drawing("BT /F 10 Tf 72 700 Td [(Klystron) -300 (K2)] TJ T* (x) ' ET");
        for (place, byte) in changes {
            let length = file.len();
            file[place % length] = byte;
        }
        let _ = read(&file, &small());
    }

    #[test]
    fn any_drawing_is_read(content in "[ a-zA-Z0-9()<>/\\[\\]'\"%.*\\\\-]{0,200}") {
        let _ = read(&drawing(&format!("BT /F 9 Tf {content}")), &small());
    }
}
