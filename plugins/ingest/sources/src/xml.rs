//! Elements of XML.

/// An element with a text.
///
/// ```
/// assert_eq!(gannet_sources::xml_element("a", "1 < 2"), "<a>1 &lt; 2</a>");
/// ```
pub fn xml_element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", xml_escaped(text))
}

/// A text as it stands in XML. Characters that XML 1.0 does not have are left
/// out.
pub fn xml_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' | '\n' | '\r' => out.push(letter),
            '\u{fffe}' | '\u{ffff}' => {}
            letter if letter < ' ' => {}
            letter => out.push(letter),
        }
    }
    out
}
