//! Office documents that were damaged by chance: none of them panics, takes
//! long or exceeds the limits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Cursor, Write};

use gannet_office::{Limits, read};
use gannet_test_mutations::{Mutator, check};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

type Parts = &'static [(&'static str, &'static str)];

const DOCX: Parts = &[
    (
        "word/document.xml",
        r#"<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:pStyle w:val="h1"/></w:pPr><w:r><w:t>Start</w:t></w:r></w:p><w:p><w:r><w:t>Warm up</w:t><w:tab/><w:br/><w:footnoteReference w:id="2"/></w:r><w:del><w:r><w:delText>no</w:delText></w:r></w:del></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>B &amp; &#228;</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl></w:body></w:document>"#,
    ),
    (
        "word/styles.xml",
        r#"<w:styles xmlns:w="w"><w:style w:styleId="h1"><w:name w:val="heading 1"/><w:basedOn w:val="h2"/></w:style><w:style w:styleId="h2"><w:basedOn w:val="h1"/></w:style></w:styles>"#,
    ),
    (
        "word/footnotes.xml",
        r#"<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>Note</w:t></w:r></w:p></w:footnote></w:footnotes>"#,
    ),
    (
        "word/_rels/document.xml.rels",
        r#"<Relationships><Relationship Id="rId1" Type="x/footnotes" Target="footnotes.xml"/></Relationships>"#,
    ),
    (
        "docProps/core.xml",
        "<cp:coreProperties><dc:title>RF</dc:title><dcterms:modified>2024-01-05T08:30:00Z</dcterms:modified></cp:coreProperties>",
    ),
];

const PPTX: Parts = &[
    (
        "ppt/presentation.xml",
        r#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId2"/></p:sldIdLst></p:presentation>"#,
    ),
    (
        "ppt/_rels/presentation.xml.rels",
        r#"<Relationships><Relationship Id="rId2" Type="x/slide" Target="slides/slide1.xml"/></Relationships>"#,
    ),
    (
        "ppt/slides/slide1.xml",
        r#"<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:r><a:t>cell</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:sld>"#,
    ),
    (
        "ppt/slides/_rels/slide1.xml.rels",
        r#"<Relationships><Relationship Id="rId1" Type="x/notesSlide" Target="../slides/slide1.xml"/></Relationships>"#,
    ),
];

const XLSX: Parts = &[
    (
        "xl/workbook.xml",
        r#"<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="Pumps" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="x/styles" Target="styles.xml"/></Relationships>"#,
    ),
    (
        "xl/sharedStrings.xml",
        "<sst><si><t>Pump</t></si><si><r><t>two</t></r><r><t> parts</t></r></si></sst>",
    ),
    (
        "xl/styles.xml",
        r#"<styleSheet><numFmts><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="165"/><xf numFmtId="10"/></cellXfs></styleSheet>"#,
    ),
    (
        "xl/worksheets/sheet1.xml",
        r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="XFD1" t="inlineStr"><is><t>in</t></is></c></row><row r="1048576"><c t="s"><v>1</v></c><c s="1"><v>45296.5</v></c><c s="2"><v>0.25</v></c><c t="b"><v>1</v></c></row></sheetData></worksheet>"#,
    ),
];

const ODT: Parts = &[
    ("mimetype", "application/vnd.oasis.opendocument.text"),
    (
        "content.xml",
        r#"<office:document-content><office:body><text:h text:outline-level="1">Start</text:h><text:p>Warm<text:s text:c="7"/>up<text:tab/><text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p><table:table table:name="T"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table></office:body></office:document-content>"#,
    ),
    (
        "meta.xml",
        "<office:meta><dc:title>T</dc:title><dc:date>2024-01-05T08:30:00</dc:date></office:meta>",
    ),
];

const ODS: Parts = &[
    ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
    (
        "content.xml",
        r#"<office:document-content><office:body><table:table table:name="Stock"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-columns-repeated="4" office:value-type="float" office:value="3.5"><text:p>3.5</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="16384"/></table:table-row><table:table-row table:number-rows-repeated="1048576"><table:table-cell/></table:table-row></table:table></office:body></office:document-content>"#,
    ),
];

