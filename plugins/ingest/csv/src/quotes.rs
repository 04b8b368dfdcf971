//! Quotation marks in a record as it is written. The reader of the table
//! guesses where they are wrong, and what it guesses may be the rest of the
//! file in one field.

/// Where in a record a byte stands.
#[derive(Clone, Copy)]
enum Place {
    /// At the beginning of a field.
    Beginning,
    /// In a field without quotation marks, where one of them is text.
    Plain,
    /// In a field between quotation marks.
    Quoted,
    /// Behind a quotation mark that ends the field, or is the first of two.
    Closed,
    /// Behind the field, among blanks.
    Behind,
}

/// What is wrong with the quotation marks of a record, if anything.
pub(crate) fn fault(raw: &[u8], delimiter: u8) -> Option<&'static str> {
    let mut place = Place::Beginning;
    for &byte in raw {
        place = match (place, byte) {
            (Place::Quoted, b'"') => Place::Closed,
            (Place::Quoted, _) | (Place::Closed, b'"') => Place::Quoted,
            (_, b'\r' | b'\n') => Place::Beginning,
            (_, byte) if byte == delimiter => Place::Beginning,
            (Place::Beginning, b'"') => Place::Quoted,
            (Place::Beginning | Place::Plain, _) => Place::Plain,
            (Place::Closed | Place::Behind, b' ' | b'\t') => Place::Behind,
            (Place::Closed | Place::Behind, _) => {
                return Some(
                    "text behind the quotation mark that ends a field: write a quotation mark \
                     within a field twice",
                );
            }
        };
    }
    matches!(place, Place::Quoted).then_some(
        "a quotation mark without a partner: the field goes on to the end of the file, and so \
         other records may be in it",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    #[test]
    fn quotation_marks_that_belong_together_are_accepted() {
        for raw in [
            "",
            "\r\n\r\n1,0,\"a, \"\"b\"\"\nc\"\r\n",
            "1,0,5\" pipe\n",
            "1,\"\",\"\"\"\"",
            "\"1\" ,0,\"x\"  \n",
            "1,0, \"x\ny",
        ] {
            assert_eq!(fault(raw.as_bytes(), b','), None, "{raw:?}");
        }
        assert_eq!(fault(b"\"1\"\t\"a\tb\"\n", b'\t'), None);
    }

    #[test]
    fn one_without_a_partner_and_text_behind_one_are_faults() {
        for (raw, part) in [
            ("1,0,\"x\n2,0,y\n", "without a partner"),
            ("1,0,\"x\"\"\n2,0,y\n", "without a partner"),
            ("1,0,\"he said \"hi\" to me\n", "text behind"),
            ("1,0,\"x\" y\n", "text behind"),
            ("1,0,\"x\n2,0,\"y\"\n", "text behind"),
        ] {
            let found = fault(raw.as_bytes(), b',').unwrap();
            assert!(found.contains(part), "{raw:?}: {found}");
        }
    }
}
