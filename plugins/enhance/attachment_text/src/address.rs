//! Addresses of attachments, and the servers that they may be fetched from.

/// Whether the address is below this one of a server, which ends with `/`.
pub(crate) fn is_below(address: &str, server: &str) -> bool {
    let rest = address.strip_prefix(server);
    rest.is_some_and(|rest| !leads_elsewhere(rest))
}

/// Whether a client or a server may read the address as one of another folder:
/// by a segment `.` or `..`, plain or encoded, behind any kind of slash.
pub(crate) fn leads_elsewhere(address: &str) -> bool {
    // Clients take tabs and line ends out of an address, also between dots.
    if address.contains(|one: char| one.is_ascii_control()) {
        return true;
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase().replace("%2e", ".");
    let path = path.replace("%2f", "/").replace("%5c", "/");
    path.split(['/', '\\'])
        .any(|segment| matches!(segment.trim(), "." | ".."))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    const SERVER: &str = "https://elog.lab.example/files/";

    #[test]
    fn a_file_below_the_address_of_a_server_is_permitted() {
        for rest in [
            "a.pdf",
            "2024/05/a b.pdf",
            "..a/b...pdf",
            ".hidden/50%25.txt",
            "get?name=../a.txt",
            "a.txt#../b",
        ] {
            assert!(is_below(&format!("{SERVER}{rest}"), SERVER), "{rest}");
        }
    }

    #[test]
    fn an_address_that_leaves_the_folder_of_the_server_is_not() {
        for rest in [
            "../other/a.txt",
            "%2e%2e/other/a.txt",
            ".%2E/other/a.txt",
            "x/..",
            "./a.txt",
            "..\\other\\a.txt",
            "..%2fother/a.txt",
            "x%5C..%5C..%5Ca.txt",
            ".\t./other/a.txt",
            "a/.. ",
            "..?x",
        ] {
            assert!(!is_below(&format!("{SERVER}{rest}"), SERVER), "{rest}");
        }
        assert!(!is_below("https://elog.lab.example/other/a.txt", SERVER));
    }
}
