//! A folder with files of every kind, right, odd and broken ones.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Files that are read, each with a word that no other file has.
pub const READABLE: [(&str, &str); 27] = [
    ("minutes.txt", "wordplain"),
    ("README", "wordnameless"),
    ("manual/start.md", "wordmarkdown"),
    ("page.html", "wordhtml"),
    ("report.pdf", "wordpdf"),
    ("misnamed.txt", "wordmisnamed"),
    ("trip.eml", "wordmail"),
    ("trip.eml", "wordattached"),
    ("trip.eml", "wordforwarded"),
    ("list.mbox", "wordfirstmail"),
    ("list.mbox", "wordsecondmail"),
    ("handbook.docx", "wordsection"),
    ("handbook.docx", "wordcell"),
    ("talk.pptx", "wordslide"),
    ("pumps.xlsx", "wordsheet"),
    ("letter.odt", "wordodt"),
    ("stock.ods", "wordods"),
    ("notes.rtf", "wordrtf"),
    ("насос.rtf", "насос"),
    ("beijing.eml", "真空泵"),
    ("locked.pdf", "\"pump tripped\""),
    ("book.epub", "wordepub"),
    ("log.jsonl", "wordjsonl"),
    ("export.json", "wordjson"),
    ("undated.jsonl", "wordundated"),
    ("entries.csv", "wordtable"),
    ("large.txt", "wordlarge"),
];

/// Files that are not read, and what is said of each.
pub const NOT_READ: [(&str, &str); 15] = [
    ("photo.png", "a picture"),
    ("tool.bin", "a binary file"),
    ("all.zip", "an archive"),
    ("old.doc", "an old Office program"),
    ("settings.yml", "not among the `extensions`"),
    ("nothing.txt", "empty"),
    ("bomb.docx", "more than 67108864 bytes of decoded data"),
    ("torn.docx", "damaged"),
    ("torn.pdf", "cut off or damaged"),
    ("secret.pdf", "encrypted; save it without a password"),
    ("huge.txt", "larger than `max_bytes`"),
    ("broken.json", "array"),
    ("shifts.csv", "--accept"),
    ("loop", "a symlink to a folder"),
    ("outside.txt", "a symlink that leaves the folder"),
];

/// An archive with these parts.
pub fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn docx(body: &str) -> Vec<u8> {
    let styles = r#"<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>"#;
    let core = r#"<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>RF handbook</dc:title><dc:creator>M. Lee</dc:creator><dcterms:modified>2024-01-05T08:30:00Z</dcterms:modified></cp:coreProperties>"#;
    let body = format!(r#"<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    archive(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", body.as_bytes()),
        ("word/styles.xml", styles.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
    ])
}

fn handbook() -> Vec<u8> {
    let heading = |text: &str| {
        format!(
            r#"<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
        )
    };
    let paragraph = |text: &str| format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Setting</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>wordcell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    docx(
        &[
            heading("Start"),
            paragraph("Warm up &amp; wait for wordsection."),
            heading("Stop"),
            table.to_owned(),
        ]
        .concat(),
    )
}

