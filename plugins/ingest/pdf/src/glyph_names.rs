//! Names of letters, as encodings with differences have them.

/// Names that are neither a letter alone nor one with an accent. From Adobe's
/// glyph list, what texts of Western languages and formulas need.
const NAMES: [(&str, &str); 126] = [
    ("space", " "),
    ("nbspace", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("quoteright", "’"),
    ("quoteleft", "‘"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("minus", "−"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("asciicircum", "^"),
    ("underscore", "_"),
    ("grave", "`"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("exclamdown", "¡"),
    ("cent", "¢"),
    ("sterling", "£"),
    ("currency", "¤"),
    ("yen", "¥"),
    ("section", "§"),
    ("copyright", "©"),
    ("ordfeminine", "ª"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("logicalnot", "¬"),
    ("registered", "®"),
    ("degree", "°"),
    ("plusminus", "±"),
    ("mu", "µ"),
    ("paragraph", "¶"),
    ("periodcentered", "·"),
    ("ordmasculine", "º"),
    ("questiondown", "¿"),
    ("multiply", "×"),
    ("divide", "÷"),
    ("AE", "Æ"),
    ("ae", "æ"),
    ("OE", "Œ"),
    ("oe", "œ"),
    ("Oslash", "Ø"),
    ("oslash", "ø"),
    ("Lslash", "Ł"),
    ("lslash", "ł"),
    ("germandbls", "ß"),
    ("dotlessi", "ı"),
    ("Eth", "Ð"),
    ("eth", "ð"),
    ("Thorn", "Þ"),
    ("thorn", "þ"),
    ("ff", "ff"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("endash", "–"),
    ("emdash", "—"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quotesinglbase", "‚"),
    ("quotedblbase", "„"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("bullet", "•"),
    ("ellipsis", "…"),
    ("perthousand", "‰"),
    ("trademark", "™"),
    ("Euro", "€"),
    ("florin", "ƒ"),
    ("fraction", "⁄"),
    ("lessequal", "≤"),
    ("greaterequal", "≥"),
    ("notequal", "≠"),
    ("approxequal", "≈"),
    ("infinity", "∞"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("lambda", "λ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("omega", "ω"),
    ("theta", "θ"),
    ("Omega", "Ω"),
    ("Delta", "∆"),
    ("Sigma", "Σ"),
    ("partialdiff", "∂"),
];

/// Accents at the end of a name, each with the letters that it stands on and
/// what they become.
const ACCENTS: [(&str, &str, &str); 8] = [
    ("dieresis", "AEIOUYaeiouy", "ÄËÏÖÜŸäëïöüÿ"),
    ("acute", "AEIOUYCNSZaeiouycnsz", "ÁÉÍÓÚÝĆŃŚŹáéíóúýćńśź"),
    ("grave", "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
    ("circumflex", "AEIOUaeiou", "ÂÊÎÔÛâêîôû"),
    ("tilde", "ANOano", "ÃÑÕãñõ"),
    ("ring", "AUau", "ÅŮåů"),
    ("cedilla", "CSTcst", "ÇŞŢçşţ"),
    ("caron", "CDENRSTZcenrsz", "ČĎĚŇŘŠŤŽčěňřšž"),
];

/// The text of a letter by its name: `A`, `adieresis`, `uni00E4`, `fi.alt`.
pub(crate) fn text_of(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    // A variant of a letter: `a.alt`, `a.sc`.
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    let mut characters = name.chars();
    if let (Some(letter), None) = (characters.next(), characters.next()) {
        return Some(letter.to_string());
    }
    if let Some((_, text)) = NAMES.iter().find(|(own, _)| *own == name) {
        return Some((*text).to_owned());
    }
    accented(name).or_else(|| numbered(name)).map(String::from)
}

/// The code in a name that TeX gives to a drawing of a letter: `a65`, or one
/// byte that is no letter itself.
pub(crate) fn numbered_code(name: &[u8]) -> Option<u8> {
    match name {
        [code] if !code.is_ascii_graphic() => Some(*code),
        [b'a', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok(),
        _ => None,
    }
}

fn accented(name: &str) -> Option<char> {
    let letter = name.chars().next()?;
    let accent = name.get(letter.len_utf8()..)?;
    let (_, plain, with) = ACCENTS.iter().find(|(own, _, _)| *own == accent)?;
    let place = plain.chars().position(|own| own == letter)?;
    with.chars().nth(place)
}

/// `uni00E4` and `u1F600`.
fn numbered(name: &str) -> Option<char> {
    let digits = match name.strip_prefix("uni") {
        Some(digits) => digits.get(..4)?,
        None => name
            .strip_prefix('u')
            .filter(|digits| (4..=6).contains(&digits.len()))?,
    };
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn names_stand_for_their_letters() {
        for (name, text) in [
            ("A", "A"),
            ("adieresis", "ä"),
            ("ccaron", "č"),
            ("eacute", "é"),
            ("fi", "fi"),
            ("uni00E4", "ä"),
            ("u1F600", "😀"),
            ("seven.oldstyle", "7"),
        ] {
            assert_eq!(text_of(name.as_bytes()).as_deref(), Some(text), "{name}");
        }
        assert_eq!(numbered_code(b"a65"), Some(65));
        assert_eq!(numbered_code(&[0x0c]), Some(0x0c));
        for name in [&b"A"[..], b"acute", b"a300"] {
            assert_eq!(numbered_code(name), None, "{name:?}");
        }
        for name in ["g23", "", ".notdef", "uniD800"] {
            assert_eq!(text_of(name.as_bytes()), None, "{name}");
        }
        for (_, plain, with) in ACCENTS {
            assert_eq!(plain.chars().count(), with.chars().count(), "{plain}");
        }
    }
}
