"""LaTeX, by way of pdfTeX, and of dvips and Ghostscript."""

import subprocess

import texts
from texts import expected

BEGIN = r"\documentclass[%s]{article}\usepackage[%s]{fontenc}\usepackage[utf8]{inputenc}"


def run(command, folder):
    subprocess.run(command, check=True, cwd=folder, timeout=60,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def sources():
    headed = "".join(
        rf"\section*{{{name}}}{text}" + "\n\n"
        for name, text in zip(texts.HEADINGS, texts.PARAGRAPHS))
    rows = r" \\ ".join(" & ".join(row) for row in texts.ROWS)
    note = rf"{texts.PARAGRAPHS[0]}\footnote{{{texts.FOOTNOTE}}} {texts.PARAGRAPHS[1]}"
    flows = [" ".join(row) for row in texts.ROWS]
    yield "headings", "11pt", "OT1", headed, {
        "texts": texts.PARAGRAPHS, "headings": texts.HEADINGS}
    yield "columns", "twocolumn", "OT1", "\n\n".join((texts.LEFT + texts.RIGHT) * 5), {
        "texts": (texts.LEFT + texts.RIGHT) * 5}
    yield "table", "11pt", "OT1", rf"\begin{{tabular}}{{llll}}{rows}\end{{tabular}}", {
        "texts": flows, "rows": texts.ROWS}
    yield "ligatures", "11pt", "OT1", texts.LIGATURES, {"texts": [texts.LIGATURES]}
    yield "umlauts", "11pt", "OT1", "\n\n".join(texts.GERMAN), {"texts": texts.GERMAN}
    yield "footnote", "11pt", "OT1", note, {
        "texts": [texts.PARAGRAPHS[0], texts.PARAGRAPHS[1], texts.FOOTNOTE]}


def make(folder):
    made = []
    work = folder / "sources"
    for name, options, encoding, body, says in sources():
        text = BEGIN % (options, encoding) + r"\begin{document}" + body + r"\end{document}"
        (work / f"latex-{name}.tex").write_text(text)
        run(["pdflatex", "-interaction=batchmode", f"-output-directory={folder}",
             f"latex-{name}.tex"], work)
        made.append(expected(f"latex-{name}.pdf", "pdf", "pdfTeX", **says))
        if name in ("headings", "ligatures", "columns"):
            run(["latex", "-interaction=batchmode", f"latex-{name}.tex"], work)
            run(["dvips", "-q", f"latex-{name}.dvi"], work)
            run(["ps2pdf", f"latex-{name}.ps", str(folder / f"dvips-{name}.pdf")], work)
            made.append(expected(f"dvips-{name}.pdf", "pdf", "dvips and Ghostscript", **says))
    return made