const EPUB: Parts = &[
    (
        "META-INF/container.xml",
        r#"<container><rootfiles><rootfile full-path="O/book.opf"/></rootfiles></container>"#,
    ),
    (
        "O/book.opf",
        r#"<package><metadata><dc:title>Vacuum</dc:title></metadata><manifest><item id="a" href="a.xhtml"/><item id="b" href="../O/a%2exhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#,
    ),
    (
        "O/a.xhtml",
        "<html><head><title>Leaks</title></head><body><h1>One</h1><p>Find <b>it</b>&nbsp;soon.</p><table><tr><td>a</td></tr></table></body></html>",
    ),
];

const RTF: &[u8] = br"{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset204 Arial;}}{\info{\title T}{\revtim\yr2024\mo1\dy5}}\pard\outlinelevel0 Start\par The \b word\b0  \'e4\u1078?\u-10179?{\*\bkmkstart x}\trowd\cellx1 a\cell b\cell\row{\pict\bin5 abcde}\line end\par}";

const XML_WORDS: [&str; 12] = [
    "<a>",
    "</a>",
    "<w:p>",
    "<w:tbl><w:tr><w:tc>",
    "</w:tc>",
    "&#x10FFFF;",
    "&#0;",
    "&x;",
    "<![CDATA[",
    "<!--",
    "<table:table-row table:number-rows-repeated=\"1048576\">",
    "\u{feff}",
];
const RTF_WORDS: [&str; 12] = [
    "{",
    "}",
    r"\u-10179?",
    r"\u55357?",
    r"\'",
    r"\'ff",
    r"\bin2147483647 ",
    r"\uc99 ",
    r"\*",
    r"\trowd",
    r"\cell\row",
    r"{\*\x ",
];

/// Limits of small files, so that they are reached.
fn small() -> Limits {
    Limits {
        max_decoded_bytes: 4 << 20,
        max_files: 100,
        max_text_bytes: 1 << 20,
    }
}

fn archive(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in parts {
        zip.start_file(*name, stored).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive with a part that is damaged and has the right checksum, and now
/// and then a damaged archive, or one whose part is an archive.
fn damaged(mutator: &mut Mutator, parts: Parts) -> Vec<u8> {
    let whole = |(name, text): &(&'static str, &str)| (*name, text.as_bytes().to_vec());
    let mut parts: Vec<(&str, Vec<u8>)> = parts.iter().map(whole).collect();
    let other = mutator.one_of(&parts).1.clone();
    let at = mutator.below(parts.len());
    match mutator.below(8) {
        0 => return mutator.damage(&archive(&parts), &other, &["PK\u{1}\u{2}", "PK\u{5}\u{6}"]),
        1 => parts[at].1 = archive(&parts),
        2 => drop(parts.remove(at)),
        3 => parts[at].1 = other,
        _ => parts[at].1 = mutator.damage(&parts[at].1, &other, &XML_WORDS),
    }
    archive(&parts)
}

/// A text is within its limit, or there is none.
fn read_bounded(bytes: &[u8]) {
    let limits = small();
    if let Ok(document) = read(bytes, &limits) {
        let length: usize = document.parts.iter().map(|part| part.text.len()).sum();
        assert!(length <= limits.max_text_bytes + 65_536, "{length} bytes");
    }
}

fn check_archive(name: &str, parts: Parts) {
    check(name, |mutator| damaged(mutator, parts), read_bounded);
}

#[test]
fn mutated_docx() {
    check_archive("docx", DOCX);
}

#[test]
fn mutated_pptx() {
    check_archive("pptx", PPTX);
}

#[test]
fn mutated_xlsx() {
    check_archive("xlsx", XLSX);
}

#[test]
fn mutated_odt() {
    check_archive("odt", ODT);
}

#[test]
fn mutated_ods() {
    check_archive("ods", ODS);
}

#[test]
fn mutated_epub() {
    check_archive("epub", EPUB);
}

#[test]
fn mutated_rtf() {
    check(
        "rtf",
        |mutator| mutator.damage(RTF, RTF, &RTF_WORDS),
        read_bounded,
    );
}

#[test]
fn the_seeds_are_read() {
    for parts in [DOCX, PPTX, XLSX, ODT, ODS, EPUB] {
        let whole = parts
            .iter()
            .map(|(name, text)| (*name, text.as_bytes().to_vec()));
        let bytes = archive(&whole.collect::<Vec<_>>());
        assert!(
            !read(&bytes, &small()).unwrap().parts.is_empty(),
            "{}",
            parts[0].0
        );
    }
    assert!(!read(RTF, &small()).unwrap().parts.is_empty());
}
