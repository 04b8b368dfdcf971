//! Files that are encrypted: those that open without a password are read. They
//! are made by `qpdf --encrypt '' master BITS` from one that says a sentence.

use gannet_pdf::{Limits, PdfError, read};

#[test]
fn what_opens_without_a_password_is_read() {
    let files: [(&str, &[u8]); 6] = [
        ("rc4-40", include_bytes!("encrypted/rc4-40.pdf")),
        ("rc4-128", include_bytes!("encrypted/rc4-128.pdf")),
        ("aes-128", include_bytes!("encrypted/aes-128.pdf")),
        ("aes-256", include_bytes!("encrypted/aes-256.pdf")),
        ("aes-256-r5", include_bytes!("encrypted/aes-256-r5.pdf")),
        (
            "aes-256-packed",
            include_bytes!("encrypted/aes-256-packed.pdf"),
        ),
    ];
    for (name, file) in files {
        let document = read(file, &Limits::default()).unwrap();
        assert_eq!(document.pages, ["The pump tripped"], "{name}");
        assert_eq!(document.title.as_deref(), Some("Log of pumps"), "{name}");
        assert!(
            document.is_whole && document.damaged_pages.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn what_needs_a_password_is_refused() {
    let refused = read(include_bytes!("encrypted/password.pdf"), &Limits::default());
    assert_eq!(refused.unwrap_err(), PdfError::Encrypted);
}
