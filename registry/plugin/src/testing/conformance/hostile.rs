//! What nobody should have to read: questions, sources and texts.

/// Questions that break parsers.
pub(super) fn questions() -> Vec<String> {
    const SHORT: [&str; 42] = [
        "\"",
        "\"\"",
        "\"RF trip",
        "'",
        "''",
        "`",
        "(",
        ")",
        "()",
        "((",
        ")(",
        "(RF",
        "RF)",
        "[",
        "{",
        "[1 TO",
        "AND",
        "OR",
        "NOT",
        "AND OR NOT",
        "RF AND",
        "NOT NOT RF",
        "-",
        "--",
        "+",
        "*",
        "**",
        "a*b*c*d*",
        "?",
        "~",
        "^",
        ":",
        "author:",
        ":smith",
        "date:9999-99-99",
        "timestamp:[* TO",
        "\\",
        "/(a+)+$/",
        "(a|a|a)*b",
        "%s%n%x",
        "{{}}",
        "$(reboot)",
    ];
    const ODD: [&str; 12] = [
        "'; DROP TABLE entries; --",
        "../../../etc/passwd",
        "<script>alert(1)</script>",
        "RF\u{0}trip",
        "\u{1}\u{2}\u{1b}[31m\u{7f}\u{85}",
        "\r\n\t\u{b}\u{c}",
        "\u{202e}pirt FR\u{202c}\u{2066}\u{2069}",
        "\u{feff}\u{200b}\u{200d}",
        "👩\u{200d}🔧🛑\u{1f1e8}\u{1f1ed}",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}",
        "İıſẞΣς",
        "\u{10ffff}\u{e000}\u{fffd}",
    ];
    let long = ["a", "RF ", "\"", "(", "NOT ", "a*", "é", "-"].map(|piece| repeated(piece, 64));
    let short = SHORT.iter().chain(&ODD).map(|&text| text.to_owned());
    short.chain(long).collect()
}

/// Sources that hold no good record, beside those made of a good one.
pub(super) fn sources(good: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut torn = good.to_vec();
    torn.truncate(good.len() / 2);
    let mut foreign = good.to_vec();
    for byte in foreign.iter_mut().step_by(17) {
        *byte = 0xff;
    }
    let reversed: Vec<u8> = good.iter().rev().copied().collect();
    let every_byte: Vec<u8> = (0..=u8::MAX).cycle().take(64 << 10).collect();
    vec![
        ("that ends in the middle", torn),
        ("with bytes that are not UTF-8", foreign),
        ("read backwards", reversed),
        ("of every byte", every_byte),
        ("of zeros", vec![0; 64 << 10]),
        ("of blank lines", b"\n \r\n\t\n".repeat(1_000)),
        ("of one long line", repeated("word ", 1_024).into_bytes()),
        ("of open brackets", repeated("[{\"a\":", 16).into_bytes()),
        ("of null", b"null\n[]\n{}\n[null]\n\"\"\n0\n".to_vec()),
    ]
}

/// Texts of entries.
pub(super) fn texts() -> Vec<(&'static str, String)> {
    vec![
        ("empty", String::new()),
        ("blank", " \n\t ".to_owned()),
        ("of one letter", "a".to_owned()),
        (
            "of control characters",
            "\u{0}\u{1b}[31m\u{7f}\r".to_owned(),
        ),
        ("of emoji", "👩\u{200d}🔧🛑".repeat(300)),
        ("of right to left marks", "\u{202e}\u{2066}trip".repeat(300)),
        ("without a space", repeated("é", 64)),
        ("of a megabyte", repeated("The RF cavity tripped. ", 1_024)),
    ]
}

/// A piece again and again, so many KiB of it.
fn repeated(piece: &str, kibibytes: usize) -> String {
    piece.repeat((kibibytes << 10) / piece.len())
}
