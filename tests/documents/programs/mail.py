"""Mails, as Python's library writes them."""

from email.message import EmailMessage

import texts
from texts import expected


def message(subject):
    mail = EmailMessage()
    mail["From"] = "Jörg Größe <joerg@example.org>"
    mail["To"] = "shift@example.org"
    mail["Date"] = "Tue, 31 Mar 2026 08:30:00 +0200"
    mail["Subject"] = subject
    return mail


def mails():
    plain = message(texts.TITLE)
    plain.set_content("\n\n".join(texts.PARAGRAPHS))
    yield "plain", plain, [texts.TITLE, *texts.PARAGRAPHS]
    encoded = message("Kühlwasserpumpe läuft laut")
    encoded.set_content("\n\n".join(texts.GERMAN), charset="iso-8859-1", cte="quoted-printable")
    yield "latin", encoded, ["Kühlwasserpumpe läuft laut", *texts.GERMAN]
    russian = message(texts.RUSSIAN[0][:40])
    russian.set_content("\n\n".join(texts.RUSSIAN), charset="koi8-r", cte="base64")
    yield "koi8", russian, texts.RUSSIAN
    both = message(texts.TITLE)
    both.set_content(texts.LEFT[0])
    both.add_alternative(f"<p>{texts.LEFT[0]}</p>", subtype="html")
    both.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="spot.png")
    yield "both", both, [texts.TITLE, texts.LEFT[0]]
    page = message(texts.TITLE)
    page.set_content(f"<h1>{texts.HEADINGS[0]}</h1><p>{texts.RIGHT[0]}</p>", subtype="html")
    yield "page", page, [texts.TITLE, texts.HEADINGS[0], texts.RIGHT[0]]


def make(folder):
    made = []
    for name, mail, says in mails():
        (folder / f"mail-{name}.eml").write_bytes(bytes(mail))
        made.append(expected(f"mail-{name}.eml", "eml", "Python", says))
    return made
