"""Chromium: pages printed to PDF."""

import subprocess
from html import escape

import texts
from texts import expected


def paragraphs(items):
    return "".join(f"<p>{escape(text)}</p>" for text in items)


def pages():
    parts = zip(texts.HEADINGS, texts.PARAGRAPHS)
    headed = "".join(f"<h2>{name}</h2><p>{escape(text)}</p>" for name, text in parts)
    rows = "".join(
        "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in texts.ROWS)
    flows = [" ".join(row) for row in texts.ROWS]
    yield "headings", headed, {"texts": texts.PARAGRAPHS, "headings": texts.HEADINGS}
    yield "table", f"<table border=1>{rows}</table>", {"texts": flows, "rows": texts.ROWS}
    yield "columns", (
        f'<div style="column-count:2;column-gap:2em">{paragraphs(texts.LEFT + texts.RIGHT)}</div>'
    ), {"texts": texts.LEFT + texts.RIGHT}
    yield "rtl", (
        f'<div dir="rtl">{paragraphs(texts.ARABIC + texts.HEBREW)}</div>'
    ), {"texts": texts.ARABIC + texts.HEBREW}
    yield "justified", (
        '<div style="text-align:justify;letter-spacing:.06em;width:9cm">'
        f"{paragraphs([texts.LIGATURES, *texts.GERMAN])}</div>"
    ), {"texts": [texts.LIGATURES, *texts.GERMAN]}
    yield "languages", paragraphs(texts.RUSSIAN + texts.GERMAN), {
        "texts": texts.RUSSIAN + texts.GERMAN}
    yield "form", (
        f"{paragraphs(texts.LEFT)}<input value='{texts.HEADINGS[1]}'>"
    ), {"texts": [*texts.LEFT, texts.HEADINGS[1]]}


def make(folder):
    made = []
    for name, body, says in pages():
        source = folder / "sources" / f"web-{name}.html"
        source.write_text(
            '<!doctype html><meta charset="utf-8"><style>body{font-family:"DejaVu Serif"}'
            f"</style><body>{body}")
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
             f"--print-to-pdf={folder}/web-{name}.pdf", source.as_uri()],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        made.append(expected(f"web-{name}.pdf", "pdf", "Chromium", **says))
    return made
