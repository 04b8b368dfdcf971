"""LibreOffice: texts, sheets and slides in its formats and others'."""

import subprocess
from html import escape

import texts
from texts import expected

NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{urn}:1.0"'
    for name, urn in [
        ("office", "office"), ("text", "text"), ("table", "table"), ("style", "style"),
        ("draw", "drawing"), ("form", "form"),
    ]
)
OTHERS = (
    ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def document(body, styles=""):
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {NAMES}{OTHERS} '
        'office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document>"
    )


def paragraph(text):
    return f"<text:p>{escape(text)}</text:p>"


def heading(text):
    return f'<text:h text:outline-level="1">{escape(text)}</text:h>'


def table(rows):
    lines = ""
    for row in rows:
        cells = "".join(f"<table:table-cell>{paragraph(cell)}</table:table-cell>" for cell in row)
        lines += f"<table:table-row>{cells}</table:table-row>"
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    return f'<table:table table:name="T">{columns}{lines}</table:table>'


def headed():
    parts = zip(texts.HEADINGS, texts.PARAGRAPHS)
    return "".join(heading(name) + paragraph(text) for name, text in parts)


COLUMNS = (
    '<style:style style:name="S" style:family="section"><style:section-properties>'
    '<style:columns fo:column-count="2" fo:column-gap="1cm"/>'
    "</style:section-properties></style:style>"
)


def sources():
    """Name, file, and what it says."""
    note = (
        f'<text:p>{escape(texts.PARAGRAPHS[0])}<text:note text:note-class="footnote">'
        "<text:note-citation>1</text:note-citation><text:note-body>"
        f"{paragraph(texts.FOOTNOTE)}</text:note-body></text:note></text:p>"
    )
    listed = "".join(f"<text:list-item>{paragraph(text)}</text:list-item>" for text in texts.LEFT)
    columns = "".join(map(paragraph, (texts.LEFT + texts.RIGHT) * 4))
    box = (
        '<text:p><draw:frame svg:width="8cm" svg:height="4cm" text:anchor-type="as-char">'
        f"<draw:text-box>{paragraph(texts.RIGHT[0])}</draw:text-box></draw:frame></text:p>"
    )
    flow = " ".join
    yield "headings", document(headed()), {
        "texts": texts.PARAGRAPHS, "headings": texts.HEADINGS}
    yield "table", document(paragraph(texts.LEFT[0]) + table(texts.ROWS)), {
        "texts": [texts.LEFT[0]] + [flow(row) for row in texts.ROWS], "rows": texts.ROWS}
    yield "footnote", document(note + paragraph(texts.PARAGRAPHS[1])), {
        "texts": [texts.PARAGRAPHS[0], texts.FOOTNOTE, texts.PARAGRAPHS[1]]}
    yield "columns", document(
        f'<text:section text:style-name="S" text:name="two">{columns}</text:section>', COLUMNS
    ), {"texts": (texts.LEFT + texts.RIGHT) * 4}
    yield "languages", document("".join(map(paragraph, texts.GERMAN + texts.RUSSIAN))), {
        "texts": texts.GERMAN + texts.RUSSIAN}
    yield "list", document(f"<text:list>{listed}</text:list>" + box), {
        "texts": texts.LEFT + [texts.RIGHT[0]]}


RIGHT_TO_LEFT = texts.ARABIC + texts.HEBREW


def convert(source, to, folder, filter_name=""):
    target = f"{to}:{filter_name}" if filter_name else to
    subprocess.run(
        ["soffice", "--headless", "--convert-to", target, "--outdir", str(folder), str(source)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120,
    )


def make(folder):
    made = []
    kept = folder / "sources"
    kept.mkdir(exist_ok=True)
    for name, text, says in sources():
        source = kept / f"office-{name}.fodt"
        source.write_text(text)
        for to in ("docx", "odt", "rtf", "pdf"):
            convert(source, to, folder)
            made.append(expected(f"office-{name}.{to}", to, "LibreOffice Writer", **says))
    convert(kept / "office-headings.fodt", "epub", folder)
    made.append(expected("office-headings.epub", "epub", "LibreOffice Writer",
                         texts.PARAGRAPHS, texts.HEADINGS))
    source = kept / "office-rtl.fodt"
    source.write_text(document("".join(map(paragraph, RIGHT_TO_LEFT))))
    for to in ("docx", "pdf"):
        convert(source, to, folder)
        made.append(expected(f"office-rtl.{to}", to, "LibreOffice Writer", RIGHT_TO_LEFT))
    sheet = kept / "office-sheet.csv"
    sheet.write_text("\n".join(",".join(row) for row in texts.ROWS))
    rows = {"texts": [" ".join(row) for row in texts.ROWS], "rows": texts.ROWS}
    for to in ("xlsx", "ods", "pdf"):
        convert(sheet, to, folder)
        made.append(expected(f"office-sheet.{to}", to, "LibreOffice Calc", **rows))
    return made
