//! `multipart/form-data` (RFC 7578) of a body that is whole in memory.

use axum::body::Bytes;

/// Parts at most.
const MOST_PARTS: usize = 64;
/// Bytes of the header of a part at most.
const LONGEST_HEADER: usize = 8 << 10;

/// A field or a file of a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The field.
    pub name: String,
    /// The name of the file, where it is one.
    pub filename: Option<String>,
    /// The MIME type that the client says.
    pub media: Option<String>,
    /// The bytes.
    pub data: Bytes,
}

/// The parts of a form.
///
/// # Errors
/// What is wrong with the form.
pub(crate) fn parts(content_type: &str, body: &Bytes) -> Result<Vec<Part>, &'static str> {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty());
    let boundary = boundary.ok_or("the header `Content-Type` has no boundary")?;
    let first = format!("--{boundary}");
    let delimiter = format!("\r\n{first}").into_bytes();
    if !body.starts_with(first.as_bytes()) {
        return Err("the form does not begin with its boundary");
    }
    let mut parts = Vec::new();
    let mut at = first.len();
    loop {
        match body.get(at..at + 2) {
            Some(b"--") => return Ok(parts),
            Some(b"\r\n") => at += 2,
            _ => return Err("a boundary is not followed by a line break"),
        }
        if parts.len() == MOST_PARTS {
            return Err("the form has more than 64 parts");
        }
        let end = find(body, b"\r\n\r\n", at).ok_or("a part has no end of its header")?;
        if end - at > LONGEST_HEADER {
            return Err("the header of a part is longer than 8 KiB");
        }
        let header = String::from_utf8_lossy(&body[at..end]).into_owned();
        let start = end + 4;
        // An empty part ends with the line break that ends its header.
        let from = start - 2;
        let next = find(body, &delimiter, from).ok_or("the form is cut off")?;
        parts.push(part(&header, body.slice(start.min(next)..next))?);
        at = next + delimiter.len();
    }
}

fn part(header: &str, data: Bytes) -> Result<Part, &'static str> {
    let value = |name: &str| {
        header.split("\r\n").find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    };
    let disposition = value("content-disposition").ok_or("a part has no Content-Disposition")?;
    Ok(Part {
        name: parameter(disposition, "name").ok_or("a part has no name")?,
        filename: parameter(disposition, "filename"),
        media: value("content-type").map(str::to_owned),
        data,
    })
}

/// `b` of `form-data; a="b"`, quoted or not.
fn parameter(header: &str, name: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (key, value) = rest.split_once('=')?;
        let key = key.trim_start_matches([';', ' ', '\t']).trim_end();
        let (text, after) = match value.strip_prefix('"') {
            Some(quoted) => quoted_text(quoted)?,
            None => {
                let end = value.find(';').unwrap_or(value.len());
                (value[..end].trim().to_owned(), &value[end..])
            }
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(text);
        }
        rest = after;
    }
}

/// The text up to the closing quote, and what follows. Browsers write a quote
/// within as `%22`, others with a backslash.
fn quoted_text(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((text.replace("%22", "\""), &quoted[at + 1..])),
            '\\' if quoted[at + 1..].starts_with(['"', '\\']) => text.push(letters.next()?.1),
            letter => text.push(letter),
        }
    }
    None
}

fn find(body: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = from;
    loop {
        at += body.get(at..)?.iter().position(|byte| *byte == first)?;
        if body[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=\"x-1\"";

    #[test]
    fn fields_and_files_are_read_with_their_names() {
        let body = "--x-1\r\nContent-Disposition: form-data; name=\"subject\"\r\n\r\nPump\r\n\
                    --x-1\r\ncontent-disposition: form-data; name=files; filename=\"a;\\\"b%22.txt\"\r\n\
                    Content-Type: text/plain\r\n\r\nline\r\n--x-2\r\n\r\n--x-1\r\n\
                    Content-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n--x-1--\r\n";
        let parts = parts(TYPE, &Bytes::from(body)).unwrap();
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["subject", "files", "empty"]);
        assert_eq!(parts[0].data, "Pump");
        assert_eq!(parts[1].filename.as_deref(), Some("a;\"b\".txt"));
        assert_eq!(parts[1].media.as_deref(), Some("text/plain"));
        assert_eq!(parts[1].data, "line\r\n--x-2\r\n");
        assert_eq!(parts[2].data, "");
    }

    #[test]
    fn a_form_that_is_none_is_refused_wherever_it_is_cut() {
        let body = "--x-1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nPump\r\n--x-1--";
        for end in 0..body.len() {
            let cut = Bytes::copy_from_slice(&body.as_bytes()[..end]);
            assert!(parts(TYPE, &cut).is_err(), "{end}");
        }
        assert!(parts(TYPE, &Bytes::from(body)).is_ok());
        assert!(parts("multipart/form-data", &Bytes::from(body)).is_err());
    }
}