fn pptx() -> Vec<u8> {
    archive(&[
        ("ppt/presentation.xml", br#"<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst></p:presentation>"#),
        ("ppt/_rels/presentation.xml.rels", br#"<Relationships><Relationship Id="rId2" Type="x/slide" Target="slides/slide1.xml"/></Relationships>"#),
        ("ppt/slides/slide1.xml", br#"<p:sld xmlns:p="p" xmlns:a="a"><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Interlocks</a:t></a:r></a:p></p:sp><p:sp><a:p><a:r><a:t>The wordslide is open.</a:t></a:r></a:p></p:sp></p:sld>"#),
    ])
}

fn xlsx() -> Vec<u8> {
    archive(&[
        ("xl/workbook.xml", br#"<workbook xmlns:r="r"><sheets><sheet name="Pumps" sheetId="1" r:id="rId1"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", br#"<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="x/styles" Target="styles.xml"/></Relationships>"#),
        ("xl/sharedStrings.xml", b"<sst><si><t>Pump</t></si><si><t>wordsheet</t></si></sst>"),
        ("xl/styles.xml", br#"<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#),
        ("xl/worksheets/sheet1.xml", br#"<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>Exchanged</t></is></c></row><row><c t="s"><v>1</v></c><c s="1"><v>45296</v></c></row></sheetData></worksheet>"#),
    ])
}

fn opendocument(kind: &str, body: &str) -> Vec<u8> {
    let kind = format!("application/vnd.oasis.opendocument.{kind}");
    let content = format!(
        "<office:document-content><office:body>{body}</office:body></office:document-content>"
    );
    archive(&[
        ("mimetype", kind.as_bytes()),
        ("content.xml", content.as_bytes()),
    ])
}

fn epub() -> Vec<u8> {
    archive(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", br#"<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>"#),
        ("OEBPS/book.opf", br#"<package><metadata><dc:title>Vacuum</dc:title></metadata><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>"#),
        ("OEBPS/a.xhtml", b"<html><head><title>Leaks</title></head><body><p>Find the wordepub.</p></body></html>"),
    ])
}

fn pdf() -> Vec<u8> {
    let draw = "BT /F 12 Tf 72 720 Td (The wordpdf tripped) Tj ET";
    let length = draw.len();
    format!(
        "%PDF-1.4\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n\
         2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n\
         3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 9 0 R >> >> >> endobj\n\
         4 0 obj << /Length {length} >>\nstream\n{draw}\nendstream endobj\n\
         9 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj\n\
         trailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"
    )
    .into_bytes()
}

const MAIL: &str = "From: =?utf-8?q?J=C3=BCrgen_M=C3=BCller?= <j@lab.example>\r\n\
To: ops@lab.example\r\nSubject: =?utf-8?b?U3TDtnJ1bmc=?= of RF 2\r\n\
Date: Fri, 05 Jan 2024 08:30:00 +0100\r\nMessage-ID: <2@lab.example>\r\n\
In-Reply-To: <1@lab.example>\r\nReferences: <1@lab.example>\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n\
--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
The wordmail l=E4uft.\r\n\
--b\r\nContent-Type: text/markdown; name=\"plan.md\"\r\nContent-Disposition: attachment; filename=\"plan.md\"\r\n\r\n\
# Plan\r\n\r\nExchange the wordattached.\r\n\
--b\r\nContent-Type: image/png; name=\"scope.png\"\r\nContent-Disposition: attachment; filename=\"scope.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n\
--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: a@lab.example\r\nSubject: Earlier\r\nDate: Thu, 04 Jan 2024 08:30:00 +0100\r\n\r\nSee the wordforwarded.\r\n\
--b--\r\n";

const MAILBOX: &str = "From a@lab.example Fri Jan  5 08:30:00 2024\nFrom: a@lab.example\nSubject: One\n\
Date: Fri, 05 Jan 2024 08:30:00 +0000\nMessage-ID: <m1@lab.example>\n\nThe wordfirstmail.\n>From here on it is quiet.\n\n\
From b@lab.example Fri Jan  5 09:30:00 2024\nFrom: b@lab.example\nSubject: Re: One\n\
Date: Fri, 05 Jan 2024 09:30:00 +0000\nIn-Reply-To: <m1@lab.example>\n\nThe wordsecondmail.\n";

/// Makes the folder `any` in another one.
pub fn make(outer: &Path) {
    let root = outer.join("any");
    let write = |name: &str, bytes: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write("minutes.txt", b"The wordplain is quiet.");
    write("README", b"Read the wordnameless first.");
    write("manual/start.md", b"# Start\n\nWarm up the wordmarkdown.\n");
    write(
        "page.html",
        b"<html><title>T</title><body><p>A wordhtml page.",
    );
    write("report.pdf", &pdf());
    write(
        "misnamed.txt",
        br#"{"id": "M-1", "timestamp": 1704443400, "text": "wordmisnamed"}"#,
    );
    write("trip.eml", MAIL.as_bytes());
    write("list.mbox", MAILBOX.as_bytes());
    write("handbook.docx", &handbook());
    write("talk.pptx", &pptx());
    write("pumps.xlsx", &xlsx());
    write(
        "letter.odt",
        &opendocument(
            "text",
            "<text:p>The wordodt<text:s text:c=\"2\"/>came.</text:p>",
        ),
    );
    write(
        "stock.ods",
        &opendocument(
            "spreadsheet",
            "<table:table table:name=\"Stock\"><table:table-row><table:table-cell><text:p>wordods</text:p></table:table-cell></table:table-row></table:table>",
        ),
    );
    write(
        "notes.rtf",
        br"{\rtf1\ansi{\fonttbl{\f0 Arial;}} The \b wordrtf\b0  holds.}",
    );
    write(
        "насос.rtf",
        br"{\rtf1\ansi\ansicpg1251 \'cd\'e0\'f1\'ee\'f1 1}",
    );
    write("beijing.eml", b"From: a@lab.example\r\nSubject: =?gb2312?B?1ea/1Q==?=\r\nDate: Fri, 05 Jan 2024 08:30:00 +0800\r\nContent-Type: text/plain; charset=gb2312\r\n\r\n\xd5\xe6\xbf\xd5\xb1\xc3\r\n");
    let encrypted =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/ingest/pdf/tests/pdf/encrypted");
    for (name, copy) in [
        ("aes-256.pdf", "locked.pdf"),
        ("password.pdf", "secret.pdf"),
    ] {
        fs::copy(encrypted.join(name), root.join(copy)).unwrap();
    }
    write("book.epub", &epub());
    write("log.jsonl", b"{\"id\": \"L-1\", \"timestamp\": 1704443400, \"text\": \"wordjsonl\"}\n{\"id\": \"L-2\", \"text\": \"no time\"}\n");
    write(
        "export.json",
        br#"{"entries": [{"id": "J-1", "timestamp": 1704443400, "text": "wordjson"}]}"#,
    );
    write(
        "undated.jsonl",
        b"{\"id\": \"U-1\", \"text\": \"wordundated\"}\n{\"id\": \"U-2\", \"text\": \"other\"}\n",
    );
    write(
        "entries.csv",
        b"id,timestamp,text\nT-1,2024-01-05 08:30,\"wordtable, and \xd6l\"\n",
    );
    write(
        "large.txt",
        ("The wordlarge. ".to_owned() + &"Beam on. ".repeat(200_000)).as_bytes(),
    );

    write("photo.png", b"\x89PNG\r\n\x1a\n\0\0");
    write("tool.bin", b"\0\x01\x02\x03\xff\0\0\0");
    write("all.zip", &archive(&[("readme.txt", b"not opened")]));
    write("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0");
    write("settings.yml", b"a: 1\n");
    write("nothing.txt", b"");
    write("torn.docx", &handbook()[..200]);
    write("torn.pdf", &pdf()[..300]);
    write("broken.json", br#"{"entries": [{"id": 1, "timestamp": 5"#);
    write(
        "shifts.csv",
        "Nr;Datum;Uhrzeit;Text\n17;05.01.2024;6:15;Öl\n".as_bytes(),
    );
    write("../outside.txt", b"wordoutside");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(".", root.join("loop")).unwrap();
        symlink("../outside.txt", root.join("outside.txt")).unwrap();
    }
}

/// Adds a text of 200 MB.
pub fn add_huge(outer: &Path) {
    let line = "The beam is on and nobody says anything about it.\n";
    let mut file = fs::File::create(outer.join("any/huge.txt")).unwrap();
    for _ in 0..200 {
        file.write_all(line.repeat(20_000).as_bytes()).unwrap();
    }
}

/// Adds a document of 66 MiB that is written in a few KiB.
pub fn add_bomb(outer: &Path) {
    fs::write(outer.join("any/bomb.docx"), docx(&" ".repeat(66 << 20))).unwrap();
}
