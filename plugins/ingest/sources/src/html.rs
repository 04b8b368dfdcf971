//! The text of a page of HTML.

use crate::html_entities::with_entities;

/// The text of a page, and its title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HtmlText {
    /// What stands in its `<title>`; empty without one.
    pub title: String,
    /// Its text, a line for each block.
    pub text: String,
}

/// Elements whose content is not text of the page.
const SKIPPED: [&str; 7] = [
    "script", "style", "template", "svg", "head", "noscript", "iframe",
];
/// Elements that stand on lines of their own.
const BLOCKS: [&str; 22] = [
    "address",
    "article",
    "aside",
    "br",
    "dd",
    "div",
    "dt",
    "figcaption",
    "footer",
    "form",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "option",
    "section",
    "summary",
    "tr",
    "body",
    "caption",
    "html",
];
/// Elements with an empty line before and behind them.
const PARAGRAPHS: [&str; 13] = [
    "blockquote",
    "dl",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "ol",
    "p",
    "pre",
    "table",
    "ul",
];
/// Reads the text of a page of HTML, however it is written: scripts and styles
/// are left out, blocks become lines, and named and numbered characters are
/// replaced. It takes time in proportion to the length of the page.
///
/// ```
/// use gannet_sources::html_text;
///
/// let page = html_text("<title>Log</title><body><h1>RF &amp; beam</h1><p>Reset<br>at 8:45.");
/// assert_eq!(page.title, "Log");
/// assert_eq!(page.text, "RF & beam\n\nReset\nat 8:45.");
/// ```
pub fn html_text(html: &str) -> HtmlText {
    let mut page = Page::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        page.add(&rest[..at]);
        rest = &rest[at..];
        let Some(tag) = Tag::at_start_of(rest) else {
            page.add("<");
            rest = &rest[1..];
            continue;
        };
        let Some(length) = tag.length else {
            // It never ends, and neither would any behind it.
            break;
        };
        rest = &rest[length..];
        if tag.name == "title" && !tag.is_end {
            let (title, behind) = split_at_end_of(rest, "title");
            page.title = collapsed(title);
            rest = behind;
        } else if tag.name == "head" && !tag.is_end {
            let (head, behind) = split_at_end_of(rest, "head");
            page.title = title_of(head);
            rest = behind;
        } else if SKIPPED.contains(&tag.name.as_str()) && !tag.is_end {
            rest = split_at_end_of(rest, &tag.name).1;
        } else {
            page.tag(&tag);
        }
    }
    page.add(rest);
    HtmlText {
        title: page.title,
        text: page.text.trim().to_owned(),
    }
}

/// A page that is being read.
#[derive(Default)]
struct Page {
    title: String,
    text: String,
    /// Inside of how many `<pre>`, where white space counts.
    preformatted: usize,
}

impl Page {
    fn add(&mut self, html: &str) {
        let text = with_entities(html);
        if self.preformatted > 0 {
            self.text.push_str(&text);
            return;
        }
        for character in text.chars() {
            match character.is_whitespace() {
                true if self.text.is_empty() || self.text.ends_with([' ', '\n']) => {}
                true => self.text.push(' '),
                false => self.text.push(character),
            }
        }
    }

    fn tag(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if PARAGRAPHS.contains(&name) {
            self.lines(2);
        } else if BLOCKS.contains(&name) {
            self.lines(1);
        } else if matches!(name, "td" | "th") && !tag.is_end {
            self.add(" ");
        }
        if name == "pre" {
            self.preformatted = match tag.is_end {
                true => self.preformatted.saturating_sub(1),
                false => self.preformatted + 1,
            };
        }
    }

    /// Ends the line, with so many line ends before the next text at least.
    fn lines(&mut self, count: usize) {
        if self.text.trim_end().is_empty() {
            return;
        }
        if self.text.ends_with(' ') {
            self.text.pop();
        }
        let ends = self
            .text
            .bytes()
            .rev()
            .take_while(|&byte| byte == b'\n')
            .count();
        for _ in ends..count {
            self.text.push('\n');
        }
    }
}

/// A tag, a comment or a declaration.
struct Tag {
    /// In lower case; empty for what is no element.
    name: String,
    is_end: bool,
    /// Its bytes; none where it does not end.
    length: Option<usize>,
}

