//! Encodings of fonts with codes of one byte.

/// What codes mean before the differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    Windows,
    Mac,
    /// Adobe's own, and what TeX's fonts have in its place.
    Standard,
}

/// The upper half of Mac OS Roman.
const MAC: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»… ÀÃÕŒœ\
                   –—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// Codes 0x80 to 0x9f of Windows-1252; a space where there is none.
const WINDOWS: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
/// The upper half of Adobe's standard encoding, with the codes of what it has.
const STANDARD: [(u8, &str); 49] = [
    (0xa1, "¡"),
    (0xa2, "¢"),
    (0xa3, "£"),
    (0xa4, "⁄"),
    (0xa5, "¥"),
    (0xa6, "ƒ"),
    (0xa7, "§"),
    (0xa8, "¤"),
    (0xa9, "'"),
    (0xaa, "“"),
    (0xab, "«"),
    (0xac, "‹"),
    (0xad, "›"),
    (0xae, "fi"),
    (0xaf, "fl"),
    (0xb1, "–"),
    (0xb2, "†"),
    (0xb3, "‡"),
    (0xb4, "·"),
    (0xb6, "¶"),
    (0xb7, "•"),
    (0xb8, "‚"),
    (0xb9, "„"),
    (0xba, "”"),
    (0xbb, "»"),
    (0xbc, "…"),
    (0xbd, "‰"),
    (0xbf, "¿"),
    (0xd0, "—"),
    (0xe1, "Æ"),
    (0xe3, "ª"),
    (0xe8, "Ł"),
    (0xe9, "Ø"),
    (0xea, "Œ"),
    (0xeb, "º"),
    (0xf1, "æ"),
    (0xf5, "ı"),
    (0xf8, "ł"),
    (0xf9, "ø"),
    (0xfa, "œ"),
    (0xfb, "ß"),
    (0x27, "’"),
    (0x60, "‘"),
    // TeX's ligatures, where other fonts have no code at all.
    (0x0b, "ff"),
    (0x0c, "fi"),
    (0x0d, "fl"),
    (0x0e, "ffi"),
    (0x0f, "ffl"),
    (0x7b, "{"),
];

/// Codes 0x80 to 0xbf of the letters that TeX has for European languages (T1).
const TEX: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£";
/// What is in other places of its two encodings, the older OT1 and T1. Where
/// they differ, the letter is the one that is seen more often.
const TEX_SIGNS: [(u8, &str); 23] = [
    (0x0b, "ff"),
    (0x0c, "fi"),
    (0x0d, "fl"),
    (0x0e, "ffi"),
    (0x0f, "ffl"),
    (0x10, "“"),
    (0x11, "”"),
    (0x12, "„"),
    (0x13, "«"),
    (0x14, "»"),
    (0x15, "–"),
    (0x16, "—"),
    (0x19, "ß"),
    (0x1b, "ff"),
    (0x1c, "fi"),
    (0x1d, "fl"),
    (0x1e, "ffi"),
    (0x1f, "ffl"),
    (0xd7, "Œ"),
    (0xdf, "SS"),
    (0xf7, "œ"),
    (0xff, "ß"),
    (0x7f, "¨"),
];

/// The text of a code of a font that TeX made a picture of each letter for.
pub(crate) fn tex(code: u8) -> String {
    if let Some((_, text)) = TEX_SIGNS.iter().find(|(own, _)| *own == code) {
        return (*text).to_owned();
    }
    let character = match code {
        0..0x20 => None,
        0x80..0xc0 => TEX.chars().nth(usize::from(code) - 0x80),
        _ => Some(char::from(code)),
    };
    character.into_iter().collect()
}

impl Base {
    /// By the name in the file.
    pub(crate) fn named(name: Option<&[u8]>) -> Self {
        match name {
            Some(b"WinAnsiEncoding") => Self::Windows,
            Some(b"MacRomanEncoding") => Self::Mac,
            _ => Self::Standard,
        }
    }

    /// The text of each code.
    pub(crate) fn texts(self) -> Vec<String> {
        (0..=u8::MAX).map(|code| self.text(code)).collect()
    }

    fn text(self, code: u8) -> String {
        let known = match self {
            Self::Standard => STANDARD.iter().find(|(other, _)| *other == code),
            _ => None,
        };
        if let Some((_, text)) = known {
            return (*text).to_owned();
        }
        let character = match (self, code) {
            (_, 0..0x20 | 0x7f) => None,
            (_, 0x20..0x7f) => Some(char::from(code)),
            (Self::Mac, _) => MAC.chars().nth(usize::from(code) - 0x80),
            (Self::Windows | Self::Standard, _) => windows_1252(code),
        };
        match character {
            Some('ﬁ') => "fi".to_owned(),
            Some('ﬂ') => "fl".to_owned(),
            character => character.into_iter().collect(),
        }
    }
}

/// A character of Windows-1252; a tab or the end of a line is one too.
pub(crate) fn windows_1252(code: u8) -> Option<char> {
    match code {
        0x80..0xa0 => WINDOWS
            .chars()
            .nth(usize::from(code) - 0x80)
            .filter(|c| *c != ' '),
        b'\t' | b'\n' | b'\r' => Some(' '),
        0..0x20 | 0x7f => None,
        code => Some(char::from(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_for_their_characters() {
        for (base, code, text) in [
            (Base::Windows, 0x80, "€"),
            (Base::Windows, 0x92, "’"),
            (Base::Windows, 0x9f, "Ÿ"),
            (Base::Windows, 0xfc, "ü"),
            (Base::Mac, 0x80, "Ä"),
            (Base::Mac, 0xa7, "ß"),
            (Base::Mac, 0xde, "fi"),
            (Base::Mac, 0xff, "ˇ"),
            (Base::Standard, 0xae, "fi"),
            (Base::Standard, 0x27, "’"),
            (Base::Standard, 0x41, "A"),
        ] {
            assert_eq!(base.text(code), text, "{base:?} {code:#x}");
        }
        for (code, text) in [(b'a', "a"), (0xe4, "ä"), (0xff, "ß"), (0x83, "Č")] {
            assert_eq!(tex(code), text, "{code:#x}");
        }
        assert_eq!(TEX.chars().count(), 64);
        assert_eq!(MAC.chars().count(), 128);
        assert_eq!(WINDOWS.chars().count(), 32);
    }
}
