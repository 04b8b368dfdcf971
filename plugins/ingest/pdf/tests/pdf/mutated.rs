//! Files that were damaged by chance: none of them panics, takes long or
//! exceeds the limits.

use gannet_pdf::{Limits, read};
use gannet_test_mutations::{Mutator, check};

use crate::made::{HELVETICA, Made, deflate, drawing, page};

const WORDS: [&str; 20] = [
    "<<",
    ">>",
    "[",
    "]",
    "(",
    ")",
    "<",
    "3 0 R",
    "99 0 R",
    "stream\n",
    "endstream",
    "endobj",
    "5 0 obj",
    "trailer",
    " /Kids [2 0 R]",
    " q ",
    " BT ",
    " (x) Tj ",
    " /F 1e38 Tf ",
    " 1 0 0 1 1e308 -1e308 cm ",
];

/// What a page draws, with every operator that is read.
const CONTENT: &[u8] =
    b"q 1 0 0 1 0 0 cm BT /F 12 Tf 14 TL 72 720 Td (Beam \\051\\n tripped) Tj T* \
    [(a) -300 (b) 1e9] TJ 3 Tc 2 Tw 90 Tz (next) ' 1 2 (two) \" 0 1 -1 0 5 5 Tm <41424320> Tj ET Q \
    /X Do BI /W 1 /H 1 ID \0\0 EI BT /G 9 Tf <00030004> Tj ET";

const MAP: &[u8] =
    b"1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfchar <0003> <0041> \
    <0004> <00660069> endbfchar 1 beginbfrange <0010> <00ff> <0061> endbfrange";

/// A file with fonts, a form and packed objects.
fn rich(content: &[u8], map: &[u8]) -> Vec<u8> {
    let packed = "20 0 21 30 << /Type /Font /Subtype /Type1 >> [0 500 600 [1 2] 3 9 400]";
    Made::new()
        .object(9, HELVETICA)
        .object(
            8,
            "<< /Type /Font /Subtype /Type0 /ToUnicode 7 0 R /DescendantFonts [6 0 R] >>",
        )
        .object(6, "<< /Type /Font /DW 900 /W [0 [500 600] 3 9 400] >>")
        .stream(7, "", map)
        .stream(
            10,
            "/Subtype /Form /Matrix [1 0 0 1 9 9]",
            b"BT /F 9 Tf (form) Tj ET /X Do",
        )
        .stream(11, "/Type /ObjStm /N 2 /First 11", packed.as_bytes())
        .deflated(
            5,
            "/DecodeParms << /Predictor 12 /Columns 4 >>",
            b"\x02abcd\x01efgh",
        )
        .stream(4, "", content)
        .object(
            3,
            "<< /Type /Page /Contents [4 0 R 5 0 R] /Resources << /Font << /F 9 0 R /G 8 0 R >> \
             /XObject << /X 10 0 R >> >> >>",
        )
        .with_pages(&[3])
}

/// A damaged file, or a whole one whose drawing or map is damaged.
fn damaged(mutator: &mut Mutator) -> Vec<u8> {
    let whole = rich(CONTENT, MAP);
    match mutator.below(5) {
        0 => rich(&mutator.damage(CONTENT, MAP, &WORDS), MAP),
        1 => rich(CONTENT, &mutator.damage(MAP, CONTENT, &WORDS)),
        2 => {
            let data = mutator.damage(&deflate(CONTENT), &whole, &[]);
            let filters = mutator.one_of(&[
                "/Filter /FlateDecode",
                "/Filter [/ASCII85Decode /LZWDecode]",
                "/Filter [/ASCIIHexDecode /RunLengthDecode]",
                "/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 >>",
                "/Filter /FlateDecode /DecodeParms << /Predictor 2 /Colors 99999 /Columns 3 >>",
            ]);
            let made = Made::new().object(9, HELVETICA).stream(4, filters, &data);
            made.object(3, &page(4)).with_pages(&[3])
        }
        _ => {
            let other = drawing("BT /F 9 Tf (other) Tj ET");
            mutator.damage(&whole, &other, &WORDS)
        }
    }
}

#[test]
fn mutated_pdf() {
    let limits = Limits {
        max_decoded_bytes: 4 << 20,
        max_pages: 100,
        max_text_bytes: 1 << 20,
    };
    check("pdf", damaged, |bytes| {
        if let Ok(document) = read(bytes, &limits) {
            let length: usize = document.pages.iter().map(String::len).sum();
            assert!(length <= limits.max_text_bytes, "{length} bytes");
        }
    });
}

#[test]
fn the_seed_is_read() {
    let document = read(&rich(CONTENT, MAP), &Limits::default()).unwrap();
    assert!(document.pages[0].contains("Beam )"), "{document:?}");
    assert!(document.pages[0].contains("form"), "{document:?}");
}