impl Tag {
    /// The tag that a text begins with; none where `<` is only a character.
    fn at_start_of(html: &str) -> Option<Self> {
        if html.starts_with("<!--") {
            let length = html.find("-->").map(|at| at + 3);
            return Some(Self::nameless(length.or(Some(html.len()))));
        }
        let inner = html.get(1..)?;
        if inner.starts_with(['!', '?']) {
            return Some(Self::nameless(html.find('>').map(|at| at + 1)));
        }
        let is_end = inner.starts_with('/');
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        let name: String = inner
            .chars()
            .take_while(|character| character.is_ascii_alphanumeric())
            .collect();
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            .then(|| Self {
                name: name.to_ascii_lowercase(),
                is_end,
                length: end_of_tag(html),
            })
    }

    fn nameless(length: Option<usize>) -> Self {
        Self {
            name: String::new(),
            is_end: false,
            length,
        }
    }
}

/// The bytes up to `>`, those in quotation marks aside.
fn end_of_tag(html: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in html.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// What stands before `</name`, and what behind that tag.
fn split_at_end_of<'a>(html: &'a str, name: &str) -> (&'a str, &'a str) {
    let bytes = html.as_bytes();
    let is_end = |at: &usize| {
        let tag = bytes.get(at + 2..at + 2 + name.len());
        bytes.get(at + 1) == Some(&b'/')
            && tag.is_some_and(|tag| tag.eq_ignore_ascii_case(name.as_bytes()))
    };
    let mut tags = html.match_indices('<').map(|(at, _)| at);
    match tags.find(is_end) {
        None => (html, ""),
        Some(at) => {
            let behind = &html[at..];
            let length = behind.find('>').map_or(behind.len(), |end| end + 1);
            (&html[..at], &behind[length..])
        }
    }
}

fn title_of(head: &str) -> String {
    let mut tags = head.match_indices('<').map(|(at, _)| &head[at..]);
    let is_title = |tag: &&str| {
        tag.get(1..6)
            .is_some_and(|name| name.eq_ignore_ascii_case("title"))
    };
    let title = tags
        .find(is_title)
        .and_then(|tag| Some(&tag[end_of_tag(tag)?..]));
    title.map_or_else(String::new, |behind| {
        collapsed(split_at_end_of(behind, "title").0)
    })
}

fn collapsed(html: &str) -> String {
    let text = with_entities(html);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_are_lines_and_inline_elements_are_not() {
        for (html, text) in [
            ("a <b>bold</b>\n  word", "a bold word"),
            ("<p>one<p>two</p>\n<div>three</div>", "one\n\ntwo\n\nthree"),
            ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
            (
                "<table><tr><td>1<td>2</tr><tr><td>3</td></tr></table>",
                "1 2\n3",
            ),
            ("<pre>a\n  b</pre>c", "a\n  b\n\nc"),
            (
                "5 < 6 && 7 > 2 &amp;&uuml;&#228;&#xE4; &unknown; &",
                "5 < 6 && 7 > 2 &üää &unknown; &",
            ),
            (
                "x<script>if (a<b) '</p>'</script>y<style>p {}</STYLE >z",
                "xyz",
            ),
            ("a<!-- <p>not</p> -->b<!DOCTYPE x><?php 1 ?>c", "abc"),
            ("<a title='>'>link</a> <img alt=\"a>b\">", "link"),
            ("text <a href=\"never closed", "text <a href=\"never closed"),
            ("<script>never closed", ""),
            ("", ""),
        ] {
            assert_eq!(html_text(html).text, text, "{html}");
        }
    }

    #[test]
    fn the_title_is_that_of_the_page() {
        let page = html_text("<html><HEAD><meta x><Title lang=en>A &lt; B\n</title></head><body>x");
        assert_eq!((page.title.as_str(), page.text.as_str()), ("A < B", "x"));
        assert_eq!(html_text("<head></head>x").title, "");
    }

    #[test]
    fn a_megabyte_of_tags_without_ends_is_read_in_one_pass() {
        for piece in [
            "<a ",
            "<!--",
            "<script>",
            "</",
            "<title>",
            "&",
            "<a href='",
            "<p",
            "<!",
        ] {
            let html = piece.repeat((1 << 20) / piece.len());
            assert!(html_text(&html).text.len() <= html.len());
        }
    }

    proptest! {
        #[test]
        fn anything_is_read(html in "[a-z<>/!&;#x\"' \n=-]{0,200}|\\PC{0,100}") {
            let page = html_text(&html);
            prop_assert!(!page.text.contains("\n\n\n\n"));
        }
    }
}
