//! What is read of a file.

use gannet_pdf::{Limits, PdfError, read};

use crate::made::{HELVETICA, Made, drawing, page};

fn pages(file: &[u8]) -> Vec<String> {
    read(file, &Limits::default()).unwrap().pages
}

#[test]
fn words_lines_and_paragraphs_are_told_apart() {
    let content = "BT /F 10 Tf 12 TL 72 700 Td (Klystron ) Tj (K2) Tj T* (tripped at) Tj \
                   80 0 Td (08:30) Tj -80 -40 Td [(Re) 20 (set) -300 (by) -280 (hand.)] TJ ET";
    assert_eq!(
        pages(&drawing(content)),
        ["Klystron K2\ntripped at 08:30\n\nReset by hand."]
    );
}

#[test]
fn an_accent_that_a_letter_is_drawn_over_belongs_to_it() {
    // As TeX draws them: the accent, back by its width, and the letter.
    let content = "BT /F 10 Tf 72 700 Td [(K\\250) 500 (uhl, \\250) 600 (Ol)] TJ ET";
    assert_eq!(pages(&drawing(content)), ["Kühl, Öl"]);
}

#[test]
fn what_cannot_be_read_among_the_operators_is_skipped() {
    let content = "BT /F 10 Tf (before) Tj } 1e9 ) > 0 -20 Td (after) Tj ET";
    assert_eq!(pages(&drawing(content)), ["before\n\nafter"]);
}

#[test]
fn what_is_filled_into_a_form_and_seen_comes_behind_its_page() {
    let file = Made::new()
        .object(9, HELVETICA)
        .stream(4, "", b"BT /F 10 Tf (Breaker:) Tj ET")
        .stream(
            6,
            "/Subtype /Form /Resources << /Font << /F 9 0 R >> >>",
            b"BT /F 9 Tf (replaced) Tj ET",
        )
        .object(5, "<< /Subtype /Widget /FT /Tx /F 4 /AP << /N 6 0 R >> >>")
        .object(7, "<< /Subtype /Widget /FT /Tx /F 2 /AP << /N 6 0 R >> >>")
        .object(8, "<< /Subtype /Widget /FT /Tx /F 36 /AP << /N 6 0 R >> >>")
        .object(
            3,
            "<< /Type /Page /Contents 4 0 R /Annots [7 0 R 5 0 R 8 0 R] /Resources << /Font << /F 9 0 R >> >> >>",
        )
        .with_pages(&[3]);
    assert_eq!(pages(&file), ["Breaker:\n\nreplaced"]);
}

#[test]
fn each_page_has_its_text() {
    let file = Made::new()
        .object(9, HELVETICA)
        .deflated(4, "", b"BT /F 10 Tf (One) Tj ET")
        .object(3, &page(4))
        .stream(6, "", b"BT /F 10 Tf (Two \\374) Tj ET")
        .object(5, &page(6))
        .deflated(8, "", b"0 0 10 10 re f")
        .object(7, &page(8))
        .with_pages(&[3, 5, 7]);
    assert_eq!(pages(&file), ["One", "Two ü", ""]);
}

#[test]
fn objects_in_streams_and_what_the_file_says_about_itself_are_read() {
    let packed = "1 0 3 32 <</Type/Catalog/Pages 2 0 R>>    \
                  <</Type/Page/Contents 4 0 R/Resources<</Font<</F 9 0 R>>>>>>";
    let first = packed.find("<<").unwrap();
    let second = packed.find("<</Type/Page/").unwrap() - first;
    let packed = packed.replace("3 32", &format!("3 {second}"));
    let file = Made::new()
        .object(2, "<< /Type /Pages /Kids [3 0 R] >>")
        .deflated(
            10,
            &format!("/Type /ObjStm /N 2 /First {first}"),
            packed.as_bytes(),
        )
        .deflated(4, "", b"BT /F 10 Tf (Packed) Tj ET")
        .object(9, HELVETICA)
        .object(
            11,
            "<< /Title (Start of K2) /Author <FEFF004D002E0020004C00650065> >>",
        )
        .stream(12, "/Type /XRef /Root 1 0 R /Info 11 0 R /W [1 1 1]", b"")
        .ended("<< >>");
    let document = read(&file, &Limits::default()).unwrap();
    assert_eq!(document.pages, ["Packed"]);
    assert_eq!(document.title.as_deref(), Some("Start of K2"));
    assert_eq!(document.author.as_deref(), Some("M. Lee"));
}

