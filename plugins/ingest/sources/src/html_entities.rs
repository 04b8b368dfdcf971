//! Characters that HTML writes by name or number.

/// Names of characters, beside numbers.
const ENTITIES: [(&str, char); 36] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("auml", 'ä'),
    ("ouml", 'ö'),
    ("uuml", 'ü'),
    ("Auml", 'Ä'),
    ("Ouml", 'Ö'),
    ("Uuml", 'Ü'),
    ("szlig", 'ß'),
    ("agrave", 'à'),
    ("ccedil", 'ç'),
    ("eacute", 'é'),
    ("egrave", 'è'),
    ("ecirc", 'ê'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("deg", '°'),
    ("micro", 'µ'),
    ("plusmn", '±'),
    ("times", '×'),
    ("middot", '·'),
    ("bull", '•'),
    ("larr", '←'),
    ("rarr", '→'),
    ("euro", '€'),
];

/// Replaces `&amp;`, `&#228;`, `&#xe4;`; what is not known stays.
pub(super) fn with_entities(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let name = rest
            .get(..rest.len().min(10))
            .unwrap_or_else(|| &rest[..rest.floor_char_boundary(10)]);
        let found = name
            .split_once(';')
            .and_then(|(name, _)| Some((name, entity(name)?)));
        match found {
            Some((name, character)) => {
                text.push(character);
                rest = &rest[name.len() + 1..];
            }
            None => text.push('&'),
        }
    }
    text.push_str(rest);
    text
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|character| *character != '\0');
    }
    let known = ENTITIES.iter().find(|(own, _)| *own == name);
    known.map(|(_, character)| *character)
}
