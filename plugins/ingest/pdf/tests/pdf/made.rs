//! PDF files, made for the tests.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file that grows object by object. There is no table of places: readers
/// have to do without where it is damaged.
pub struct Made(Vec<u8>);

impl Made {
    pub fn new() -> Self {
        Self(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec())
    }

    pub fn object(mut self, number: u32, text: &str) -> Self {
        write!(self.0, "{number} 0 obj\n{text}\nendobj\n").unwrap();
        self
    }

    /// A stream; `entries` are those of its dictionary beside the length.
    pub fn stream(mut self, number: u32, entries: &str, data: &[u8]) -> Self {
        let length = data.len();
        write!(
            self.0,
            "{number} 0 obj <<{entries} /Length {length}>>\nstream\r\n"
        )
        .unwrap();
        self.0.extend(data);
        self.0.extend(b"\nendstream endobj\n");
        self
    }

    /// A stream that is compressed.
    pub fn deflated(self, number: u32, entries: &str, data: &[u8]) -> Self {
        let entries = format!("{entries} /Filter /FlateDecode");
        self.stream(number, &entries, &deflate(data))
    }

    /// The root of pages with these numbers, and the file's end.
    pub fn with_pages(self, pages: &[u32]) -> Vec<u8> {
        let kids: String = pages.iter().map(|page| format!("{page} 0 R ")).collect();
        let tree = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len());
        let made = self
            .object(1, "<< /Type /Catalog /Pages 2 0 R >>")
            .object(2, &tree);
        made.ended("<< /Root 1 0 R >>")
    }

    pub fn ended(mut self, trailer: &str) -> Vec<u8> {
        write!(self.0, "trailer {trailer}\nstartxref\n0\n%%EOF\n").unwrap();
        self.0
    }
}

/// A page with one font, `F`, which is object 9.
pub fn page(contents: u32) -> String {
    format!(
        "<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R \
         /Resources << /Font << /F 9 0 R >> >> >>"
    )
}

pub const HELVETICA: &str =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// A file with one page that draws this.
pub fn drawing(content: &str) -> Vec<u8> {
    Made::new()
        .object(9, HELVETICA)
        .deflated(4, "", content.as_bytes())
        .object(3, &page(4))
        .with_pages(&[3])
}

pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}