#[test]
fn a_font_with_its_own_codes_is_read_by_its_map() {
    let map = b"1 begincodespacerange <0000> <FFFF> endcodespacerange \
                1 beginbfrange <0001> <0003> <0041> endbfrange";
    let file = Made::new()
        .object(
            9,
            "<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 10 0 R \
             /DescendantFonts [<< /DW 600 /W [1 [700 650]] >>] >>",
        )
        .deflated(10, "", map)
        .deflated(4, "", b"BT /F 10 Tf <000100020003> Tj ET")
        .object(3, &page(4))
        .with_pages(&[3]);
    assert_eq!(pages(&file), ["ABC"]);
}

/// As pdfTeX draws with a font of bitmaps (`small`), and an older Ghostscript
/// with one whose letters are as large as on the page (`large`).
#[test]
fn a_font_of_drawings_is_read_by_the_names_that_tex_gives() {
    let (small, large) = ("0.01204 0 0 0.01204 0 0", "1 0 0 1 0 0");
    for (matrix, size, place, next) in [
        (small, 10, "1 0 0 1 0 0", 40),
        (large, 1, "0.12 0 0 0.12 0 0", 300),
    ] {
        let font = format!(
            "<< /Type /Font /Subtype /Type3 /FontMatrix [{matrix}] /FontBBox [0 -17 65 60] \
             /FirstChar 14 /LastChar 111 /Widths [70] \
             /Encoding << /Differences [14/a14 98/a98/a99/d/e 111/o 228/a228] >> >>"
        );
        let content =
            format!("BT /F {size} Tf {place} Tm (o\\016ce) Tj {next} 0 Td (b\\344d) Tj ET");
        let file = Made::new()
            .object(9, &font)
            .deflated(4, "", content.as_bytes())
            .object(3, &page(4))
            .with_pages(&[3]);
        assert_eq!(pages(&file), ["office b\u{e4}d"], "{matrix}");
    }
}

#[test]
fn a_word_that_is_hyphenated_at_the_end_of_a_line_is_one() {
    let content =
        "BT /F 10 Tf (the tempera-) Tj 0 -12 Td (ture of RF-) Tj 0 -12 Td (systems) Tj ET";
    assert_eq!(
        pages(&drawing(content)),
        ["the temperature\nof RF-\nsystems"]
    );
}

#[test]
fn an_encoding_with_differences_and_a_form_are_read() {
    let file = Made::new()
        .object(
            9,
            "<< /Type /Font /Subtype /Type1 /Encoding << /Differences [1 /fi /adieresis /g7] >> >>",
        )
        .deflated(
            10,
            "/Subtype /Form /Matrix [1 0 0 1 0 -50]",
            b"BT /F 10 Tf (e\\002) Tj ET",
        )
        .stream(4, "", b"BT /F 10 Tf (\\001lter) Tj ET /X Do")
        .object(
            3,
            "<< /Type /Page /Contents [4 0 R] /Resources \
             << /Font << /F 9 0 R >> /XObject << /X 10 0 R >> >> >>",
        )
        .with_pages(&[3]);
    assert_eq!(pages(&file), ["filter\n\neä"]);
}

#[test]
fn a_picture_among_the_operators_is_skipped() {
    let content = "BI /W 1 ID (((( EI Q BT /F 10 Tf (seen) Tj ET";
    assert_eq!(pages(&drawing(content)), ["seen"]);
}

#[test]
fn an_edited_file_has_the_later_text() {
    let mut file = drawing("BT /F 10 Tf (before) Tj ET");
    let edit = Made::new().stream(4, "", b"BT /F 10 Tf (after) Tj ET");
    file.extend(edit.ended("<< /Root 1 0 R >>"));
    assert_eq!(pages(&file), ["after"]);
}

#[test]
fn an_encrypted_file_and_other_files_are_told_by_name() {
    let file = Made::new().ended("<< /Root 1 0 R /Encr#79pt 5 0 R >>");
    let limits = Limits::default();
    assert_eq!(read(&file, &limits).unwrap_err(), PdfError::Encrypted);
    assert_eq!(read(b"PK\x03\x04", &limits).unwrap_err(), PdfError::NotPdf);
    let empty = Made::new().ended("<< >>");
    assert_eq!(read(&empty, &limits).unwrap_err(), PdfError::NoPages);
}
